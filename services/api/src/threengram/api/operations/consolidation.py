"""Background comparison of memories, on or off."""

from threengram.api.operations.operation import Operation
from threengram.core.consolidation.switch import get_consolidation, switch_consolidation
from threengram.schema.consolidation import ConsolidationOutput, GetConsolidationInput, SwitchConsolidationInput
from threengram.schema.enums import OAuthScope

GET_CONSOLIDATION = Operation(
    name="get_consolidation",
    method="GET",
    path="/consolidation",
    title="Where consolidation stands",
    description="Whether memories are compared in the background, how many remain, and what waits for a decision.",
    tag="proposals",
    scope=OAuthScope.MEMORY_READ,
    input=GetConsolidationInput,
    output=ConsolidationOutput,
    handler=get_consolidation,
    is_tool=False,
)

SWITCH_CONSOLIDATION = Operation(
    name="switch_consolidation",
    method="POST",
    path="/consolidation",
    title="Switch consolidation on or off",
    description="For the whole account. What is proposed already stays to be decided.",
    tag="proposals",
    scope=OAuthScope.MEMORY_WRITE,
    input=SwitchConsolidationInput,
    output=ConsolidationOutput,
    handler=switch_consolidation,
    is_tool=False,
)
