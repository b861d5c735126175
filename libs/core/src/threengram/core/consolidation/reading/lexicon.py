"""What is known about the words of one language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import snowballstemmer

from threengram.core.consolidation.reading.tokens import Role
from threengram.core.lexical.folding import fold


@dataclass(frozen=True)
class Lexicon:
    """Words by what they do; all keys are folded (lower case, no accents), a phrase holds its blanks.

    `contrasts` are words by which things of one sort are told apart (left and right, staging and production): what
    they qualify is never the same thing. `classes` are groups of values of which one excludes the others, `multivalued`
    words many values may go with at once, `happenings` words that tell of something that took place once. `persons`
    are the groups of words for those who speak, are spoken to or are spoken of. `past` are the copulas that tell how
    something was, `having` those behind which stands what the subject has, `beginnings` verbs that say when something
    begins or ends. `labels` are nouns with a number behind them, `nominal_endings` make a noun of a verb (a manager is
    not what manages). `surnames` are the letters a full name begins with where there are no capitals, `letters` what
    hardly any text in another of the languages holds, `endings` particles at the end of words, `subject_endings` those
    that end what is talked about. Where there are `companions`, a word for "no longer" means that only behind one of
    them (French "ne ... plus"). With `retracts_before`, a word for "instead of" follows what it takes back.
    """

    name: str
    roles: Mapping[str, Role] = field(default_factory=dict)
    pivots: frozenset[str] = frozenset()
    persons: Mapping[str, int] = field(default_factory=dict)
    past: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    having: frozenset[str] = frozenset()
    nominal_endings: tuple[str, ...] = ()
    multivalued: frozenset[str] = frozenset()
    happenings: frozenset[str] = frozenset()
    contrasts: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    classes: Mapping[str, int] = field(default_factory=dict)
    months: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    stemmer: str | None = None
    has_decimal_comma: bool = False
    capitalises_nouns: bool = False
    is_spaced: bool = True
    endings: tuple[str, ...] = ()
    subject_endings: tuple[str, ...] = ()
    companions: frozenset[str] = frozenset()
    retracts_before: bool = False
    letters: Sequence[str] = ""
    surnames: frozenset[str] = frozenset()

    def stem(self, folded: str) -> str:
        """The form that inflections of a word share; the word itself where no stemmer is at hand."""
        return folded if self.stemmer is None else _stem(self.stemmer, folded)

    def without_ending(self, folded: str) -> str:
        """A word without its particle, in a language that writes particles at the end of words."""
        for ending in self.endings:
            if len(folded) > len(ending) and folded.endswith(ending):
                return folded[: -len(ending)]
        return folded


@lru_cache(maxsize=16_384)
def _stem(language: str, folded: str) -> str:
    # A stemmer keeps the word it works on, so threads must not share one.
    return str(snowballstemmer.stemmer(language).stemWord(folded))


def words(text: str) -> frozenset[str]:
    """A word list written as text; `|` separates phrases where a phrase may hold blanks."""
    parts = text.split("|") if "|" in text else text.split()
    return frozenset(fold(" ".join(part.split())) for part in parts if part.strip())


def stems(stemmer: str | None, text: str) -> frozenset[str]:
    """A word list as stems."""
    listed = words(text)
    return listed if stemmer is None else frozenset(_stem(stemmer, word) for word in listed)


def roles(**by_role: str) -> dict[str, Role]:
    """Roles of words, from one word list for each role; of a word listed twice the later role counts."""
    return {word: Role(name) for name, listed in by_role.items() for word in words(listed)}


def numbered(text: str, *, start: int = 1) -> dict[str, int]:
    """Names in their order, as numbers from `start`; alternatives are joined by `/`."""
    return {fold(name): number for number, names in enumerate(text.split(), start) for name in names.split("/") if name}


def quantified(text: str) -> dict[str, float]:
    """Words for numbers: `two=2 half=0.5`; `_` stands for a blank within a phrase."""
    pairs = (pair.split("=") for pair in text.split())
    return {fold(name.replace("_", " ")): float(value) for name, value in pairs}


def classes(stemmer: str | None, *groups: str) -> dict[str, int]:
    """Words that exclude each other within their group: the number of the group by the stem of a word."""
    return {stem: number for number, group in enumerate(groups) for stem in stems(stemmer, group)}
