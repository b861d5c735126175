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
        "Read the full content of memories whose ids you already have, up to 20 at once: after a truncated hit, or to "
        "see tags, status, validity and what superseded a memory. Unknown ids are listed in notFound."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=GetMemoriesInput,
    output=GetMemoriesOutput,
    handler=_handle,
)
