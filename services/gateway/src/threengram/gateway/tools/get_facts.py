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
        "Look up exact measured values by subject and predicate: the value valid now, at a past instant (asOf), or "
        "every value over a window, oldest first (range), for trends and comparisons. Names match exactly; leave them"
        " out to list what is measured. For anything told in prose use search."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ}),
    annotations=READ,
    input=GetFactsInput,
    output=GetFactsOutput,
    handler=_handle,
)
