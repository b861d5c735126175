"""Words without case and accents, so that "Łódź", "ŁÓDŹ" and "lodz" are one term.

Accents go from Latin, Greek and Cyrillic letters only: elsewhere a mark is a vowel or a consonant. The breve of the
Cyrillic short i makes another letter and stays. Optional pointing of Arabic and Hebrew goes, as does the Arabic
elongation; alef loses its hamza, which writers leave out at will. Digits of every script become ASCII.
"""

import unicodedata

_ACCENTED_SCRIPTS = ("LATIN ", "GREEK ", "CYRILLIC ")
# Letters that Unicode doesn't decompose, and the exceptions.
_LETTERS = {
    **dict(zip("øłđðıħŧŋß", ("o", "l", "d", "d", "i", "h", "t", "n", "ss"), strict=True)),
    **{"æ": "ae", "œ": "oe", "þ": "th", "й": "й"},
    **dict.fromkeys("\u0622\u0623\u0625\u0671", "\u0627"),
    "\u0640": "",
}
# Combining accents, Cyrillic titlos, Hebrew points, Arabic vowel signs, and the supplements to them.
_MARKS = ((0x300, 0x36F), (0x483, 0x487), (0x591, 0x5C7), (0x64B, 0x652), (0x670, 0x670), (0x1AB0, 0x1AFF))
_MORE_MARKS = ((0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))


class _FoldTable(dict[int, str]):
    """For `str.translate`: folds one lower-case code point and fills itself on demand."""

    def __missing__(self, point: int) -> str:
        self[point] = folded = _fold(chr(point))
        return folded


def _fold(char: str) -> str:
    if char in _LETTERS:
        return _LETTERS[char]
    if any(first <= ord(char) <= last for first, last in _MARKS + _MORE_MARKS):
        return "" if unicodedata.category(char) == "Mn" else char
    if (digit := unicodedata.decimal(char, None)) is not None:
        return str(digit)
    decomposed = unicodedata.normalize("NFD", char)
    if len(decomposed) > 1 and unicodedata.name(decomposed[0], "").startswith(_ACCENTED_SCRIPTS):
        return _LETTERS.get(decomposed[0], decomposed[0])
    return char


_FOLD = _FoldTable()


def fold(word: str) -> str:
    """The word without case and without accents; empty when it was nothing but marks."""
    return word.lower() if word.isascii() else word.casefold().translate(_FOLD)
