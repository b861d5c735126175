"""`describe_environment`: capabilities, scopes, statistics, policy. No URL, key or setting is ever part of it."""

from collections.abc import Sequence

from threengram.core.call import Call
from threengram.core.db.statement import Step
from threengram.core.environment import queries
from threengram.core.environment.stats import counted, counting
from threengram.core.identity.admission import Admission
from threengram.core.scopes.queries import REGISTERED
from threengram.schema import bounds
from threengram.schema.enums import EmbeddedState
from threengram.schema.environment import (
    Capabilities,
    DescribeEnvironmentOutput,
    EmbeddingStatus,
    Limits,
    RetrievalScopePolicy,
    ScopeRecord,
)


async def describe_environment(call: Call, *, tools: Sequence[str], version: str) -> DescribeEnvironmentOutput:
    """What this server offers the caller; `tools` and `version` are the transport's own."""
    admission, tx = await call.admitted()
    memories, commitments, facts, scopes, pending = await tx.run(
        [
            *counting(call.now),
            Step(REGISTERED),
            Step(queries.PENDING_EMBEDDINGS),
        ],
        commit=True,
    )
    return DescribeEnvironmentOutput(
        capabilities=Capabilities(tools=list(tools), tool_count=len(tools), version=version),
        scopes=[ScopeRecord(**row) for row in scopes],
        stats=counted(memories, commitments, facts),
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


def _embeddings(call: Call, admission: Admission, pending: int) -> EmbeddingStatus:
    if call.core.embedder is None or admission.model is None:
        return EmbeddingStatus(state=EmbeddedState.OFF, model=None, dimensions=None, pending=pending)
    state = EmbeddedState.PENDING if pending else EmbeddedState.DONE
    return EmbeddingStatus(
        state=state, model=admission.model.name, dimensions=admission.model.dimensions, pending=pending
    )
