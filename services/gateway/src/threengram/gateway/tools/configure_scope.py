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
        "Set up the scopes (areas) that memories are filed under: create, rename, alias or remove one, map a project "
        "so that all of it is filed there automatically, change which scope is used when a read names none, list all. "
        "Memories of a removed scope stay."
    ),
    scopes=frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE}),
    annotations=CONFIGURE,
    input=ConfigureScopeInput,
    output=ConfigureScopeOutput,
    handler=_handle,
)
