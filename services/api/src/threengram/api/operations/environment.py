"""What answers here, and what it holds."""

from collections.abc import Callable, Sequence
from importlib.metadata import version

from threengram.api.operations.operation import Operation
from threengram.core.call import Call
from threengram.core.environment import describe_environment
from threengram.schema.enums import OAuthScope
from threengram.schema.environment import (
    DescribeEnvironmentInput,
    DescribeEnvironmentOutput,
    VersionInput,
    VersionOutput,
)

VERSION = version("threengram-api")


def describing(
    tool_names: Callable[[], Sequence[str]],
) -> Operation[DescribeEnvironmentInput, DescribeEnvironmentOutput]:
    """The operation; `tool_names` is asked at each call, because the list it reports includes this operation."""

    async def handle(call: Call, _request: DescribeEnvironmentInput) -> DescribeEnvironmentOutput:
        return await describe_environment(call, tools=tool_names(), version=VERSION)

    return Operation(
        name="describe_environment",
        method="GET",
        path="/environment",
        title="Describe the environment",
        description="Registered scopes, counts, whether search by meaning works, the default scope of reads, limits.",
        tag="environment",
        scope=OAuthScope.MEMORY_READ,
        input=DescribeEnvironmentInput,
        output=DescribeEnvironmentOutput,
        handler=handle,
    )


async def _version(call: Call, _request: VersionInput) -> VersionOutput:
    await call.admitted()
    return VersionOutput(version=VERSION)


GET_VERSION = Operation(
    name="version",
    method="GET",
    path="/version",
    title="Version",
    description="The release that answers. Any credential that stands may ask, which makes it a probe of a deployment.",
    tag="environment",
    scope=None,
    input=VersionInput,
    output=VersionOutput,
    handler=_version,
    is_tool=False,
)
