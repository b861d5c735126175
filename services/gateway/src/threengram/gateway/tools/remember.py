"""`remember`: append one memory."""

from threengram.core.call import Call
from threengram.core.memories import remember
from threengram.gateway.tools.tool import APPEND, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.memories import RememberInput, RememberOutput


async def _handle(call: Call, request: RememberInput) -> RememberOutput:
    return await remember(call, request)


REMEMBER = Tool(
    name="remember",
    title="Remember",
    description=(
        "Store one new memory for later sessions: a decision, commitment, blocker, fact, preference, pattern, note or "
        "event worth keeping. One self-contained atom per call; split longer material over several calls. Nothing is "
        "merged or overwritten. Put measurable claims into facts as well, one measure each, its unit in the predicate."
    ),
    scopes=frozenset({OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=RememberInput,
    output=RememberOutput,
    handler=_handle,
)
