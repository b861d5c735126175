"""Who asks: clients that registered themselves, and clients that a document under their own URL describes.

The document is the source of what a client may do, at consent and at each request for tokens. Its row exists from the
first consent on; it is what references need, and it keeps the last valid document for an outage.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Step
from threengram.core.oauth import queries
from threengram.core.oauth.errors import ClientUnavailable, UnknownClient
from threengram.core.oauth.secrets import new_secret, secret_hash
from threengram.core.oauth.server import AuthorizationServer
from threengram.schema.enums import ClientAuthMethod, ClientRegistration
from threengram.schema.oauth import GrantType, ResolveResponse
from threengram.schema.oauth_requests import RegistrationRequest
from threengram.schema.urls import InvalidUrl, matches_redirect_uri, parse_document_url

MAX_STALE = timedelta(hours=24)
"""How long after its expiry the last valid document serves refreshes."""

_EVICTED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class DocumentState:
    """When a client's document was fetched, until when it is fresh, and whether it may be kept for an outage."""

    fetched_at: datetime
    expires_at: datetime
    may_serve_stale: bool

    def serves_outage(self, now: datetime) -> bool:
        """Whether it may stand in for a document that can't be fetched now."""
        return self.may_serve_stale and now <= self.expires_at + MAX_STALE


@dataclass(frozen=True, slots=True)
class Client:
    """What counts of a client. `document` is None for one that registered itself."""

    client_id: str
    name: str
    redirect_uris: Sequence[str]
    grant_types: frozenset[str]
    auth_method: ClientAuthMethod = ClientAuthMethod.NONE
    secret_hash: bytes | None = field(default=None, repr=False)
    document: DocumentState | None = None

    @property
    def metadata_host(self) -> str | None:
        """The host that vouches for a client with a document; None for one that says of itself who it is."""
        return None if self.document is None else parse_document_url(self.client_id).host

    @property
    def may_refresh(self) -> bool:
        """Whether it gets refresh tokens."""
        return GrantType.REFRESH_TOKEN in self.grant_types

    def redirect_uri(self, presented: str | None) -> str | None:
        """Where an answer goes: the presented URI if it is registered, the only one if none is; None otherwise."""
        if presented is None:
            return self.redirect_uris[0] if len(self.redirect_uris) == 1 else None
        return presented if any(matches_redirect_uri(uri, presented) for uri in self.redirect_uris) else None


@dataclass(frozen=True, slots=True)
class Registered:
    """A new client at the one moment when its secret, if it has one, is known."""

    client: Client
    secret: str | None = field(repr=False)


async def client_to_consent(server: AuthorizationServer, client_id: str) -> Client:
    """The client as it is now; nothing is stored. Raises `UnknownClient` or `ClientUnavailable`."""
    row = await _row(server.database, client_id)
    if row is not None and row["registration"] == ClientRegistration.DYNAMIC:
        return _of_row(row)
    if not _is_document_id(client_id):
        raise UnknownClient("not_registered")
    return _of_document(await server.documents.resolve(client_id))


async def client_of_grants(server: AuthorizationServer, client_id: str, now: datetime, *, is_refresh: bool) -> Client:
    """A client that somebody consented to. Raises `UnknownClient` or `ClientUnavailable`.

    Nothing is fetched for an identifier that nobody consented to, so a stranger can't send us anywhere. During an
    outage the last valid document serves refreshes.
    """
    row = await _row(server.database, client_id)
    if row is None:
        raise UnknownClient("not_registered")
    known = _of_row(row)
    if known.document is None:
        return known
    try:
        resolved = await server.documents.resolve(client_id)
    except ClientUnavailable:
        if is_refresh and known.document.serves_outage(now):
            return known
        raise
    current = _of_document(resolved)
    if known.document.fetched_at < resolved.fetched_at:
        async with server.database.system() as tx:
            await tx.run(keeping(current, now), commit=True)
    return current


async def register(server: AuthorizationServer, request: RegistrationRequest) -> Registered:
    """A new client with an id of its own. Those that were never used make room for it, oldest first."""
    now = server.clock()
    method = request.token_endpoint_auth_method
    secret = None if method is ClientAuthMethod.NONE else new_secret()
    client = Client(
        client_id=str(uuid4()),
        name=request.client_name,
        redirect_uris=tuple(request.redirect_uris),
        grant_types=frozenset(request.grant_types),
        auth_method=method,
        secret_hash=None if secret is None else secret_hash(secret),
    )
    async with server.database.system() as tx:
        unused = (await tx.fetch(queries.UNUSED_CLIENTS))[0]["total"]
        if unused >= server.max_unused_clients:
            await tx.fetch(queries.SWEEP_CLIENTS, {"before": now, "limit": _EVICTED_AT_ONCE})
        await tx.run([Step(queries.INSERT_CLIENT, _columns(client) | {"now": now})], commit=True)
    return Registered(client, secret)


def keeping(client: Client, now: datetime) -> list[Step]:
    """What stores a client's document; nothing for a client that registered itself."""
    state = client.document
    if state is None:
        return []
    parameters = _columns(client) | {
        "fetched_at": state.fetched_at,
        "expires_at": state.expires_at,
        "may_serve_stale": state.may_serve_stale,
        "now": now,
    }
    return [Step(queries.KEEP_DOCUMENT_CLIENT, parameters)]


async def _row(database: Database, client_id: str) -> Row | None:
    if not (client_id.isascii() and client_id.isprintable()):
        # No identifier (RFC 6749, appendix A.1), and a database takes no NUL.
        return None
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.CLIENT, {"client_id": client_id})
    return rows[0] if rows else None


def _of_row(row: Row) -> Client:
    document = None
    if row["registration"] == ClientRegistration.DOCUMENT:
        document = DocumentState(row["document_fetched_at"], row["document_expires_at"], row["may_serve_stale"])
    return Client(
        client_id=row["client_id"],
        name=row["name"],
        redirect_uris=tuple(row["redirect_uris"]),
        grant_types=frozenset(row["grant_types"]),
        auth_method=ClientAuthMethod(row["auth_method"]),
        secret_hash=row["secret_hash"],
        document=document,
    )


def _of_document(resolved: ResolveResponse) -> Client:
    document = resolved.document
    return Client(
        client_id=document.client_id,
        name=document.client_name,
        redirect_uris=tuple(document.redirect_uris),
        grant_types=frozenset(document.grant_types),
        document=DocumentState(resolved.fetched_at, resolved.expires_at, resolved.may_serve_stale),
    )


def _columns(client: Client) -> dict[str, object]:
    return {
        "client_id": client.client_id,
        "name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "grant_types": sorted(client.grant_types),
        "auth_method": client.auth_method,
        "secret_hash": client.secret_hash,
    }


def _is_document_id(client_id: str) -> bool:
    try:
        parse_document_url(client_id)
    except InvalidUrl:
        return False
    return True
