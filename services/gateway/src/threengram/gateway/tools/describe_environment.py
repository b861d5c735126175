"""`describe_environment`: what this memory holds and what can be done here."""

from collections.abc import Callable

from threengram.core.call import Call
from threengram.core.environment import describe_environment
from threengram.gateway.tools.tool import READ, Tool
from threengram.gateway.version import VERSION
from threengram.schema.enums import OAuthScope
from threengram.schema.environment import DescribeEnvironmentInput, DescribeEnvironmentOutput


def describing(tool_names: Callable[[], list[str]]) -> Tool[DescribeEnvironmentInput, DescribeEnvironmentOutput]:
    """The tool; `tool_names` is asked at each call, because the list it reports includes this tool itself."""

    async def handle(call: Call, _request: DescribeEnvironmentInput) -> DescribeEnvironmentOutput:
        return await describe_environment(call, tools=tool_names(), version=VERSION)

    return Tool(
        name="describe_environment",
        title="Describe Environment",
        description=(
            "Learn what this memory service offers: the names of scopes that exist to file something under, with "
            "aliases and projects, how many entries of which type are stored, whether semantic lookup works, limits "
            "and version."
        ),
        scopes=frozenset({OAuthScope.MEMORY_READ}),
        annotations=READ,
        input=DescribeEnvironmentInput,
        output=DescribeEnvironmentOutput,
        handler=handle,
    )
