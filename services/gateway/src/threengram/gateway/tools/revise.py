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
        "Correct, reword or update an existing memory that is wrong or out of date, a standing promise too: a new "
        "version with the right statement replaces the old entry, which stays readable in history. Needs the id of the "
        "memory to replace; what you leave out (scope, project, tags, due date) is taken over."
    ),
    scopes=frozenset({OAuthScope.MEMORY_WRITE}),
    annotations=APPEND,
    input=ReviseInput,
    output=ReviseOutput,
    handler=_handle,
)
