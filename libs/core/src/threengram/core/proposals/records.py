"""Pure: rows as proposals on the wire."""

from threengram.core.db.statement import Row, Step
from threengram.core.memories.excerpt import excerpt
from threengram.core.proposals import queries
from threengram.core.proposals.edge_policy import allowed_edges
from threengram.schema.bounds import MAX_PROPOSAL_TOPIC_CHARS
from threengram.schema.enums import EdgeType, MemoryType, ProposalStatus, RejectionReason
from threengram.schema.proposals import EdgeProposal, FactProposal


def reading_edge(proposal_id: object) -> Step:
    """The step that reads one edge proposal for `edge_proposal`."""
    return Step(queries.EDGE_PROPOSAL, {"proposal_id": proposal_id, "topic_chars": MAX_PROPOSAL_TOPIC_CHARS})


def reading_fact(proposal_id: object) -> Step:
    """The step that reads one fact proposal for `fact_proposal`."""
    return Step(queries.FACT_PROPOSAL, {"proposal_id": proposal_id, "topic_chars": MAX_PROPOSAL_TOPIC_CHARS})


def edge_proposal(row: Row) -> EdgeProposal:
    """One proposed edge with both topics and what it may be accepted as."""
    return EdgeProposal(
        id=row["id"],
        from_id=row["from_id"],
        to_id=row["to_id"],
        from_topic=_bounded(row["from_topic"]),
        to_topic=_bounded(row["to_topic"]),
        edge_type=EdgeType(row["edge_type"]),
        allowed_edge_types=allowed_edges(MemoryType(row["from_type"]), MemoryType(row["to_type"])),
        memory_type=MemoryType(row["memory_type"]),
        similarity=row["similarity"],
        rationale=row["rationale"],
        status=ProposalStatus(row["status"]),
        reason=_reason(row),
        decided_at=row["decided_at"],
        created_at=row["created_at"],
    )


def fact_proposal(row: Row) -> FactProposal:
    """One proposed fact with the topic of its memory."""
    return FactProposal(
        id=row["id"],
        memory_id=row["memory_id"],
        topic=_bounded(row["topic"]),
        subject=row["subject"],
        predicate=row["predicate"],
        value=row["value"],
        memory_type=MemoryType(row["memory_type"]),
        confidence=row["confidence"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        rationale=row["rationale"],
        status=ProposalStatus(row["status"]),
        reason=_reason(row),
        fact_id=row["fact_id"],
        decided_at=row["decided_at"],
        created_at=row["created_at"],
    )


def _bounded(topic: str) -> str:
    return excerpt(topic, len(topic), MAX_PROPOSAL_TOPIC_CHARS).text


def _reason(row: Row) -> RejectionReason | None:
    return None if row["reason"] is None else RejectionReason(row["reason"])
