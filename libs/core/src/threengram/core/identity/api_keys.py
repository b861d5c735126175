"""API keys: scoped credentials for programs that do not go through OAuth.

A key is `3ng_` and 43 random base62 characters (256 bits). It is shown once, when it is made; what is stored is its
SHA-256, enough for a secret of that entropy, and its first characters, by which a person tells keys apart.
"""

import hashlib
import re
import secrets
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Step
from threengram.core.errors import InvalidRequest, LimitReached, NotFound, Unauthenticated
from threengram.core.identity import queries
from threengram.core.ids import new_id
from threengram.core.principal import Principal
from threengram.schema.bounds import MAX_KEY_NAME_CHARS
from threengram.schema.enums import ActorKind, OAuthScope

KEY_MARK = "3ng_"
MAX_LIVE_KEYS = 25
PREFIX_CHARS = len(KEY_MARK) + 8
_SECRET_CHARS = 43
_ALPHABET = string.digits + string.ascii_letters
_FORM = re.compile(rf"{KEY_MARK}[0-9A-Za-z]{{32,128}}", flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What may be shown of a key."""

    id: UUID
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def is_live(self, now: datetime) -> bool:
        """Whether it opens anything."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key at the one moment when its text is known."""

    text: str = field(repr=False)
    key: ApiKey


@dataclass(frozen=True, slots=True)
class ResolvedKey:
    """Who a key stands for, and until when."""

    principal: Principal
    expires_at: datetime | None


async def create_api_key(
    database: Database,
    principal: Principal,
    *,
    name: str,
    scopes: Iterable[OAuthScope],
    now: datetime,
    expires_at: datetime | None = None,
) -> NewApiKey:
    """A new key of the principal's user.

    Raises `LimitReached` when `MAX_LIVE_KEYS` are live, `InvalidRequest` without a scope, for a name that is empty or
    too long, or for an expiry that has passed, `Unauthenticated` when the login that asks has ended.
    """
    granted = sorted(set(scopes))
    _check(name, granted, expires_at, now)
    text = KEY_MARK + "".join(secrets.choice(_ALPHABET) for _ in range(_SECRET_CHARS))
    key = ApiKey(new_id(), name, text[:PREFIX_CHARS], tuple(granted), now, expires_at, None, None)
    row = {
        "key_id": key.id,
        "user_id": principal.user_id,
        "name": name,
        "prefix": key.prefix,
        "key_hash": key_hash(text),
        "scopes": granted,
        "now": now,
        "expires_at": expires_at,
        "max_live": MAX_LIVE_KEYS,
    }
    # Under the user's row lock, so that two keys made at once can't both be the last one, and none outlives a new
    # password that was given while the former one was checked.
    asking = {"user_id": principal.user_id, "session_id": principal.credential_id}
    steps = [Step(queries.LOCK_USER, asking), Step(queries.LOGIN_STANDS, asking), Step(queries.INSERT_API_KEY, row)]
    async with database.tenant(principal) as tx:
        _, login, written = await tx.run(steps)
        if principal.actor is ActorKind.USER_DASHBOARD and not login:
            raise Unauthenticated("the login has ended")
        if not written:
            raise LimitReached(f"a user has at most {MAX_LIVE_KEYS} live API keys; revoke one first")
        await tx.run([_recorded("api_key.created", principal, key.id, now)], commit=True)
    return NewApiKey(text, key)


async def list_api_keys(database: Database, principal: Principal) -> list[ApiKey]:
    """Every key that the principal's user ever had, newest first."""
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.API_KEYS, {"user_id": principal.user_id})
    return [ApiKey(**{**row, "scopes": tuple(row["scopes"])}) for row in rows]


async def revoke_api_key(database: Database, principal: Principal, key_id: UUID, *, now: datetime) -> None:
    """Withdraw a key at once; repeating it changes nothing. Raises `NotFound` for a key that is not the user's."""
    parameters = {"user_id": principal.user_id, "key_id": key_id, "now": now}
    async with database.tenant(principal) as tx:
        steps = [Step(queries.REVOKE_API_KEY, parameters), _recorded("api_key.revoked", principal, key_id, now)]
        rows, _ = await tx.run(steps, commit=True)
    if not rows:
        raise NotFound("API key", str(key_id))


def has_key_form(text: str) -> bool:
    """Whether `text` can be a key at all; nothing else is worth a look-up."""
    return _FORM.fullmatch(text) is not None


def key_hash(text: str) -> bytes:
    """What is stored of a key."""
    return hashlib.sha256(text.encode()).digest()


async def resolve_api_key(database: Database, text: str, now: datetime) -> ResolvedKey | None:
    """Who the key stands for; None for a key that is unknown, revoked or expired."""
    if not has_key_form(text):
        return None
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.RESOLVE_API_KEY, {"key_hash": key_hash(text)})
    if not rows or (rows[0]["expires_at"] is not None and rows[0]["expires_at"] <= now):
        return None
    return ResolvedKey(_principal(rows[0]), rows[0]["expires_at"])


def _principal(row: Row) -> Principal:
    return Principal(row["tenant_id"], row["user_id"], row["key_id"], frozenset(row["scopes"]), ActorKind.USER_API)


def _recorded(action: str, principal: Principal, key_id: UUID, now: datetime) -> Step:
    """What keeps on record that a key was made or withdrawn, if this unit of work did so."""
    row = {"audit_id": new_id(), "actor": principal.actor, "action": action, "user_id": principal.user_id,
           "key_id": key_id, "now": now}  # fmt: skip
    return Step(queries.RECORD_KEY_ACTION, row)


def _check(name: str, scopes: list[OAuthScope], expires_at: datetime | None, now: datetime) -> None:
    if not 1 <= len(name) <= MAX_KEY_NAME_CHARS or "\x00" in name:
        raise InvalidRequest(f"a key's name has 1 to {MAX_KEY_NAME_CHARS} characters", field="name")
    if not scopes:
        raise InvalidRequest("a key needs at least one scope", field="scopes")
    if expires_at is not None and expires_at <= now:
        raise InvalidRequest("a key can't expire in the past", field="expiresAt")
