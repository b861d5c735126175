"""`configure_scope`: show the registry of scopes, or make one change to it."""

from threengram.core.audit import recorded
from threengram.core.call import Call
from threengram.core.db.database import UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.errors import Conflict
from threengram.core.scopes import queries
from threengram.core.scopes.changes import Change, plan
from threengram.core.scopes.registry import Registry
from threengram.schema.enums import OAuthScope
from threengram.schema.environment import ScopeRecord
from threengram.schema.scopes import ConfigureScopeInput, ConfigureScopeOutput, ListScopes, ScopesListed


def required_scope(request: ConfigureScopeInput) -> OAuthScope:
    """What a credential must be allowed to for this action."""
    return OAuthScope.MEMORY_READ if isinstance(request, ListScopes) else OAuthScope.MEMORY_WRITE


async def configure_scope(call: Call, request: ConfigureScopeInput) -> ConfigureScopeOutput:
    """The registry, or what one change made of it. Changes of a tenant come one after the other.

    Raises `InsufficientScope` when the credential may not do this action, `NotFound` for a scope that is not
    registered, `Conflict` for a name that is taken and where a renaming would file the same content twice,
    `LimitReached` at the bounds of the registry. A renaming relabels the memories of the scope in the same transaction:
    10,000 take about a second, during which writes of the tenant wait and reads do not. With 100,000 it can meet the
    deadline of a statement; then it raises `TookTooLong` and nothing has changed.
    """
    call.require(required_scope(request))
    _, tx = await call.admitted()
    if isinstance(request, ListScopes):
        scopes = [ScopeRecord(**row) for row in await tx.fetch_last(queries.REGISTERED)]
        return ScopesListed(action="list", scopes=scopes, count=len(scopes))
    _, rows = await tx.run([Step(queries.CHANGING), Step(queries.REGISTERED)])
    change = plan(Registry([ScopeRecord(**row) for row in rows]), request, now=call.now)
    try:
        audited = recorded(f"scope.{request.action}", call.principal.actor, change.scope_id, call.now)
        await tx.run([*change.steps, audited], commit=True)
    except UniqueViolated as error:
        raise await _collision(call, change) from error
    return change.answer


async def _collision(call: Call, change: Change) -> Conflict:
    """The error that names one of two equal memories; asked in a unit of work of its own, since the first is void."""
    async with call.core.database.tenant(call.principal) as fresh:
        rows = await fresh.fetch_last(
            queries.RELABELLED_DUPLICATE, {"name": change.name, "labels": list(change.labels)}
        )
    return Conflict(
        "the scope would hold the same content twice; archive or revise one of the two memories first",
        subject_id=rows[0]["id"] if rows else None,
    )
