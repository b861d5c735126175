"""Reading facts."""

from threengram.api.operations.operation import Operation
from threengram.core.facts import get_facts
from threengram.schema.enums import OAuthScope
from threengram.schema.facts import GetFactsInput, GetFactsOutput

GET_FACTS = Operation(
    name="get_facts",
    method="POST",
    path="/facts/get",
    title="Read facts",
    description=(
        "Measured values by subject and predicate: as valid now, at a past instant (`asOf`), or as a series over a "
        "window, oldest first (`range`). A POST, since the question has structure."
    ),
    tag="facts",
    scope=OAuthScope.MEMORY_READ,
    input=GetFactsInput,
    output=GetFactsOutput,
    handler=get_facts,
)
