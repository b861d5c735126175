"""What matters now."""

from threengram.api.operations.operation import Operation
from threengram.core.briefing import briefing, handoff
from threengram.schema.briefing import BriefingInput, BriefingOutput
from threengram.schema.enums import OAuthScope
from threengram.schema.handoff import HandoffInput, HandoffOutput

BRIEFING = Operation(
    name="briefing",
    method="POST",
    path="/briefing",
    title="Briefing",
    description=(
        "Commitments, overdue ones, blockers, stale candidates, recent decisions, preferences and what came up "
        "today, of one snapshot. A POST, since the question has structure."
    ),
    tag="orientation",
    scope=OAuthScope.MEMORY_READ,
    input=BriefingInput,
    output=BriefingOutput,
    handler=briefing,
)

HANDOFF = Operation(
    name="handoff",
    method="POST",
    path="/handoff",
    title="Handoff",
    description="Decisions, preferences, commitments, blockers and key facts for whoever takes over, of one snapshot.",
    tag="orientation",
    scope=OAuthScope.MEMORY_READ,
    input=HandoffInput,
    output=HandoffOutput,
    handler=handoff,
)
