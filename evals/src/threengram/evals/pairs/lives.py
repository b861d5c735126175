"""The rules on prose that nobody wrote for them: every pair of memories within each life of the golden set.

Its memories are stories with a label for what replaces what. Rules are not expected to see much of that; they are
expected to stay silent about the rest.
"""

from dataclasses import dataclass
from itertools import combinations

from threengram.core.consolidation.classify import classify
from threengram.core.consolidation.relation import Relation, Statement
from threengram.evals.pairs.measure import SUPERSEDED
from threengram.evals.retrieval import golden
from threengram.evals.retrieval.stories import WrittenMemory


@dataclass(frozen=True, slots=True)
class Prose:
    """Pairs looked at, replacements among them by label, supersessions found: right and wrong ones; additions."""

    pairs: int
    labelled: int
    right: int
    wrong: int
    additions: int


def judged_lives() -> Prose:
    """All lives together."""
    pairs = labelled = right = wrong = additions = 0
    for life in golden.load(golden.GOLDEN):
        for older, newer in combinations(life.memories, 2):
            if older.scope != newer.scope:
                continue
            relation = classify(_statement(older), _statement(newer)).relation
            replaces = older.id in newer.replaces
            pairs += 1
            labelled += replaces
            right += relation in SUPERSEDED and replaces
            wrong += relation in SUPERSEDED and not replaces
            additions += relation is Relation.ADDITIVE
    return Prose(pairs, labelled, right, wrong, additions)


def _statement(memory: WrittenMemory) -> Statement:
    return Statement(memory.type, memory.topic, memory.content, memory.project)
