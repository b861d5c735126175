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
        "Look up what was said, decided or believed earlier: find past notes by a question or a few keywords, without "
        "ids. Use before saying that something is unknown. Filters: type, scope, project, time; asOf tells what was "
        "believed back then; order chronological lists everything recorded, newest first, with nothing left out. Hits "
        "carry excerpts; coverage tells whether the best one looks like an answer."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=SearchInput,
    output=SearchOutput,
    handler=_handle,
)
