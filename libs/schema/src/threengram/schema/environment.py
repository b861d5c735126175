"""`describe_environment`: what this server can do for the caller, and how much it holds."""

from uuid import UUID

from threengram.schema.base import Input, Output
from threengram.schema.enums import EmbeddedState, RetrievalMode
from threengram.schema.instants import Instant


class DescribeEnvironmentInput(Input):
    """No arguments."""


class Capabilities(Output):
    """The tools of this release."""

    tools: list[str]
    tool_count: int
    version: str


class ScopeRecord(Output):
    """A registered scope, with the names it is also known by and the projects filed into it by default."""

    id: UUID
    name: str
    aliases: list[str]
    projects: list[str]
    created_at: Instant


class MemoryStats(Output):
    """Counts of the caller's tenant. Active, superseded, resolved and archived exclude one another."""

    memories_by_type: dict[str, int]
    active_memories: int
    superseded_memories: int
    resolved_blockers: int
    archived_memories: int
    commitments_by_status: dict[str, int]
    open_facts: int


class EmbeddingStatus(Output):
    """Whether search by meaning works, and how many memories still wait for it."""

    state: EmbeddedState
    model: str | None
    dimensions: int | None
    pending: int


class Limits(Output):
    """Bounds a caller may want to know before writing or reading."""

    max_content_chars: int
    max_facts_per_write: int
    max_search_limit: int
    max_get_ids: int
    max_get_total_chars: int


class RetrievalScopePolicy(Output):
    """What a read without a scope means for this tenant."""

    mode: RetrievalMode
    scope: str | None


class DescribeEnvironmentOutput(Output):
    """Capabilities, registered scopes, statistics and policy; no configuration values."""

    capabilities: Capabilities
    scopes: list[ScopeRecord]
    stats: MemoryStats
    retrieval_scope_policy: RetrievalScopePolicy
    embeddings: EmbeddingStatus
    limits: Limits


class VersionInput(Input):
    """No arguments."""


class VersionOutput(Output):
    """The release that answers."""

    version: str
