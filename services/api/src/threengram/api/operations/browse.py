"""What a person looks at."""

from threengram.api.operations.operation import Operation
from threengram.core.browse import history, list_facets, list_memories
from threengram.core.environment.stats import stats
from threengram.schema.browse import (
    HistoryInput,
    HistoryOutput,
    ListFacetsInput,
    ListFacetsOutput,
    ListMemoriesInput,
    ListMemoriesOutput,
    StatsInput,
)
from threengram.schema.enums import OAuthScope
from threengram.schema.environment import MemoryStats

LIST_MEMORIES = Operation(
    name="list_memories",
    method="GET",
    path="/memories",
    title="List memories",
    description="Newest first, excerpts where asked, by keyset: rows written meanwhile neither repeat nor hide others.",
    tag="memories",
    scope=OAuthScope.MEMORY_READ,
    input=ListMemoriesInput,
    output=ListMemoriesOutput,
    handler=list_memories,
    is_tool=False,
)

LIST_FACETS = Operation(
    name="list_facets",
    method="GET",
    path="/memories/facets",
    title="List the names in use",
    description="Scopes and projects of memories in use, for filters.",
    tag="memories",
    scope=OAuthScope.MEMORY_READ,
    input=ListFacetsInput,
    output=ListFacetsOutput,
    handler=list_facets,
    is_tool=False,
)

HISTORY = Operation(
    name="history",
    method="GET",
    path="/memories/{id}/history",
    title="Read the history of a memory",
    description="What it came from and what came of it, every event, and every version of its lifetime.",
    tag="memories",
    scope=OAuthScope.MEMORY_READ,
    input=HistoryInput,
    output=HistoryOutput,
    handler=history,
    is_tool=False,
    can_be_missing=True,
)

STATS = Operation(
    name="stats",
    method="GET",
    path="/stats",
    title="Count memories",
    description="Active, superseded, resolved and archived ones, commitments by status, open facts.",
    tag="environment",
    scope=OAuthScope.MEMORY_READ,
    input=StatsInput,
    output=MemoryStats,
    handler=stats,
    is_tool=False,
)
