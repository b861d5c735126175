"""`handoff`: what another agent needs to take over."""

from threengram.core.briefing import handoff
from threengram.core.call import Call
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.handoff import HandoffInput, HandoffOutput


async def _handle(call: Call, request: HandoffInput) -> HandoffOutput:
    return await handoff(call, request)


HANDOFF = Tool(
    name="handoff",
    title="Handoff",
    description=(
        "Export a package for another assistant or person who takes the work over: decisions, preferences, "
        "commitments, blockers and key facts with excerpts of their text, bounded, for a scope, a project or "
        "everything. Made to be passed on, not to orient yourself."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=HandoffInput,
    output=HandoffOutput,
    handler=_handle,
)
