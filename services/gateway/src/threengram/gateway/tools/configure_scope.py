"""`configure_scope`: the registry of scopes."""

from threengram.core.call import Call
from threengram.core.scopes.configure import configure_scope
from threengram.gateway.tools.tool import Annotations, Tool
from threengram.schema.enums import OAuthScope
from threengram.schema.scopes import ConfigureScopeInput, ConfigureScopeOutput

CONFIGURE = Annotations(read_only=False, destructive=True, idempotent=False, open_world=False)
"""The worst of its actions: delete takes a registry entry away, though no memory."""


async def _handle(call: Call, request: ConfigureScopeInput) -> ConfigureScopeOutput:
    return await configure_scope(call, request)


CONFIGURE_SCOPE = Tool(
    name="configure_scope",
    title="Configure Scope",
    description=(
        "Administer the scopes that memories are filed under: list, create, rename, set_aliases, map a project to a "
        "scope, delete a registry entry (its memories stay), or set which scope reads use when none is named. Not for"
        " filing or moving single memories."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE}),
    annotations=CONFIGURE,
    input=ConfigureScopeInput,
    output=ConfigureScopeOutput,
    handler=_handle,
)
