"""One token to units: the alternatives that may stand for it, and whether a strict match needs it.

A simple word has one unit with two alternatives, its English stem and its accent-folded plain form. Both live in one
namespace: a plain form that equals a stem *is* that term. That saves a posting for every uninflected word, loses
nothing (the stem of a query word meets every inflection anyway), and leaves the plain form to do its one job, which
is to rank the exact word, always at least as rare as its stem, above its relatives.

An identifier is indexed as written, lower case, and by its parts: the segments of a path, the words between
punctuation, the humps of `camelCase`, the letters before a number. What holds a digit or an `@` (versions, dates,
ticket numbers, addresses) must match as a whole in a strict filter; other compounds may match by their words. A
hyphenated word is the same term as the word written together: "e-mail" is "email".
"""

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from threengram.core.lexical import segment
from threengram.core.lexical.folding import fold
from threengram.core.lexical.stopwords import CONTRACTION_HEADS, CONTRACTION_TAILS, STOP_WORDS

MAX_TERM_CHARS = 128
# Bounds what one URL or one blob of base64 can add to a document.
MAX_PARTS = 32
# A part is weaker evidence than the word itself: "hub" for GitHub, "10" for 10:30.
PART_WEIGHT = 0.5
# Words recur, blobs don't. Typical words fill the cache with 8 MB, hostile ones with 30.
_CACHED_TOKENS = 16_384
_CACHED_TOKEN_CHARS = 24

_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_VERSION = re.compile(r"v(\d+(?:\.\d+)+)", re.ASCII)
_SCHEME = re.compile(r"\A[A-Za-z][\w+.\-]*://", re.ASCII)
_SEGMENTS = re.compile(r"[/\\@?&=,:]+|\#+(?=.)|(?<=\d)[Tt](?=\d\d:)")
_WORDS = re.compile(rf"(?:[^\W_]+(?:[{segment.MARKS}]+[^\W_]*)*)")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_HYPHENATED = re.compile(r"[a-z]+(?:[-'][a-z]+){1,3}")
_HAS_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS_AND_NUMBER = re.compile(r"([a-z]{3,})(\d+)|(\d+)([a-z]{3,})")


class Role(Enum):
    """What a unit does for a query; documents index all of them."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    INDEX_ONLY = "index_only"


class Unit(NamedTuple):
    """Terms of which a match needs only one, as keys."""

    keys: tuple[int, ...]
    weight: float
    role: Role


class Analysis(NamedTuple):
    """The units of a token and the distinct keys of all of them."""

    units: tuple[Unit, ...]
    keys: tuple[int, ...]
    is_stop_word: bool


def key(term: str) -> int:
    """A signed 64-bit hash of the term, equal in every process and on every machine."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def analysis(token: str) -> Analysis:
    """What one word, identifier or symbol stands for; an identifier's whole comes first."""
    return _cached_analysis(token) if len(token) <= _CACHED_TOKEN_CHARS else _analysis(token)


def run_units(run: str) -> Iterator[Unit]:
    """Overlapping pairs of letters, also across the spaces of a run, and the letters that can be a word by themselves.

    A pair across a space is worth as much as any other, so that both spellings rank alike, but a strict match can do
    without it: "검색 한국어" has to find "한국어 검색". Documents hold every ideograph and syllable too, or a query of
    one (猫, 집) would find nothing: half as many terms again in Japanese, twice as many in a short Chinese note.
    """
    previous = ""
    for part in run.split():
        letters = segment.letters(part)
        if previous:
            yield Unit((key(previous + letters[0]),), 1.0, Role.OPTIONAL)
        if len(letters) == 1:
            yield Unit((key(letters[0]),), 1.0, Role.REQUIRED)
        for first, second in pairwise(letters):
            yield Unit((key(first + second),), 1.0, Role.REQUIRED)
        if len(letters) > 1:
            yield from (Unit((key(one),), 1.0, Role.INDEX_ONLY) for one in letters if segment.stands_alone(one))
        previous = letters[-1]


@lru_cache(maxsize=_CACHED_TOKENS)
def _cached_analysis(token: str) -> Analysis:
    return _analysis(token)


def _analysis(token: str) -> Analysis:
    folded = fold(token)
    is_stop_word = folded in STOP_WORDS or _is_contraction(folded)
    units = (Unit((key(folded),), 1.0, Role.REQUIRED),) if is_stop_word else _token_units(token, folded)
    return Analysis(units, tuple(dict.fromkeys(key for unit in units for key in unit.keys)), is_stop_word)


