"""API keys of a running stack's users: made, listed, revoked; and the one that `threengram up` keeps for its owner."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private
from threengram.cli.requests.database import opened, user_of
from threengram.core.identity.api_keys import (
    ApiKey,
    create_api_key,
    list_api_keys,
    resolve_api_key,
    revoke_api_key,
)
from threengram.schema.enums import OAuthScope
from threengram.schema.instants import format_instant

KEPT_NAME = "threengram up"


@dataclass(frozen=True)
class KeyRequests:
    """Acts on one database as the runtime role."""

    runtime_url: str = field(repr=False)

    async def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        """The answer to a `keys` request of the control socket; raises `CannotRun` for what can't be done."""
        async with opened(self.runtime_url) as database:
            user = await user_of(database, request["email"])
            match request:
                case {"action": "create", "name": str(name), "scopes": list(scopes), "lifetimeS": lifetime_s}:
                    expires_at = None if lifetime_s is None else now + timedelta(seconds=lifetime_s)
                    made = await create_api_key(
                        database, user, name=name, scopes=_scopes(scopes), now=now, expires_at=expires_at
                    )
                    return {"key": made.text, **_shown(made.key, now)}
                case {"action": "list"}:
                    return {"keys": [_shown(key, now) for key in await list_api_keys(database, user)]}
                case {"action": "revoke", "id": str(key_id)}:
                    await revoke_api_key(database, user, _id(key_id), now=now)
                    return {"revoked": key_id}
                case _:
                    raise CannotRun("unknown keys request")

    async def kept(self, file: Path, email: str, now: datetime) -> str:
        """The key in `file` while it opens this database, else a new one that replaces it."""
        async with opened(self.runtime_url) as database:
            known = await asyncio.to_thread(_read, file)
            if await resolve_api_key(database, known, now) is not None:
                return known
            user = await user_of(database, email)
            made = await create_api_key(database, user, name=KEPT_NAME, scopes=tuple(OAuthScope), now=now)
            write_private(file, made.text.encode())
            return made.text


def _read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def _scopes(names: Iterable[str]) -> tuple[OAuthScope, ...]:
    try:
        return tuple(OAuthScope(name) for name in names)
    except ValueError:
        raise CannotRun(f"--scope: there are {', '.join(OAuthScope)}") from None


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CannotRun("give the id of a key as `threengram keys list` shows it") from None


def _shown(key: ApiKey, now: datetime) -> dict[str, Any]:
    instants = {"createdAt": key.created_at, "expiresAt": key.expires_at, "lastUsedAt": key.last_used_at,
                "revokedAt": key.revoked_at}  # fmt: skip
    shown = {name: None if instant is None else format_instant(instant) for name, instant in instants.items()}
    return {
        "id": str(key.id),
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "isLive": key.is_live(now),
        **shown,
    }
