"""`briefing`: what matters now, for the agent that begins."""

from threengram.core.briefing import briefing
from threengram.core.call import Call
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.briefing import BriefingInput, BriefingOutput
from threengram.schema.enums import OAuthScope


async def _handle(call: Call, request: BriefingInput) -> BriefingOutput:
    return await briefing(call, request)


BRIEFING = Tool(
    name="briefing",
    title="Briefing",
    description=(
        "Know where things stand before you begin: an overview of open and overdue commitments, blockers, what came up "
        "today, recent decisions, preferences and what has gone stale, for a scope, a project or everything. Topic "
        "lines without content; counts are exact."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=BriefingInput,
    output=BriefingOutput,
    handler=_handle,
)
