"""Connected apps: what a person has allowed, and how it is taken back."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from threengram.core.audit import recorded
from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.errors import NotFound
from threengram.core.oauth import queries
from threengram.core.oauth.audit import Action
from threengram.core.principal import Principal
from threengram.schema.enums import ClientRegistration
from threengram.schema.urls import parse_document_url


@dataclass(frozen=True, slots=True)
class Grant:
    """One person's consent to one client, as long as anything that came of it may still open something.

    `metadata_host` vouches for the client's name; None where the client said it of itself. `redirect_hosts` are the
    hosts (or schemes of apps) that its answers go to.
    """

    id: UUID
    client_name: str
    metadata_host: str | None
    redirect_hosts: tuple[str, ...]
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime


async def list_grants(database: Database, principal: Principal, *, now: datetime) -> list[Grant]:
    """The live grants of the principal's user, those used last first."""
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.LIVE_GRANTS, {"user_id": principal.user_id, "now": now})
    return [
        Grant(
            id=row["id"],
            client_name=row["name"],
            metadata_host=parse_document_url(row["client_id"]).host
            if row["registration"] == ClientRegistration.DOCUMENT
            else None,
            redirect_hosts=tuple(dict.fromkeys(redirect_host(uri) for uri in row["redirect_uris"])),
            scopes=tuple(row["scopes"]),
            created_at=row["created_at"],
            last_used_at=row["last_used_at"],
        )
        for row in rows
    ]


async def revoke_grant(database: Database, principal: Principal, grant_id: UUID, *, now: datetime) -> None:
    """Withdraw all that came of a grant, at once; repeating it changes nothing.

    Raises `NotFound` for a grant that is not the user's.
    """
    parameters = {"grant_id": grant_id, "user_id": principal.user_id, "now": now}
    async with database.tenant(principal) as tx:
        # Families before their grant, in the order in which a request for tokens takes the locks.
        _, revoked = await tx.run(
            [Step(queries.LOCK_FAMILIES_OF_GRANT, parameters), Step(queries.REVOKE_GRANT, parameters)]
        )
        if not revoked:
            raise NotFound("connected app", str(grant_id))
        await tx.run(
            [
                Step(queries.REVOKE_FAMILIES_OF_GRANT, parameters),
                Step(queries.REVOKE_TOKENS_OF_GRANT, parameters),
                recorded(Action.REVOKED, principal.actor, grant_id, now),
            ],
            commit=True,
        )


def redirect_host(uri: str) -> str:
    """Where a redirect URI leads, as a person should see it: its host, or the scheme of an app."""
    parts = urlsplit(uri)
    return parts.hostname or uri if parts.scheme in ("http", "https") else f"{parts.scheme}://"
