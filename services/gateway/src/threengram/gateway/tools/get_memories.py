"""`get_memories`: read memories in full by id."""

from threengram.core.call import Call
from threengram.core.memories import get_memories
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.memories import GetMemoriesInput, GetMemoriesOutput


async def _handle(call: Call, request: GetMemoriesInput) -> GetMemoriesOutput:
    return await get_memories(call, request)


GET_MEMORIES = Tool(
    name="get_memories",
    title="Get Memories",
    description=(
        "Fetch entries by their ids, up to 20 in one call: complete content, tags, status, whether each is still valid "
        "or what has replaced it. For an excerpt that is cut off or a line that shows only a topic. Unknown ids come "
        "back in notFound."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=GetMemoriesInput,
    output=GetMemoriesOutput,
    handler=_handle,
)
