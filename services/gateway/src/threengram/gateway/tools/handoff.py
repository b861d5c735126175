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
        "Hand over to another agent, assistant or provider: export a package of context with which whoever comes next "
        "can continue. Decisions, preferences, unfinished commitments, blockers and key facts with excerpts, bounded, "
        "for a scope, a project or everything."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=HandoffInput,
    output=HandoffOutput,
    handler=_handle,
)
