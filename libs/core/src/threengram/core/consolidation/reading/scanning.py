"""Cut a text into clauses of tokens: first what has a shape of its own, then word by word."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from threengram.core.consolidation.reading import calendar, quantities
from threengram.core.consolidation.reading.calendar import Span
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import Kind, Role, Token
from threengram.core.lexical.folding import fold

# No two parts that follow each other can match the same letter, so that no text makes the search slow.
_IDENTIFIERS = (
    re.compile(r"(?<![\w@.-])[A-Za-z_][A-Za-z0-9]*(?:[./:@_-]+[A-Za-z0-9]+)+"),
    re.compile(r"(?<![\w.-])v\d+(?:\.\d+)*(?!\w)"),
    re.compile(r"(?<![\w-])[A-Za-z]+(?:-[A-Za-z]+)*-?\d[A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*(?!\w)"),
)
_IDENTIFYING = re.compile(r"[./:@_][A-Za-z]|\d")
_ADDRESS = re.compile(
    r"https?://\S+?(?=[.,;]?(?:\s|$))"
    r"|(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_QUOTED = re.compile(r'"([^"\n]{1,60})"|「([^」\n]{1,60})」|“([^”\n]{1,60})”|«([^»\n]{1,60})»')
_LEXEME = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+|[.!?;。！？；\n]+|\S")
_ENDS = re.compile(r"[.!?;。！？；\n]")
_ASKING = ("?", "？")
_MEASURE_OF = "さ"
"""Makes a measure of an adjective: deep, depth."""
_LATIN = re.compile(r"[A-Za-z]")
_SCRIPTS = re.compile(r"[\u4e00-\u9fff々]+|[\u30a0-\u30ff]+|[\u3041-\u309f]+|[\uac00-\ud7a3]+")
_CONTRACTED = re.compile(r"\b(?:can)?n't\b|(?<=[a-z])n't\b")
_ELIDED = re.compile(r"\b([A-Za-zÀ-ÿ]{1,2}|qu|all|dell|nell|sull|jusqu|aujourd)'(?=[A-Za-zÀ-ÿ])", re.IGNORECASE)
_TIMES = tuple(
    (re.compile(rf"\b{word}\b", re.IGNORECASE), written)
    for word, written in {"twice": "2 times", "zweimal": "2 mal", "dreimal": "3 mal", "viermal": "4 mal"}.items()
)
_POSSESSIVE = re.compile(r"(?<=\w)'s\b|(?<=s)'(?=\s|$)")


def normalise(text: str) -> str:
    """NFKC, plain quotes and dashes; contractions written out, so that a negation is a word."""
    plain = unicodedata.normalize("NFKC", text).translate({0x2018: "'", 0x2019: "'", 0x2013: "-", 0x2212: "-"})
    plain = _POSSESSIVE.sub("", plain)
    plain = _CONTRACTED.sub(" not", plain.replace("can't", "can not").replace("won't", "will not"))
    for pattern, written in _TIMES:
        plain = pattern.sub(written, plain)
    return _ELIDED.sub(r"\1 ", plain)


def scan(text: str, lexicon: Lexicon) -> list[list[Token]]:
    """The clauses of a normalised text, each with its tokens in reading order."""
    clauses: list[list[Token]] = [[]]
    position = 0
    for span in _shaped(text, lexicon):
        _words(text[position : span.start], lexicon, clauses)
        clauses[-1].append(span.token)
        position = span.end
    _words(text[position:], lexicon, clauses)
    return [clause for clause in clauses if any(token.is_content or token.role for token in clause)]


def _shaped(text: str, lexicon: Lexicon) -> list[Span]:
    """Dates, times, quantities, identifiers and quotations without overlap; the first finder wins, then the longest."""
    folded = "".join(map(_flat, text))
    taken: list[Span] = []
    occupied = bytearray(len(text))
    for finder in (_quotations, calendar.find, _addresses, quantities.measured, _identifiers, quantities.bare):
        for span in finder(text, folded, lexicon):
            if not any(occupied[span.start : span.end]):
                occupied[span.start : span.end] = b"\1" * (span.end - span.start)
                taken.append(span)
    return sorted(taken, key=lambda span: span.start)


def _quotations(text: str, _folded: str, _lexicon: Lexicon) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group)
        yield Span(match.start(), match.end(), Token(inner, fold(inner), Kind.NAME, slot="name"))


def _addresses(text: str, _folded: str, _lexicon: Lexicon) -> Iterator[Span]:
    for match in _ADDRESS.finditer(text):
        yield Span(match.start(), match.end(), Token(match[0], match[0].lower(), Kind.NAME, slot="name"))


def _identifiers(text: str, _folded: str, lexicon: Lexicon) -> Iterator[Span]:
    for match in (match for pattern in _IDENTIFIERS for match in pattern.finditer(text)):
        if not _IDENTIFYING.search(match[0]):
            continue
        key = fold(match[0])
        kind = Kind.CONTRAST if key in lexicon.contrasts else Kind.NAME
        yield Span(match.start(), match.end(), Token(match[0], key, kind, slot="name"))


def _words(text: str, lexicon: Lexicon, clauses: list[list[Token]]) -> None:
    lexemes = [match[0] for match in _LEXEME.finditer(text)]
    position = 0
    while position < len(lexemes):
        lexeme = lexemes[position]
        if _ENDS.match(lexeme):
            if lexeme.startswith(_ASKING) and clauses[-1]:
                clauses[-1].append(Token("?", "?", role=Role.HEDGE))
            if not _is_abbreviating(clauses[-1], lexeme):
                clauses.append([])
            position += 1
            continue
        length, role = _phrase(lexemes, position, lexicon, is_leading=not clauses[-1])
        if role is not None:
            clauses[-1].append(_in_role(" ".join(lexemes[position : position + length]), role, lexicon))
        elif not lexicon.is_spaced and _SCRIPTS.search(lexeme):
            clauses[-1].extend(_unspaced(lexeme, lexicon))
        elif lexeme[0].isalpha():
            clauses[-1].append(_word(lexeme, lexicon, is_leading=not clauses[-1]))
        elif lexeme in ",:()":
            clauses[-1].append(Token(lexeme, lexeme))
        position += length


def _phrase(lexemes: list[str], position: int, lexicon: Lexicon, *, is_leading: bool) -> tuple[int, Role | None]:
    """How many lexemes from here have a role together, the most first; 1 and None when this one is content."""
    if len(lexemes[position]) == 1 and lexemes[position].isupper() and not is_leading and lexemes[position] != "I":
        return 1, None
    for length in (4, 3, 2, 1):
        phrase = fold(" ".join(lexemes[position : position + length]))
        if phrase in lexicon.roles and (length == 1 or phrase.count(" ") == length - 1):
            return length, lexicon.roles[phrase]
    return 1, None


def _in_role(text: str, role: Role, lexicon: Lexicon) -> Token:
    folded = fold(text)
    wishes = role is Role.HEDGE and any(lexicon.stem(word) in lexicon.pivots for word in folded.split())
    return Token(
        text,
        folded,
        role=role,
        is_pivot=role is Role.COPULA or wishes,
        is_past=folded in lexicon.past,
        is_happening=folded in lexicon.happenings,
    )


def _word(text: str, lexicon: Lexicon, *, is_leading: bool) -> Token:
    folded = fold(text)
    ends_subject = bool(lexicon.subject_endings) and folded.endswith(lexicon.subject_endings)
    if lexicon.endings and folded not in lexicon.weekdays:
        folded = lexicon.without_ending(folded)
    stem = lexicon.stem(folded.replace("-", ""))
    kind, slot = Kind.WORD, "word"
    if folded in lexicon.contrasts:
        kind, slot = Kind.CONTRAST, "contrast"
    elif _is_name(text, lexicon, is_leading=is_leading):
        kind, slot = Kind.NAME, "name"
    return Token(
        text,
        stem,
        kind,
        slot=slot,
        is_pivot=(stem in lexicon.pivots and not _is_nominal(folded, stem, lexicon))
        or (ends_subject and len(text) > len(folded)),
        is_multivalued=stem in lexicon.multivalued,
        is_happening=folded in lexicon.happenings,
    )


def _is_nominal(folded: str, stem: str, lexicon: Lexicon) -> bool:
    """Whether the stemmer cut off what makes a noun of a verb: `manager`, but not `offer`."""
    return folded != stem and folded.endswith(lexicon.nominal_endings) and not stem.endswith(lexicon.nominal_endings)


def _is_name(text: str, lexicon: Lexicon, *, is_leading: bool) -> bool:
    if any(char.isupper() for char in text[1:]):
        return True
    if not lexicon.is_spaced and _LATIN.match(text):
        return True
    return text[0].isupper() and not is_leading and not lexicon.capitalises_nouns and bool(lexicon.name)


def _is_abbreviating(clause: list[Token], lexeme: str) -> bool:
    """Whether a full stop ends an abbreviated title and not a sentence."""
    return lexeme == "." and bool(clause) and clause[-1].role is Role.TITLE


@lru_cache(maxsize=8)
def _listed(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(phrases, key=len, reverse=True))) or r"(?!)")


def _unspaced(run: str, lexicon: Lexicon) -> Iterator[Token]:
    """The words of a run of letters written without blanks: what the lists know, and chunks of one script between."""
    known = (*lexicon.roles, *lexicon.contrasts, *lexicon.pivots, *lexicon.multivalued)
    position = 0
    for match in _listed(known).finditer(run):
        yield from _chunks(run[position : match.start()], lexicon)
        word = match[0]
        if word in lexicon.roles:
            yield _in_role(word, lexicon.roles[word], lexicon)
        else:
            yield _word(word, lexicon, is_leading=True)
        position = match.end()
    yield from _chunks(run[position:], lexicon)


def _chunks(text: str, lexicon: Lexicon) -> Iterator[Token]:
    for match in re.finditer(_SCRIPTS.pattern + r"|[A-Za-z]+", text):
        # One letter of kana behind an ideograph inflects it.
        if not ("\u3041" <= match[0] <= "\u309f"):
            token = _word(match[0], lexicon, is_leading=True)
            is_measure = text[match.end() : match.end() + 1] == _MEASURE_OF
            yield replace(token, text=token.text + _MEASURE_OF) if is_measure else token


def _flat(char: str) -> str:
    """One folded character for one character, so that positions stay."""
    folded = fold(char)
    return folded if len(folded) == 1 else char.lower()[0]
