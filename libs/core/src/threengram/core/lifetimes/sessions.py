"""The agent session to which a write belongs."""

from uuid import UUID

from threengram.core.db.database import TenantTransaction
from threengram.core.errors import InvalidRequest
from threengram.core.lifetimes import queries


async def check_session(tx: TenantTransaction, session_run_id: UUID | None) -> None:
    """Raises `InvalidRequest` unless the session is the tenant's own; before any lock is taken."""
    if session_run_id is not None and not await tx.fetch(queries.SESSION, {"session_run_id": session_run_id}):
        raise InvalidRequest("no such session run", field="sessionRunId")
