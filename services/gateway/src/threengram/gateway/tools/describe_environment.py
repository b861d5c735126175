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
            "Report on the memory itself rather than its content: registered scopes with their aliases and projects, "
            "counts, whether search by meaning works, the default scope of reads, limits and version. Use to choose a "
            "scope or to explain what is available."
        ),
        scopes=frozenset({OAuthScope.MEMORY_READ}),
        annotations=READ,
        input=DescribeEnvironmentInput,
        output=DescribeEnvironmentOutput,
        handler=handle,
    )
