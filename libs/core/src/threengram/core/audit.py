"""The audit log of a tenant: who acted, on what, when. Never a word of a memory, a password, a token or an address."""

from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Step, tenant_statement
from threengram.core.ids import new_id
from threengram.schema.enums import ActorKind

RECORD_ACTION = tenant_statement(
    "record_action",
    """
    INSERT INTO audit_log (tenant_id, id, actor_kind, action, subject_id, recorded_at)
    VALUES (%(tenant_id)s, %(audit_id)s, %(actor)s, %(action)s, %(subject_id)s, %(now)s)
    """,
)


def recorded(action: str, actor: ActorKind, subject_id: UUID | None, now: datetime) -> Step:
    """The step that writes it, in the same unit of work as the change."""
    row = {"audit_id": new_id(), "actor": actor, "action": action, "subject_id": subject_id, "now": now}
    return Step(RECORD_ACTION, row)
