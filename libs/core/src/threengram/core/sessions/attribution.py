"""To which run of an agent a write belongs.

A run that is named must be the tenant's own: open, it gets the write and a longer lease; with its lease over, it is
opened again; closed by its agent, the write goes on without it. Without a name the write belongs to the one run that
is open for the project of its memory, if there is exactly one.

Both are decided at the start of the transaction, before any other lock, and kept in a setting of the transaction from
which every event reads it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from threengram.core.db.statement import Row, Step
from threengram.core.errors import InvalidRequest
from threengram.core.sessions import queries
from threengram.core.sessions.leases import LEASE

SIGHTING = timedelta(minutes=1)
"""A lease is extended by a write only when the last sighting is older, so that writes seldom wait for each other."""


def attributing(
    session_run_id: UUID | None, *, now: datetime, project: str | None = None, memory_id: UUID | None = None
) -> list[Step]:
    """The first two steps of a write; without `project` it is that of the memory `memory_id`, if any."""
    instants = {"now": now, "lease_start": now - LEASE, "seen_before": now - SIGHTING}
    if session_run_id is not None:
        attribution = Step(queries.ATTRIBUTE_NAMED, {**instants, "session_run_id": session_run_id})
    else:
        attribution = Step(queries.ATTRIBUTE_ONLY_ONE, {**instants, "project": project, "memory_id": memory_id})
    return [Step(queries.WRITING), attribution]


def attributed(session_run_id: UUID | None, rows: Sequence[list[Row]]) -> Sequence[list[Row]]:
    """What follows the rows of the steps; raises `InvalidRequest` when the run that was named is not the tenant's."""
    _, found, *rest = rows
    if session_run_id is not None and not found:
        raise InvalidRequest("no such session run", field="sessionRunId")
    return rest
