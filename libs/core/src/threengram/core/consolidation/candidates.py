"""Pure: from rows to pairs, and from judged pairs to the proposals that are worth a person's time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from threengram.core.consolidation.classify import classify
from threengram.core.consolidation.relation import Judgement, Relation, Statement
from threengram.core.db.statement import Row
from threengram.core.proposals.edge_policy import allowed_edges
from threengram.schema.enums import CLOSING_EDGES, EdgeType, MemoryType, ProposalRule

_SAID = {
    ProposalRule.SAME_WORDS: "the same statement",
    ProposalRule.SAME_IN_OTHER_ORDER: "the same statement in another order",
    ProposalRule.RETRACTED: "the newer one takes the older one back",
    ProposalRule.NEGATED: "one negates the other",
    ProposalRule.VALUE: "one value differs",
    ProposalRule.INSTANT: "a time or day differs",
    ProposalRule.NAME: "one name differs",
    ProposalRule.WORDS: "one word differs",
    ProposalRule.REVISED: "the newer topic says it is a revision",
    ProposalRule.MORE_SAID: "the newer one says more",
    ProposalRule.SAME_SUBJECT: "the same subject",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two live memories of one scope and project, the one recorded later as `newer`."""

    newer_id: UUID
    older_id: UUID
    newer_no: int
    newer: Statement
    older: Statement
    similarity: float


@dataclass(frozen=True, slots=True)
class EdgeCandidate:
    """An edge to propose."""

    pair: Pair
    edge_type: EdgeType
    rule: ProposalRule
    confidence: float

    @property
    def rationale(self) -> str:
        """Why, in words that hold nothing of either text."""
        return f"{_SAID[self.rule]}; cosine {self.pair.similarity:.3f}"


def pairs_of(subjects: Sequence[Row], neighbours: Iterable[Row]) -> list[Pair]:
    """Each pair once, whichever of the two was the subject."""
    by_id = {row["id"]: row for row in subjects}
    found: dict[frozenset[UUID], Pair] = {}
    for row in neighbours:
        subject = by_id[row["subject_id"]]
        newer, older = (subject, row) if subject["memory_no"] > row["memory_no"] else (row, subject)
        pair = Pair(
            newer["id"], older["id"], newer["memory_no"], _statement(newer), _statement(older), row["similarity"]
        )
        found.setdefault(frozenset((newer["id"], older["id"])), pair)
    return list(found.values())


def judged(pairs: Iterable[Pair]) -> list[tuple[Pair, Judgement]]:
    """What the rules say of each pair; computes, and takes about a tenth of a millisecond for one."""
    return [(pair, classify(pair.older, pair.newer)) for pair in pairs]


def edges(found: Iterable[tuple[Pair, Judgement]]) -> list[EdgeCandidate]:
    """The edges to propose, surest first. Of several memories that would close one, only the newest is proposed."""
    candidates = [edge for pair, judgement in found if (edge := _edge(pair, judgement)) is not None]
    newest: dict[UUID, int] = {}
    for edge in candidates:
        if edge.edge_type in CLOSING_EDGES:
            older_id = edge.pair.older_id
            newest[older_id] = max(newest.get(older_id, 0), edge.pair.newer_no)
    kept = [
        edge
        for edge in candidates
        if edge.edge_type not in CLOSING_EDGES or edge.pair.newer_no == newest[edge.pair.older_id]
    ]
    return sorted(kept, key=lambda edge: (-edge.confidence, -edge.pair.similarity, edge.pair.newer_no))


def _edge(pair: Pair, judgement: Judgement) -> EdgeCandidate | None:
    """The edge for a relation, where the two types admit it."""
    if not isinstance(judgement.rule, ProposalRule):
        return None
    wanted = EdgeType.EXTENDS if judgement.relation is Relation.ADDITIVE else EdgeType.SUPERSEDES
    if wanted not in allowed_edges(pair.newer.memory_type, pair.older.memory_type):
        return None
    return EdgeCandidate(pair, wanted, judgement.rule, judgement.confidence)


def _statement(row: Row) -> Statement:
    return Statement(MemoryType(row["memory_type"]), row["topic"], row["content"], row["project"])
