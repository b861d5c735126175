"""Who is calling. Made from a verified credential only, never from an argument."""

from dataclasses import dataclass
from uuid import UUID

from threengram.schema.enums import ActorKind


@dataclass(frozen=True, slots=True)
class Principal:
    """A verified caller: `tenant_id` decides what it can see, `scopes` what it can do."""

    tenant_id: UUID
    user_id: UUID
    credential_id: UUID
    scopes: frozenset[str]
    actor: ActorKind
