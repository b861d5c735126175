"""Cut text into tokens: words and identifiers, runs of scripts written without spaces, symbols.

White space always ends a word, so a word cut out of a document is cut the same way when it is a query. The one thing
that reaches across white space is a run of Chinese, Japanese, Korean, Thai, Lao, Khmer or Myanmar letters: writers put
spaces between such words or leave them out, and both spellings have to find each other.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable

# Han and kana are one class, since a Japanese word mixes them. Digits of these scripts are left to the words.
_HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = (
    "\u3031-\u3035\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\U0001aff0-\U0001b16f"
)
_HANGUL = "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
_LAO = "\u0e81-\u0ecf\u0edc-\u0edf"
_KHMER = "\u1780-\u17d3\u17d7\u17dc\u17dd"
_MYANMAR = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
_UNSPACED = (_HAN + _KANA, _HANGUL, _THAI, _LAO, _KHMER, _MYANMAR)

# Emoji, arrows, mathematics and money. Box drawing, blocks and ASCII punctuation are decoration, not terms.
_SYMBOLS = (
    "\u00a2-\u00a9\u00ac\u00ae\u00b0\u00b1\u00d7\u00f7\u20a0-\u20cf\u2100-\u24ff\u25a0-\u2bff\u3200-\u33ff"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)

# Default-ignorable code points: soft hyphen, zero-width and bidirectional controls, variation selectors, tags.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_PUNCTUATION = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc"), "'"),
}


def _ranges(points: Iterable[int]) -> str:
    """The members of a character class that holds `points`, given in ascending order."""
    spans: list[list[int]] = []
    for point in points:
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


def _marks() -> str:
    """Combining marks outside the unspaced scripts: vowel signs of Indic words among them, which `\\w` leaves out."""
    unspaced = re.compile(f"[{''.join(_UNSPACED)}]")
    blocks = (
        range(0x300, 0x2100),
        range(0xA600, 0xAC00),
        range(0xFB1E, 0xFB1F),
        range(0xFE20, 0xFE30),
    )
    planes = (range(0x10A00, 0x12000), range(0x16A00, 0x17000), range(0x1E000, 0x1EA00))
    points = (point for block in (*blocks, *planes) for point in block)
    return _ranges(p for p in points if unicodedata.category(chr(p))[0] == "M" and not unspaced.match(chr(p)))


def _token_pattern(word: str) -> str:
    """A word, or several held together by joining punctuation: `libs/core/db.py`, `user@host`, `::1`, `.env`, `C++`."""
    prefix = r"""(?:(?<![^\s(\[{<"'`,=])(?:::|[.@#$]))?"""
    joint = r"(?:[.\-/\\@:#=&?%+~'$]{1,3}|(?<=\d),(?=\d))"
    suffix = r"(?:(?:\+\+|\#)(?![\w+#]))?"
    return f"{prefix}{word}(?:{joint}{word})*{suffix}"


MARKS = _marks()
_LETTER = rf"[^\W{''.join(_UNSPACED)}]"
_RUNS = [rf"[{script}]+(?:\s+[{script}]+)*" for script in _UNSPACED]
_SYMBOL = rf"[\U0001f1e6-\U0001f1ff]{{2}}|[{_SYMBOLS}]"
_ASCII_TOKEN = re.compile(_token_pattern(r"\w+"), re.ASCII)
_ANY_TOKEN = re.compile("|".join([_token_pattern(f"{_LETTER}+(?:[{MARKS}]+{_LETTER}*)*"), *_RUNS, _SYMBOL]))

_is_run: Callable[[str], object] = re.compile(f"[{''.join(_UNSPACED)}]").match
_is_symbol: Callable[[str], object] = re.compile(f"[{_SYMBOLS}]").match
_stands_alone: Callable[[str], object] = re.compile(f"[{_HAN}{_HANGUL}]").match
# A virama that stacks the next consonant under the last one: Khmer coeng, Myanmar virama.
_STACKERS = "\u17d2\u1039"


def normalise(text: str) -> str:
    """`text` in NFKC without invisible characters, with one kind of hyphen and one kind of apostrophe."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", text)).translate(_PUNCTUATION)


def tokens(text: str) -> list[str]:
    """The tokens of a normalised text, in order and with repetitions."""
    return (_ASCII_TOKEN if text.isascii() else _ANY_TOKEN).findall(text)


def is_run(token: str) -> bool:
    """Whether the token is a run of letters of a script that is written without spaces."""
    return not token.isascii() and _is_run(token) is not None


def is_symbol(token: str) -> bool:
    """Whether the token is an emoji or another symbol."""
    return not token.isascii() and _is_symbol(token) is not None


def stands_alone(letter: str) -> bool:
    """Whether one letter of a run can be a word: an ideograph or a Hangul syllable, not a kana or a Thai letter."""
    return _stands_alone(letter) is not None


def letters(segment: str) -> list[str]:
    """What a reader sees as the letters of a run: a base with its vowel signs, tone marks and stacked consonants."""
    seen: list[str] = []
    for point in segment:
        if seen and (unicodedata.category(point)[0] == "M" or seen[-1][-1] in _STACKERS):
            seen[-1] += point
        else:
            seen.append(point)
    return seen
