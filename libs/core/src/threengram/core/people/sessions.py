"""Login sessions: a secret in a cookie, its SHA-256 in a row, an end after some hours whatever happens."""

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.errors import NotFound
from threengram.core.ids import new_id
from threengram.core.people import queries
from threengram.core.people.audit import Action, recorded
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind, OAuthScope

LIFETIME: Final = timedelta(hours=12)
TOUCH_INTERVAL: Final = timedelta(minutes=1)
_SECRET_BYTES: Final = 32
_EVERYTHING: Final = frozenset(OAuthScope)
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}", flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class LoginSession:
    """A person at a browser, who may do everything with what is theirs: the principal has every scope.

    One whose account `is_suspended` may take it along or away, and nothing else.
    """

    principal: Principal
    email: str = field(repr=False)
    expires_at: datetime
    is_suspended: bool

    @property
    def id(self) -> UUID:
        """The row of the session."""
        return self.principal.credential_id


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session at the one moment when its secret is known."""

    secret: str = field(repr=False)
    session: LoginSession


@dataclass(frozen=True, slots=True)
class ListedSession:
    """What a person sees of a session that is still good."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime


async def open_session(
    database: Database,
    owner: Principal,
    email: str,
    *,
    password_hash: str,
    now: datetime,
    lifetime: timedelta,
    is_suspended: bool,
) -> NewSession | None:
    """A new session of an active user whose password still has this hash, else None. Sessions that have ended go."""
    secret, session_id = secrets.token_urlsafe(_SECRET_BYTES), new_id()
    principal = _principal(owner.tenant_id, owner.user_id, session_id)
    row = {
        "session_id": session_id,
        "user_id": owner.user_id,
        "password_hash": password_hash,
        "token_hash": _hash(secret),
        "now": now,
        "expires_at": now + lifetime,
    }
    ended = Step(queries.DELETE_ENDED_SESSIONS, {"user_id": owner.user_id, "now": now})
    async with database.tenant(owner) as tx:
        written, _ = await tx.run([Step(queries.INSERT_SESSION, row), ended])
        if not written:
            return None
        await tx.run([recorded(Action.LOGGED_IN, principal, now, session_id)], commit=True)
    return NewSession(secret, LoginSession(principal, email, now + lifetime, is_suspended))


async def find_session(database: Database, secret: str, now: datetime) -> LoginSession | None:
    """The session behind a cookie; None once it has ended, was revoked, or nobody may enter the account."""
    if _FORM.fullmatch(secret) is None:
        return None
    async with database.system() as tx:
        found = await tx.fetch_last(queries.SESSION_BY_HASH, {"token_hash": _hash(secret)})
    if not found:
        return None
    principal = _principal(found[0]["tenant_id"], found[0]["user_id"], found[0]["session_id"])
    parameters = {"session_id": principal.credential_id, "user_id": principal.user_id, "now": now}
    touch = Step(queries.TOUCH_SESSION, {**parameters, "touched_before": now - TOUCH_INTERVAL})
    async with database.tenant(principal) as tx:
        _, live = await tx.run([touch, Step(queries.LIVE_SESSION, parameters)], commit=True)
    return LoginSession(principal, **live[0]) if live else None


async def list_sessions(database: Database, principal: Principal, now: datetime) -> list[ListedSession]:
    """The sessions of the principal's user that are still good, newest first."""
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.SESSIONS, {"user_id": principal.user_id, "now": now})
    return [ListedSession(**row) for row in rows]


async def revoke_session(database: Database, principal: Principal, session_id: UUID, *, now: datetime) -> None:
    """End one session of the principal's user, at once. Raises `NotFound` for one that is not live or not theirs."""
    action = Action.LOGGED_OUT if session_id == principal.credential_id else Action.SESSION_REVOKED
    parameters = {"user_id": principal.user_id, "session_id": session_id, "now": now}
    async with database.tenant(principal) as tx:
        if not await tx.fetch(queries.REVOKE_SESSION, parameters):
            raise NotFound("session", str(session_id))
        await tx.run([recorded(action, principal, now, session_id)], commit=True)


async def revoke_other_sessions(database: Database, principal: Principal, *, now: datetime) -> int:
    """End every session of the user but the principal's own; how many there were."""
    steps = [others_revoked(principal, now), recorded(Action.OTHER_SESSIONS_REVOKED, principal, now)]
    async with database.tenant(principal) as tx:
        ended, _ = await tx.run(steps, commit=True)
    return len(ended)


def others_revoked(principal: Principal, now: datetime) -> Step:
    """The step that ends the user's sessions but the principal's own."""
    parameters = {"user_id": principal.user_id, "kept_id": principal.credential_id, "now": now}
    return Step(queries.REVOKE_OTHER_SESSIONS, parameters)


def _principal(tenant_id: UUID, user_id: UUID, session_id: UUID) -> Principal:
    return Principal(tenant_id, user_id, session_id, _EVERYTHING, ActorKind.USER_DASHBOARD)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
