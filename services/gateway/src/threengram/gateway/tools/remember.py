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
        "Store a new memory that should outlive this conversation: a choice the user settled on and why, a promise, a "
        "new obstacle, a lasting preference, a lesson, a fresh measurement with its unit. One self-contained statement "
        "per call; split longer material. Nothing is merged or overwritten. Put measurable claims into facts as well, "
        "one measure each, unit in the predicate."
    ),
    scopes=frozenset({OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=RememberInput,
    output=RememberOutput,
    handler=_handle,
)
