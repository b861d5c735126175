"""What tells two statements apart although they resemble each other: another person, place, project, environment."""

from itertools import pairwise

from threengram.core.consolidation.reading import Reading, lexicon_named
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token
from threengram.core.consolidation.rules.difference import Difference, Placed
from threengram.core.consolidation.rules.positions import is_value, leads
from threengram.core.lexical.folding import fold

_NAMING = frozenset({Kind.NAME, Kind.CONTRAST}) | VALUES


def same_topic(older: Reading, newer: Reading) -> bool:
    """Whether the topics can be about one thing: what either names, the other memory knows too."""
    return (
        _is_known(older.topic, newer)
        and _is_known(newer.topic, older)
        and (_keys(older.topic) <= newer.keys or _keys(newer.topic) <= older.keys)
    )


def are_two_persons(older: Reading, newer: Reading) -> bool:
    """Whether names are told apart by their titles (`Mr Kern`, `Mrs Kern`), or only by what a stemmer cuts off
    (`Giulia`, `Giulio`).
    """
    before, after = _titles(older), _titles(newer)
    if any(not _agree(before[key], after[key]) for key in before.keys() & after.keys()):
        return True
    if lexicon_named(older.language).capitalises_nouns:
        return False
    before, after = _spellings(older), _spellings(newer)
    return any(before[key].isdisjoint(after[key]) for key in before.keys() & after.keys())


def speaks_of_others(found: Difference, lexicon: Lexicon) -> bool:
    """Whether the pronouns of the two clauses stand for others: `my shoe size`, `his shoe size`."""
    before, after = (
        {lexicon.persons[token.key] for token in clause if token.key in lexicon.persons}
        for clause in (found.older, found.newer)
    )
    return bool(before) and bool(after) and before.isdisjoint(after)


def _titles(reading: Reading) -> dict[str, set[str]]:
    """The titles in front of each word that has one."""
    found: dict[str, set[str]] = {}
    for clause in (reading.topic, *reading.clauses):
        for title, name in pairwise(clause):
            if title.role is Role.TITLE and name.is_content:
                found.setdefault(name.key, set()).add(title.key)
    return found


def _agree(titles: set[str], others: set[str]) -> bool:
    """Whether two of them are one title, perhaps inflected: `Herr` and `Herrn`."""
    return not {one.removesuffix("n") for one in titles}.isdisjoint(other.removesuffix("n") for other in others)


def _spellings(reading: Reading) -> dict[str, set[str]]:
    """How words with a capital are written, by their stem."""
    found: dict[str, set[str]] = {}
    for clause in (reading.topic, *reading.clauses):
        for token in clause:
            if token.kind in (Kind.WORD, Kind.NAME) and token.text[:1].isupper():
                found.setdefault(token.key, set()).add(fold(token.text))
    return found


def other_subject(found: Difference, older: Reading, newer: Reading) -> bool:
    """Whether a word by which things are told apart, or the first thing said, differs."""
    for placed, reading in [*((one, newer) for one in found.removed), *((one, older) for one in found.added)]:
        if placed.token.kind is Kind.CONTRAST and placed.token.key not in reading.keys:
            return True
    first = _leading(found.removed, found.older), _leading(found.added, found.newer)
    return None not in first or _subjects_differ(found, older, newer)


def _subjects_differ(found: Difference, older: Reading, newer: Reading) -> bool:
    """Whether either subject has a word that the other memory doesn't know: `Borealis uses pnpm instead of npm` for
    `We use npm`, `the metrics endpoint of the gateway` for `the gateway`.
    """
    before, after = _subject(found.older), _subject(found.newer)
    if before is None or after is None:
        return False
    unknown = (
        any(token.key not in newer.keys for token in before),
        any(token.key not in older.keys for token in after),
    )
    return any(unknown)


def _subject(clause: Clause) -> list[Token] | None:
    """What stands before the first word that is known as a verb or says of a change; None without one.

    Of a sentence that ends with such a word (`Die Frist wurde auf 9 Tage verlängert`) it is what a preposition ends.
    """
    end = next((place for place, token in enumerate(clause) if _is_verb(token, is_first=not place)), None)
    if end is None:
        return None
    if end == len(clause) - 1 and clause[end].role is Role.CHANGE:
        end = next((place for place, token in enumerate(clause) if token.role is Role.PREPOSITION), end)
    return [token for token in clause[:end] if token.is_content]


def _is_verb(token: Token, *, is_first: bool) -> bool:
    return token.is_pivot or (token.key == ":" and not is_first) or (token.role is Role.CHANGE and not is_first)


def qualified_differently(found: Difference) -> bool:
    """Whether names stand on both sides where they only say which one is meant: `of Anna`, `in Berlin` with a value."""
    before = [one for one in found.removed if one.token.kind is Kind.NAME]
    after = [one for one in found.added if one.token.kind is Kind.NAME]
    if not before or not after:
        return False
    fixed = any(token.kind in VALUES for token in found.shared)
    return fixed or not (is_value(before[0], found.older) and is_value(after[0], found.newer))


def names_differ(found: Difference, older: Reading, newer: Reading) -> bool:
    """Whether either clause names something that the other memory doesn't know."""
    return any(one.token.kind is Kind.NAME and one.token.key not in newer.keys for one in found.removed) or any(
        one.token.kind is Kind.NAME and one.token.key not in older.keys for one in found.added
    )


def _leading(placed: tuple[Placed, ...], clause: Clause) -> Token | None:
    return next((one.token for one in placed if leads(one, clause)), None)


def _is_known(topic: Clause, reading: Reading) -> bool:
    return all(token.key in reading.keys for token in topic if token.kind in _NAMING)


def _keys(clause: Clause) -> frozenset[str]:
    return frozenset(token.key for token in clause if token.is_content)
