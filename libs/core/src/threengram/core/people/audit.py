"""What happened to an account, on record: who acted, on whom or what, when. Never a password or an address."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from threengram.core import audit
from threengram.core.db.statement import Step
from threengram.core.principal import Principal


class Action(StrEnum):
    """Changes of an account that are kept on record."""

    USER_CREATED = "user.created"
    USER_DISABLED = "user.disabled"
    ACCOUNT_SUSPENDED = "account.suspended"
    USER_ENABLED = "user.enabled"
    PASSWORD_SET = "password.set"  # noqa: S105 - an action
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 - an action
    PASSWORD_CHOSEN = "password.chosen"  # noqa: S105 - an action
    LOGGED_IN = "login.succeeded"
    LOGGED_OUT = "login.ended"
    SESSION_REVOKED = "session.revoked"
    OTHER_SESSIONS_REVOKED = "sessions.revoked"
    ACCESS_REVOKED = "access.revoked"
    EXPORTED = "account.exported"
    IMPORTED = "account.imported"


def recorded(action: Action, principal: Principal, now: datetime, subject_id: UUID | None = None) -> Step:
    """The step that writes it; about the user unless a subject is given."""
    return audit.recorded(action, principal.actor, subject_id or principal.user_id, now)
