"""What one authorization code led to: its tokens, which stand and fall together.

Every change of a family happens under the lock of its row, so concurrent requests with one token are put in an order.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID

from authlib.oauth2.rfc6749.errors import InvalidGrantError

from threengram.core.audit import recorded
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Statement, Step
from threengram.core.oauth import queries
from threengram.core.oauth.audit import Action
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind

GRACE = timedelta(seconds=10)
"""Within this time of its first use a refresh token gives siblings: several processes may share it."""


class Use(Enum):
    """What the use of a refresh token means."""

    FIRST = "first"
    SIBLING = "sibling"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Family:
    """`stands` is false once it, its grant or its user is withdrawn."""

    id: UUID
    grant_id: UUID
    user_id: UUID
    client_id: str
    audience: str
    expires_at: datetime
    stands: bool

    def check(self, client_id: str, now: datetime) -> None:
        """Return when it is the client's and alive. Raises `InvalidGrantError`."""
        if self.client_id != client_id:
            raise InvalidGrantError("The grant was issued to another client.")
        if not self.stands or self.expires_at <= now:
            raise InvalidGrantError("The grant has ended; ask the user again.")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a code or refresh token belongs, found by its hash before any tenant is known."""

    tenant_id: UUID
    id: UUID
    family_id: UUID

    @property
    def principal(self) -> Principal:
        """Whoever holds the secret acts in its tenant, and only on what the secret stands for."""
        return Principal(self.tenant_id, self.family_id, self.id, frozenset(), ActorKind.SYSTEM)


async def locked(tx: TenantTransaction, found: Found, credential: Statement) -> tuple[Family, Row]:
    """The family, locked, and the row of the credential as it is under that lock."""
    parameters = {"family_id": found.family_id, "code_id": found.id, "token_id": found.id}
    _, families, credentials = await tx.run(
        [Step(queries.LOCK_FAMILY, parameters), Step(queries.FAMILY, parameters), Step(credential, parameters)]
    )
    if not families or not credentials:
        # Swept in the moment between.
        raise InvalidGrantError("The grant has ended; ask the user again.")
    return Family(id=found.family_id, **families[0]), credentials[0]


def use_of(replaced_at: datetime | None, now: datetime) -> Use:
    """What it means that a token is used which was used before, or not."""
    if replaced_at is None:
        return Use.FIRST
    return Use.SIBLING if now - replaced_at <= GRACE else Use.REPLAY


def ending(family: Family, why: Action, now: datetime) -> list[Step]:
    """What ends a family with all its tokens, at once; on record once, however often it is repeated."""
    parameters = {"family_id": family.id, "now": now}
    steps = [Step(queries.REVOKE_FAMILY, parameters), Step(queries.REVOKE_TOKENS_OF_FAMILY, parameters)]
    return [*steps, recorded(why, ActorKind.SYSTEM, family.grant_id, now)] if family.stands else steps
