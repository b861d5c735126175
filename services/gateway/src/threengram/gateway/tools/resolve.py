"""`resolve`: move a commitment or a blocker on."""

from threengram.core.call import Call
from threengram.core.commitments import resolve
from threengram.gateway.tools.tool import Annotations, Tool
from threengram.schema.commitments import ResolveInput, ResolveOutput
from threengram.schema.enums import OAuthScope

MOVE = Annotations(read_only=False, destructive=False, idempotent=True, open_world=False)
"""A change of state that may be repeated."""


async def _handle(call: Call, request: ResolveInput) -> ResolveOutput:
    return await resolve(call, request)


RESOLVE = Tool(
    name="resolve",
    title="Resolve",
    description=(
        "Close what is settled: mark a commitment as done, dropped, waiting for somebody, or open again, and a blocker "
        "as gone. A resolved blocker leaves briefings and default searches; a recurring commitment goes on with its "
        "next occurrence. Repeating a status changes nothing."
    ),
    scopes=frozenset({OAuthScope.MEMORY_WRITE}),
    annotations=MOVE,
    input=ResolveInput,
    output=ResolveOutput,
    handler=_handle,
)
