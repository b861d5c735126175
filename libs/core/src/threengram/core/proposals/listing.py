"""One page of proposals of both kinds, newest first, each kind by a keyset of its own."""

from datetime import UTC, datetime
from uuid import UUID

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter, ProposalsAfter, fingerprint
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.memories.excerpt import wire_bytes
from threengram.core.proposals import queries
from threengram.core.proposals.records import edge_proposal, fact_proposal
from threengram.schema.bounds import MAX_PROPOSAL_TOPIC_CHARS, MAX_PROPOSALS_TOTAL_BYTES
from threengram.schema.proposals import ListProposals, ProposalsListed

FRAME_BYTES = 1_800
"""What one proposal costs on the wire without its texts, twice: ids, instants, enums, names of fields."""

_START = ListedAfter(datetime(9999, 12, 31, tzinfo=UTC), UUID(int=2**128 - 1))


async def list_proposals(call: Call, tx: TenantTransaction, request: ListProposals) -> ProposalsListed:
    """The page; before it is read, open proposals that have become pointless retire.

    Ends early rather than exceed the bytes of an answer, with at least one of each kind that has any.
    """
    asked = fingerprint({"verb": "review_proposals", "status": request.status})
    resumed = call.core.cursors.resume(ProposalsAfter, call.principal.tenant_id, asked, request.cursor)
    after = resumed or ProposalsAfter(_START, _START)
    retiring = {"now": call.now, "proposal_id": None}
    stale_edges, stale_facts, edges, facts = await tx.run(
        [
            Step(queries.RETIRE_EDGES, retiring),
            Step(queries.RETIRE_FACTS, retiring),
            Step(queries.EDGE_PAGE, _parameters(request, after.edge)),
            Step(queries.FACT_PAGE, _parameters(request, after.fact)),
        ],
        commit=True,
    )
    observer = call.core.database.observer
    observer.count("proposal", len(stale_edges), kind="edge", outcome="retired")
    observer.count("proposal", len(stale_facts), kind="fact", outcome="retired")
    shown_edges, shown_facts = _bounded(edges, request.limit), _bounded(facts, request.limit)
    has_more = len(shown_edges) < len(edges) or len(shown_facts) < len(facts)
    cursor = None
    if has_more:
        rest = ProposalsAfter(_last(shown_edges, after.edge), _last(shown_facts, after.fact))
        cursor = call.core.cursors.seal(call.principal.tenant_id, asked, rest)
    return ProposalsListed(
        action="list",
        proposals=[edge_proposal(row) for row in shown_edges],
        count=len(shown_edges),
        fact_proposals=[fact_proposal(row) for row in shown_facts] or None,
        has_more=has_more,
        next_cursor=cursor,
    )


def _parameters(request: ListProposals, after: ListedAfter) -> dict[str, object]:
    return {
        "status": request.status,
        "topic_chars": MAX_PROPOSAL_TOPIC_CHARS,
        "after_created_at": after.recorded_at,
        "after_id": after.memory_id,
        "fetch": request.limit + 1,
    }


def _last(rows: list[Row], before: ListedAfter) -> ListedAfter:
    return ListedAfter(rows[-1]["created_at"], rows[-1]["id"]) if rows else before


def _bounded(rows: list[Row], limit: int) -> list[Row]:
    """As many of the rows as fit into half of an answer, at least one."""
    room = MAX_PROPOSALS_TOTAL_BYTES // 2
    for position, row in enumerate(rows[:limit]):
        room -= FRAME_BYTES + sum(wire_bytes(value) for value in row.values() if isinstance(value, str))
        if room < 0:
            return rows[: max(1, position)]
    return rows[:limit]
