"""What a process needs to act as the authorization server."""

from dataclasses import dataclass

from threengram.core.db.database import Database
from threengram.core.oauth.documents import Documents
from threengram.core.oauth.resources import ProtectedResources
from threengram.core.oauth.signing import SigningKeys
from threengram.core.time.clock import Clock


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """`issuer` is compared by clients character by character, so it stands in every answer as it stands here."""

    database: Database
    issuer: str
    resources: ProtectedResources
    documents: Documents
    keys: SigningKeys
    clock: Clock
    redirect_schemes: frozenset[str] = frozenset()
    max_unused_clients: int = 10_000
