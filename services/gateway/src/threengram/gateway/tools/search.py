"""`search`: find memories by meaning and words, or list them by time."""

from threengram.core.call import Call
from threengram.core.search import search
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.search import SearchInput, SearchOutput


async def _handle(call: Call, request: SearchInput) -> SearchOutput:
    return await search(call, request)


SEARCH = Tool(
    name="search",
    title="Search",
    description=(
        "Find stored memories that answer a question, by meaning and by words, best first. Use before saying that "
        "something is unknown. Narrow by type, scope, project or time; asOf shows what was true, or known, at a past "
        "instant; order chronological lists everything that matches, newest first, without ranking. Hits carry "
        "excerpts: read a truncated one with get_memories. coverage tells whether the best hit looks like an answer."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=SearchInput,
    output=SearchOutput,
    handler=_handle,
)
