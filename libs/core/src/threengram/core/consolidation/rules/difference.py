"""What two clauses share and what each says alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import Clause, Kind, Role, Token

_NEGATIONS = frozenset({Role.NEGATOR, Role.NO_LONGER})


@dataclass(frozen=True, slots=True)
class Placed:
    """A token and where it stands in its clause."""

    position: int
    token: Token


@dataclass(frozen=True, slots=True)
class Difference:
    """Content of an older and a newer clause, compared as bags; the clauses themselves keep the order."""

    older: Clause
    newer: Clause
    removed: tuple[Placed, ...]
    added: tuple[Placed, ...]
    shared: tuple[Token, ...]

    @property
    def share(self) -> float:
        """The part of the shorter clause that both have, from 0 to 1."""
        smaller = min(len(self.removed), len(self.added)) + len(self.shared)
        return len(self.shared) / smaller if smaller else 0.0

    @property
    def older_negations(self) -> int:
        """How many words of the older clause negate."""
        return negations(self.older)

    @property
    def newer_negations(self) -> int:
        """How many words of the newer clause negate."""
        return negations(self.newer)

    @property
    def is_of_two_moods(self) -> bool:
        """Whether one of the clauses only asks, plans, guesses, sets a condition or tells of the past.

        What might be, was or should be takes the place of nothing that is, and what is leaves it as it was.
        """
        before, after = (
            Counter(token.key for token in clause if token.role is Role.HEDGE) for clause in (self.older, self.newer)
        )
        if before != after:
            return True
        return is_past(self.older) is not is_past(self.newer)

    @property
    def says_so(self) -> bool:
        """Whether the newer clause itself says that something has changed."""
        return _says_so(self.newer)


def difference(older: Clause, newer: Clause, lexicon: Lexicon) -> Difference:
    """The two clauses side by side. Without blanks between words, a chunk is cut where the other clause ends one."""
    if not lexicon.is_spaced:
        older, newer = _cut(older, newer), _cut(newer, older)
    left = Counter(token.key for token in newer if token.is_content)
    removed, shared = [], []
    for position, token in enumerate(older):
        if token.is_content and left[token.key] > 0:
            left[token.key] -= 1
            shared.append(token)
        elif token.is_content:
            removed.append(Placed(position, token))
    added = []
    for position, token in reversed(list(enumerate(newer))):
        if token.is_content and left[token.key] > 0:
            left[token.key] -= 1
            added.append(Placed(position, token))
    return Difference(older, newer, tuple(removed), tuple(reversed(added)), tuple(shared))


def is_past(clause: Clause) -> bool:
    """Whether it tells how something was; `was raised to 30 s` tells how it is."""
    return any(token.is_past for token in clause) and not _says_so(clause)


def _says_so(clause: Clause) -> bool:
    return any(token.role in (Role.CHANGE, Role.RETRACTOR, Role.NO_LONGER) for token in clause)


def negations(clause: Clause) -> int:
    """How many of its words negate."""
    return sum(token.role in _NEGATIONS for token in clause)


def by_slot(placed: Sequence[Placed]) -> dict[str, list[Placed]]:
    """Grouped by what they measure; names and words are slots of their own."""
    found: dict[str, list[Placed]] = {}
    for one in placed:
        found.setdefault(one.token.slot, []).append(one)
    return found


def _cut(clause: Clause, other: Clause) -> Clause:
    """The clause with each chunk divided where a chunk of the other clause begins or ends it."""
    ends = {token.key for token in other if token.kind is Kind.WORD}
    found: list[Token] = []
    for token in clause:
        found += _divided(token, ends) if token.kind is Kind.WORD and token.key not in ends else [token]
    return tuple(found)


def _divided(token: Token, ends: set[str]) -> list[Token]:
    for end in sorted(ends, key=len, reverse=True):
        if token.key.startswith(end):
            return [_part(token, end), _part(token, token.key[len(end) :])]
        if token.key.endswith(end):
            return [_part(token, token.key[: -len(end)]), _part(token, end)]
    return [token]


def _part(token: Token, key: str) -> Token:
    return Token(key, key, token.kind, slot=token.slot, is_multivalued=token.is_multivalued)
