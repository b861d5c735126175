"""Pure: what the rules make of labelled pairs.

What counts is the edge that would be proposed: `supersedes` is right for a pair labelled identical or newer value whose
types admit that edge, and wrong for every other pair.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from threengram.core.consolidation.candidates import Pair, edges
from threengram.core.consolidation.classify import classify
from threengram.core.consolidation.relation import Relation
from threengram.core.ids import new_id
from threengram.core.proposals.edge_policy import allowed_edges
from threengram.evals.pairs.labelled import LabelledPair
from threengram.schema.enums import EdgeType

SUPERSEDED = frozenset({Relation.IDENTICAL, Relation.NEWER_VALUE})


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair with what was proposed for it, if anything."""

    pair: LabelledPair
    relation: Relation
    edge: EdgeType | None

    @property
    def wants_supersedes(self) -> bool:
        """Whether a careful person would let the newer one take over."""
        admits = EdgeType.SUPERSEDES in allowed_edges(self.pair.type, self.pair.type)
        return admits and self.pair.relation in SUPERSEDED

    @property
    def has_supersedes(self) -> bool:
        """Whether that is what was proposed."""
        return self.edge is EdgeType.SUPERSEDES


@dataclass(frozen=True, slots=True)
class Share:
    """How often something was right, of how many times."""

    right: int
    count: int

    @property
    def value(self) -> float:
        """The share, 1 where there was nothing to get wrong."""
        return self.right / self.count if self.count else 1.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.right}/{self.count})"


def judge(pairs: Iterable[LabelledPair]) -> list[Judged]:
    """Each pair as consolidation would handle it."""
    return [_judged(pair) for pair in pairs]


def precision(judged: Sequence[Judged]) -> Share:
    """Of the supersessions that were proposed, those that are right."""
    proposed = [one for one in judged if one.has_supersedes]
    return Share(sum(one.wants_supersedes for one in proposed), len(proposed))


def recall(judged: Sequence[Judged]) -> Share:
    """Of the supersessions that are right, those that were proposed."""
    wanted = [one for one in judged if one.wants_supersedes]
    return Share(sum(one.has_supersedes for one in wanted), len(wanted))


def false(judged: Iterable[Judged]) -> list[Judged]:
    """Supersessions that were proposed and should not have been."""
    return [one for one in judged if one.has_supersedes and not one.wants_supersedes]


def grouped(judged: Iterable[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    """By a property of the pair, in the order of its names."""
    found: dict[str, list[Judged]] = {}
    for one in judged:
        found.setdefault(key(one), []).append(one)
    return dict(sorted(found.items()))


def confusion(judged: Iterable[Judged]) -> Counter[tuple[Relation, Relation]]:
    """How often a label met a relation."""
    return Counter((one.pair.relation, one.relation) for one in judged)


def _judged(labelled: LabelledPair) -> Judged:
    older, newer = labelled.statements
    judgement = classify(older, newer)
    pair = Pair(new_id(), new_id(), 2, newer, older, 1.0)
    proposed = edges([(pair, judgement)])
    return Judged(labelled, judgement.relation, proposed[0].edge_type if proposed else None)
