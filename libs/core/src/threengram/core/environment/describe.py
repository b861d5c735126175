"""`describe_environment`: capabilities, scopes, statistics, policy. No URL, key or setting is ever part of it."""

from collections import Counter
from collections.abc import Sequence

from threengram.core.call import Call
from threengram.core.db.statement import Row, Step
from threengram.core.environment import queries
from threengram.core.identity.admission import Admission
from threengram.core.scopes.queries import REGISTERED
from threengram.schema import bounds
from threengram.schema.enums import CommitmentStatus, EmbeddedState, MemoryStatus, MemoryType
from threengram.schema.environment import (
    Capabilities,
    DescribeEnvironmentOutput,
    EmbeddingStatus,
    Limits,
    MemoryStats,
    RetrievalScopePolicy,
    ScopeRecord,
)


async def describe_environment(call: Call, *, tools: Sequence[str], version: str) -> DescribeEnvironmentOutput:
    """What this server offers the caller; `tools` and `version` are the transport's own."""
    admission, tx = await call.admitted()
    memories, commitments, facts, scopes, pending = await tx.run(
        [
            Step(queries.MEMORY_COUNTS),
            Step(queries.COMMITMENT_COUNTS),
            Step(queries.OPEN_FACTS, {"now": call.now}),
            Step(REGISTERED),
            Step(queries.PENDING_EMBEDDINGS),
        ],
        commit=True,
    )
    return DescribeEnvironmentOutput(
        capabilities=Capabilities(tools=list(tools), tool_count=len(tools), version=version),
        scopes=[ScopeRecord(**row) for row in scopes],
        stats=_stats(memories, commitments, facts[0]["count"]),
        retrieval_scope_policy=RetrievalScopePolicy(mode=admission.policy_mode, scope=admission.policy_scope),
        embeddings=_embeddings(call, admission, pending[0]["count"]),
        limits=Limits(
            max_content_chars=bounds.MAX_CONTENT_CHARS,
            max_facts_per_write=bounds.MAX_FACTS_PER_WRITE,
            max_search_limit=bounds.MAX_SEARCH_LIMIT,
            max_get_ids=bounds.MAX_GET_IDS,
            max_get_total_chars=bounds.MAX_GET_TOTAL_CHARS,
        ),
    )


def _stats(memories: list[Row], commitments: list[Row], open_facts: int) -> MemoryStats:
    by_type: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for row in memories:
        totals[_standing(row)] += row["count"]
        if _standing(row) == "active":
            by_type[row["memory_type"]] += row["count"]
    by_status = {row["status"]: row["count"] for row in commitments}
    return MemoryStats(
        memories_by_type={kind.value: by_type[kind] for kind in MemoryType},
        active_memories=totals["active"],
        superseded_memories=totals["superseded"],
        resolved_blockers=totals["resolved"],
        archived_memories=totals["archived"],
        commitments_by_status={status.value: by_status.get(status, 0) for status in CommitmentStatus},
        open_facts=open_facts,
    )


def _standing(row: Row) -> str:
    if row["is_resolved"]:
        return "resolved"
    if row["status"] == MemoryStatus.ARCHIVED:
        return "archived"
    return "active" if row["is_open"] else "superseded"


def _embeddings(call: Call, admission: Admission, pending: int) -> EmbeddingStatus:
    if call.core.embedder is None or admission.model is None:
        return EmbeddingStatus(state=EmbeddedState.OFF, model=None, dimensions=None, pending=pending)
    state = EmbeddedState.PENDING if pending else EmbeddedState.DONE
    return EmbeddingStatus(
        state=state, model=admission.model.name, dimensions=admission.model.dimensions, pending=pending
    )
