"""`get_facts`: claims as they stand, as they stood, or as a series."""

from threengram.core.call import Call
from threengram.core.facts import get_facts
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.facts import GetFactsInput, GetFactsOutput


async def _handle(call: Call, request: GetFactsInput) -> GetFactsOutput:
    return await get_facts(call, request)


GET_FACTS = Tool(
    name="get_facts",
    title="Get Facts",
    description=(
        "Read exact numbers and values: the current one of a metric, the one at a past date (asOf), or all readings of "
        "a quantity over a period, oldest first (range), for trends and comparisons. Subject and predicate match "
        "exactly; leave them out to list what is tracked. For prose use search."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=GetFactsInput,
    output=GetFactsOutput,
    handler=_handle,
)
