"""The registry of scopes."""

from threengram.api.operations.operation import Operation
from threengram.core.call import Call
from threengram.core.scopes.configure import configure_scope
from threengram.schema.enums import OAuthScope
from threengram.schema.scopes import (
    ConfigureScopeInput,
    ConfigureScopeOutput,
    ListScopes,
    ListScopesInput,
    ScopesListed,
)


async def _list(call: Call, _request: ListScopesInput) -> ScopesListed:
    listed = await configure_scope(call, ListScopes())
    return ScopesListed.model_validate(listed)


LIST_SCOPES = Operation(
    name="list_scopes",
    method="GET",
    path="/scopes",
    title="List the scopes",
    description="Every registered scope with its aliases and the projects filed into it.",
    tag="scopes",
    scope=OAuthScope.MEMORY_READ,
    input=ListScopesInput,
    output=ScopesListed,
    handler=_list,
    is_tool=False,
)

CONFIGURE_SCOPE = Operation(
    name="configure_scope",
    method="POST",
    path="/scopes",
    title="Configure scopes",
    description="One `action`: list needs `memory:read`, every other one `memory:write`.",
    tag="scopes",
    scope=None,
    input=ConfigureScopeInput,
    output=ConfigureScopeOutput,
    handler=configure_scope,
    can_be_missing=True,
    can_conflict=True,
)