def _token_units(token: str, folded: str) -> tuple[Unit, ...]:
    if segment.is_symbol(token):
        return (Unit((key(token),), 1.0, Role.REQUIRED),)
    if _THOUSANDS.fullmatch(token):
        token = folded = token.replace(",", "")
    if folded.endswith("'s"):
        token, folded = token[:-2], folded[:-2]
    if _WORDS.fullmatch(folded):
        return _word_units(token, folded, 1.0, Role.REQUIRED)
    return _identifier_units(token, folded) if folded else ()


def _word_units(word: str, folded: str, weight: float, role: Role) -> tuple[Unit, ...]:
    """A word without punctuation, with its humps or its number as optional parts."""
    if not folded:
        return ()
    if len(folded) > MAX_TERM_CHARS:
        return (Unit((key(folded),), weight, role), Unit((key(folded[:MAX_TERM_CHARS]),), weight, Role.OPTIONAL))
    plural = (key(folded[:-1]),) if _ACRONYMS.fullmatch(word) else ()
    whole = Unit(plural + _forms(folded), weight, role)
    parts = [part for part in _inner_parts(word, folded) if len(part) > 1 and part not in STOP_WORDS]
    return (whole, *(Unit(_forms(part), weight * PART_WEIGHT, Role.OPTIONAL) for part in parts))


def _inner_parts(word: str, folded: str) -> list[str]:
    if _HAS_HUMP.search(word) and word.isascii() and not folded.startswith("0x"):
        humps = [hump.lower() for hump in _HUMPS.findall(word)]
        return humps if len(humps) <= 8 else []
    split = _LETTERS_AND_NUMBER.fullmatch(folded)
    return [part for part in split.groups() if part] if split else []


def _identifier_units(token: str, folded: str) -> tuple[Unit, ...]:
    """The whole as written, then the segments of a path or an address, then its words."""
    segments = [part for part in _SEGMENTS.split(_SCHEME.sub("", token))[:MAX_PARTS] if part]
    pieces = [piece for part in segments for piece in _WORDS.findall(part)][:MAX_PARTS]
    words = [piece for piece in pieces if _carries_meaning(fold(piece))]
    must_match = "@" in folded or any(char.isdigit() for char in folded) or any(len(piece) == 1 for piece in pieces)
    found = [Unit(_whole_forms(folded), 1.0, Role.REQUIRED if must_match or not words else Role.OPTIONAL)]
    inner = [part for part in map(fold, segments) if part != folded and not _WORDS.fullmatch(part)]
    found += (Unit(_whole_forms(part), PART_WEIGHT, Role.OPTIONAL) for part in inner)
    weight, role = (PART_WEIGHT, Role.OPTIONAL) if must_match else (1.0, Role.REQUIRED)
    for word in words:
        found += _word_units(word, fold(word), weight, role)
    return tuple(found)


def _whole_forms(folded: str) -> tuple[int, ...]:
    """An identifier as one term; a version with and without its `v`; of an overlong one also the beginning."""
    if version := _VERSION.fullmatch(folded):
        return (key(folded), key(version[1]))
    if len(folded) > MAX_TERM_CHARS:
        return (key(folded), key(folded[:MAX_TERM_CHARS]))
    if _HYPHENATED.fullmatch(folded):
        return _forms(folded.replace("-", "").replace("'", ""))
    return (key(folded),)


def _carries_meaning(folded: str) -> bool:
    return bool(folded) and folded not in STOP_WORDS and not (len(folded) == 1 and folded.isalpha())


def _is_contraction(folded: str) -> bool:
    head, apostrophe, tail = folded.partition("'")
    return bool(apostrophe) and tail in CONTRACTION_TAILS and (head in STOP_WORDS or head in CONTRACTION_HEADS)


def _forms(folded: str) -> tuple[int, ...]:
    """The stem of a word in ASCII letters and, where it differs, the word."""
    # A stemmer keeps the word it works on, so threads must not share one; making one costs a quarter of a microsecond.
    stem = EnglishStemmer().stemWord(folded) if folded.isascii() and folded.isalpha() else folded
    return (key(folded),) if stem == folded else (key(stem), key(folded))
