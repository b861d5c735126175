"""Open a run of an agent, show that it lives, close it. Changes of a tenant's runs come one after the other."""

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Step
from threengram.core.errors import NotFound
from threengram.core.ids import new_id
from threengram.core.scopes.resolution import canonical
from threengram.core.sessions import leases, queries
from threengram.core.sessions.leases import Run
from threengram.schema.sessions import OpenSessionInput, SessionAlive, SessionClosed, SessionInput, SessionOpened


async def open_session(call: Call, request: OpenSessionInput) -> SessionOpened:
    """The run, new or known; raises `Conflict` when it is open already with another project or scope."""
    admission, tx = await call.admitted()
    scope = None if request.scope is None else canonical(admission, request.scope)
    stored = await _stored(tx, request)
    if stored is None:
        run = Run(new_id(), request.project, scope, call.now, call.now, None, 1)
        names = {"agent": request.agent, "session_key": request.session_key}
        step = Step(
            queries.INSERT_RUN,
            {"id": run.run_id, **names, "project": run.project, "scope": scope, "now": call.now},
        )
    else:
        run = leases.opened(stored, source=request.source, project=request.project, scope=scope, now=call.now)
        step = _update(run)
    await tx.run([step], commit=True)
    return SessionOpened(
        session_run_id=run.run_id,
        activation_epoch=run.activation_epoch,
        source=request.source,
        created=stored is None,
        reopened=stored is not None and not stored.is_live(call.now),
        project=run.project,
        scope=run.scope,
        opened_at=run.opened_at,
        last_seen_at=run.last_seen_at,
    )


async def heartbeat_session(call: Call, request: SessionInput) -> SessionAlive:
    """The run with a new lease; one that was closed or stale goes on. Raises `NotFound`."""
    _, tx = await call.admitted()
    stored = await _known(tx, request)
    run = leases.seen(stored, call.now)
    await tx.run([_update(run)], commit=True)
    return SessionAlive(
        session_run_id=run.run_id,
        activation_epoch=run.activation_epoch,
        last_seen_at=run.last_seen_at,
        resurrected=not stored.is_live(call.now),
    )


async def close_session(call: Call, request: SessionInput) -> SessionClosed:
    """When it was closed, now or before; writes that name it go on without it from then on. Raises `NotFound`."""
    _, tx = await call.admitted()
    stored = await _known(tx, request)
    run = leases.closed(stored, call.now)
    await tx.run([_update(run)], commit=True)
    return SessionClosed(
        session_run_id=run.run_id,
        activation_epoch=run.activation_epoch,
        closed_at=run.closed_at or call.now,
        already_closed=stored.closed_at is not None,
    )


async def _stored(tx: TenantTransaction, request: SessionInput) -> Run | None:
    names = {"agent": request.agent, "session_key": request.session_key}
    _, rows = await tx.run([Step(queries.CHANGING), Step(queries.RUN, names)])
    if not rows:
        return None
    row = rows[0]
    return Run(
        run_id=row["id"],
        project=row["project"],
        scope=row["scope"],
        opened_at=row["opened_at"],
        last_seen_at=row["last_seen_at"],
        closed_at=row["closed_at"],
        activation_epoch=row["activation_epoch"],
    )


async def _known(tx: TenantTransaction, request: SessionInput) -> Run:
    run = await _stored(tx, request)
    if run is None:
        raise NotFound("session run")
    return run


def _update(run: Run) -> Step:
    return Step(
        queries.UPDATE_RUN,
        {
            "id": run.run_id,
            "project": run.project,
            "scope": run.scope,
            "last_seen_at": run.last_seen_at,
            "closed_at": run.closed_at,
            "activation_epoch": run.activation_epoch,
        },
    )
