"""The pair classifier: what a newer memory is to an older one, by rules alone.

Pure, and silent in doubt: `UNRELATED` means that nothing was found, not that nothing is there. A false supersession
hides a memory that still holds; a missed one leaves two memories side by side, as they were.
"""

from dataclasses import dataclass

from threengram.core.consolidation.reading import Reading, language_name, lexicon_named, read
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.reading import MAX_READ_CHARS
from threengram.core.consolidation.reading.tokens import VALUES, Clause
from threengram.core.consolidation.relation import Judgement, Relation, Silence, Statement
from threengram.core.consolidation.rules.agents import without_agent
from threengram.core.consolidation.rules.difference import Difference, difference
from threengram.core.consolidation.rules.identity import in_same_order, is_same
from threengram.core.consolidation.rules.lookalikes import (
    are_two_persons,
    other_subject,
    qualified_differently,
    same_topic,
    speaks_of_others,
)
from threengram.core.consolidation.rules.replacement import Found, is_held_by_another, replacement
from threengram.core.consolidation.rules.revision import announces_revision
from threengram.schema.enums import MemoryType, ProposalRule

MAX_CLAUSES = 12
"""A text of more sentences is no single statement; it is not compared."""


def classify(older: Statement, newer: Statement) -> Judgement:
    """What `newer` is to `older`, which was recorded before it."""
    if max(len(older.content), len(newer.content)) > MAX_READ_CHARS:
        return _nothing(Silence.NOTHING_FOUND)
    if older.project != newer.project:
        return _nothing(Silence.OTHER_PROJECT)
    language = language_name(older.topic, older.content, newer.topic, newer.content)
    before = read(older.topic, older.content, language)
    after = read(newer.topic, newer.content, language)
    judged = _nothing(Silence.OTHER_TOPIC)
    if same_topic(before, after):
        judged = _compared(before, after, newer.memory_type, lexicon_named(language))
    if judged.relation in (Relation.ADDITIVE, Relation.UNRELATED) and announces_revision(before, after):
        judged = Judgement(Relation.NEWER_VALUE, ProposalRule.REVISED, 0.65)
    if judged.relation in (Relation.IDENTICAL, Relation.NEWER_VALUE):
        if MemoryType.EVENT in (older.memory_type, newer.memory_type):
            return _nothing(Silence.HAPPENING)
        if older.memory_type is not newer.memory_type:
            return _nothing(Silence.OTHER_TYPE)
    return judged


@dataclass(frozen=True, slots=True)
class _Pairing:
    """Clauses of both texts that belong together, and those that stand alone."""

    pairs: list[Difference]
    only_older: list[Clause]
    only_newer: list[Clause]


def _compared(older: Reading, newer: Reading, memory_type: MemoryType, lexicon: Lexicon) -> Judgement:
    if not older.clauses or not newer.clauses or max(len(older.clauses), len(newer.clauses)) > MAX_CLAUSES:
        return _nothing(Silence.NOTHING_FOUND)
    pairing = _paired(older, newer, lexicon)
    if are_two_persons(older, newer):
        return _nothing(Silence.OTHER_SUBJECT)
    if any(speaks_of_others(pair, lexicon) for pair in pairing.pairs):
        return _nothing(Silence.OTHER_SUBJECT)
    if any(pair.is_of_two_moods for pair in pairing.pairs):
        return _nothing(Silence.OTHER_MOOD)
    differing = [pair for pair in pairing.pairs if not is_same(pair)]
    if not differing and not pairing.only_older and not pairing.only_newer:
        if any(token.is_happening for clause in older.clauses for token in clause):
            return _nothing(Silence.HAPPENING)
        ordered = all(in_same_order(pair) for pair in pairing.pairs)
        return Judgement(
            Relation.IDENTICAL,
            *((ProposalRule.SAME_WORDS, 0.99) if ordered else (ProposalRule.SAME_IN_OTHER_ORDER, 0.9)),
        )
    if any(other_subject(pair, older, newer) and not is_held_by_another(pair) for pair in differing):
        return _nothing(Silence.OTHER_SUBJECT)
    found = [
        None if _is_happening(pair) else replacement(pair, older, newer, memory_type, lexicon) for pair in differing
    ]
    return _judged(pairing, differing, found, older, newer, memory_type)


def _is_happening(pair: Difference) -> bool:
    """Whether the older clause tells what happened once; it can happen again, and that corrects nothing."""
    return any(token.is_happening for token in pair.older) and not pair.says_so


def _judged(
    pairing: _Pairing,
    differing: list[Difference],
    found: list[Found | None],
    older: Reading,
    newer: Reading,
    memory_type: MemoryType,
) -> Judgement:
    replaced = [one for one in found if one is not None]
    others = [pair for pair, one in zip(differing, found, strict=True) if one is None]
    if replaced and not pairing.only_older and not others:
        rule, confidence = min(replaced, key=lambda one: one[1])
        return Judgement(Relation.NEWER_VALUE, rule, confidence)
    only_more = all(pair.added and not pair.removed for pair in others)
    if not replaced and not pairing.only_older and only_more:
        return Judgement(Relation.ADDITIVE, ProposalRule.MORE_SAID, 0.8)
    if not replaced and memory_type is not MemoryType.COMMITMENT and _same_subject(others, older, newer):
        return Judgement(Relation.ADDITIVE, ProposalRule.SAME_SUBJECT, 0.5)
    return _nothing(Silence.NOTHING_FOUND)


def _same_subject(others: list[Difference], older: Reading, newer: Reading) -> bool:
    """Whether different things are said of the same subject, none of which could be the other's value."""
    if not others or _topic(older) != _topic(newer):
        return False
    for pair in others:
        measured = {one.token.slot for one in pair.removed if one.token.kind in VALUES}
        if measured & {one.token.slot for one in pair.added} or not (pair.shared and pair.removed and pair.added):
            return False
        if pair.older_negations != pair.newer_negations or qualified_differently(pair):
            return False
    return True


def _topic(reading: Reading) -> list[str]:
    return sorted(token.key for token in reading.topic if token.is_content)


def _paired(older: Reading, newer: Reading, lexicon: Lexicon) -> _Pairing:
    """Each older clause with the newer one that shares most with it; literally equal ones first."""
    left = [without_agent(clause, older, lexicon) for clause in newer.clauses]
    pairs: list[Difference] = []
    alone: list[Clause] = []
    for wanted in (1.0, 0.0):
        for clause in older.clauses if wanted else tuple(alone):
            candidates = [difference(clause, other, lexicon) for other in left]
            best = max(candidates, key=lambda found: (_closeness(found), _begin_alike(found)), default=None)
            if best is not None and _closeness(best) >= (wanted or _MIN_CLOSENESS):
                pairs.append(best)
                left.pop(candidates.index(best))
                if not wanted:
                    alone.remove(clause)
            elif wanted:
                alone.append(clause)
    return _Pairing(pairs, alone, left)


_MIN_CLOSENESS = 0.01


def _begin_alike(found: Difference) -> bool:
    """Whether both say something of one thing, which tells equally close clauses apart."""
    first = [next((token.key for token in clause if token.is_content), None) for clause in (found.older, found.newer)]
    return first[0] == first[1]


def _closeness(found: Difference) -> float:
    return len(found.shared) / max(1, len(found.shared) + max(len(found.removed), len(found.added)))


def _nothing(rule: Silence) -> Judgement:
    return Judgement(Relation.UNRELATED, rule, 0.0)
