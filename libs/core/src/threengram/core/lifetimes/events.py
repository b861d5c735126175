"""The step that writes one event: what happened to a memory, from what to what, never in the user's words."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.lifetimes import queries
from threengram.schema.enums import ActorKind, EventKind
from threengram.schema.instants import format_instant

Detail = str | UUID | datetime | None


def event(
    memory_id: UUID,
    kind: EventKind,
    actor: ActorKind,
    *,
    at: datetime,
    details: Mapping[str, Detail] | None = None,
) -> Step:
    """One row of the memory's history, in the run that the transaction is attributed to; None details are left out."""
    return Step(
        queries.APPEND_EVENT,
        {
            "event_id": new_id(),
            "memory_id": memory_id,
            "event_kind": kind,
            "actor": actor,
            "details": Jsonb({name: _text(value) for name, value in (details or {}).items() if value is not None}),
            "at": at,
        },
    )


def _text(value: str | UUID | datetime) -> str:
    return format_instant(value) if isinstance(value, datetime) else str(value)
