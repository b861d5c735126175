"""`revise`: correct a memory by a successor."""

from threengram.core.call import Call
from threengram.core.memories import revise
from threengram.gateway.tools.tool import APPEND, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.revisions import ReviseInput, ReviseOutput


async def _handle(call: Call, request: ReviseInput) -> ReviseOutput:
    return await revise(call, request)


REVISE = Tool(
    name="revise",
    title="Revise",
    description=(
        "Correct or update a stored memory whose statement is wrong or has changed: a new memory takes its place, the"
        " old one stays readable in history and ranks below it. Needs the id of the memory to replace; what you leave"
        " out (scope, project, tags, due date) is taken over. To close a finished commitment or blocker use resolve "
        "instead."
    ),
    scopes=frozenset({OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=ReviseInput,
    output=ReviseOutput,
    handler=_handle,
)
