"""An authorization request, judged; and the answer to it (RFC 6749, 4.1; RFC 7636; RFC 8707; RFC 9207).

Until the redirect URI is known to be the client's, a fault is shown to the person and goes nowhere; after that it goes
back to the client.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from authlib.oauth2.rfc6749.errors import (
    AccessDeniedError,
    InvalidRequestError,
    OAuth2Error,
    UnauthorizedClientError,
    UnsupportedResponseTypeError,
)
from authlib.oauth2.rfc7636.challenge import CODE_CHALLENGE_PATTERN

from threengram.core.audit import recorded
from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.oauth import queries
from threengram.core.oauth.audit import Action
from threengram.core.oauth.clients import Client, client_to_consent, keeping
from threengram.core.oauth.errors import CannotAuthorize, ClientUnavailable, UnknownClient
from threengram.core.oauth.metadata import CODE_CHALLENGE_METHOD
from threengram.core.oauth.resources import Resource
from threengram.core.oauth.secrets import new_secret, secret_hash
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.principal import Principal
from threengram.schema.enums import OAuthScope
from threengram.schema.oauth import GrantType, ResponseType
from threengram.schema.oauth_requests import AuthorizationParameters

CODE_LIFETIME = timedelta(seconds=60)
FAMILY_LIFETIME = timedelta(days=90)
"""From consent to the last token that may come of it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A validated place for the answer. `is_given` says whether the request named it, or it is the only one."""

    client: Client
    redirect_uri: str
    is_given: bool
    state: str | None

    def answer(self, issuer: str, **members: str) -> str:
        """The redirect URI with the answer in its query, which is left as it was registered."""
        added = {**members, **({} if self.state is None else {"state": self.state}), "iss": issuer}
        separator = "&" if "?" in self.redirect_uri else "?"
        return f"{self.redirect_uri}{separator}{urlencode(added)}"

    def refusal(self, issuer: str, error: OAuth2Error) -> str:
        """The answer that says what is wrong."""
        return self.answer(issuer, **{name: str(value) for name, value in error.get_body()})


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """What a person is asked to allow: `scopes` of `resource` for the client of `destination`."""

    destination: Destination
    resource: Resource
    scopes: tuple[OAuthScope, ...]
    code_challenge: str


async def destination_of(server: AuthorizationServer, parameters: AuthorizationParameters) -> Destination:
    """Where the answer goes. Raises `CannotAuthorize`."""
    try:
        client = await client_to_consent(server, parameters.client_id)
    except (UnknownClient, ClientUnavailable) as error:
        raise CannotAuthorize(error.reason) from error
    redirect_uri = client.redirect_uri(parameters.redirect_uri)
    if redirect_uri is None:
        raise CannotAuthorize("redirect_uri_mismatch")
    return Destination(client, redirect_uri, parameters.redirect_uri is not None, parameters.state)


def judged(
    server: AuthorizationServer, parameters: AuthorizationParameters, destination: Destination
) -> AuthorizationRequest:
    """The request, if it may be put to a person. Raises an `OAuth2Error` for the client."""
    if parameters.response_type is None:
        raise InvalidRequestError("Missing response_type.")
    if parameters.response_type != ResponseType.CODE:
        raise UnsupportedResponseTypeError(ResponseType.CODE, "Only response_type=code is supported.")
    if GrantType.AUTHORIZATION_CODE not in destination.client.grant_types:
        raise UnauthorizedClientError("The client did not register the authorization_code grant.")
    challenge = parameters.code_challenge
    if challenge is None:
        raise InvalidRequestError("Missing code_challenge: PKCE is required.")
    if parameters.code_challenge_method != CODE_CHALLENGE_METHOD:
        raise InvalidRequestError("code_challenge_method must be S256.")
    if CODE_CHALLENGE_PATTERN.fullmatch(challenge) is None:
        raise InvalidRequestError("code_challenge must have 43 to 128 unreserved characters.")
    resource = server.resources.find(parameters.resource)
    return AuthorizationRequest(destination, resource, resource.granted(parameters.scope), challenge)


def deny(server: AuthorizationServer, destination: Destination) -> str:
    """Where the browser goes when the person says no."""
    return destination.refusal(server.issuer, AccessDeniedError())


async def consent(
    server: AuthorizationServer,
    person: Principal,
    request: AuthorizationRequest,
    allowed: Collection[str],
    now: datetime,
) -> str:
    """Where the browser goes, with a code, once the person has allowed some of the requested scopes.

    Raises `InvalidScopeError` when none of them was asked for, `CannotAuthorize` when the client is gone.
    """
    scopes = list(request.resource.known(set(allowed) & set(request.scopes)))
    code, client = new_secret(), request.destination.client
    grant = {"grant_id": new_id(), "user_id": person.user_id, "client_id": client.client_id, "scopes": scopes}
    async with server.database.tenant(person) as tx:
        *_, kept = await tx.run([*keeping(client, now), Step(queries.KEEP_GRANT, grant | {"now": now})])
        if not kept:
            raise CannotAuthorize("not_registered")
        grant_id = kept[0]["id"]
        touched = Step(queries.TOUCH_CLIENT, {"client_id": client.client_id, "now": now})
        consented = recorded(Action.CONSENTED, person.actor, grant_id, now)
        await tx.run([*_coding(request, grant_id, scopes, code, now), touched, consented], commit=True)
    return request.destination.answer(server.issuer, code=code)


def _coding(
    request: AuthorizationRequest, grant_id: UUID, scopes: Sequence[str], code: str, now: datetime
) -> list[Step]:
    """What writes a new family and the hash of the code that it begins with."""
    family_id = new_id()
    family = {
        "family_id": family_id,
        "grant_id": grant_id,
        "audience": request.resource.identifier,
        "now": now,
        "expires_at": now + FAMILY_LIFETIME,
    }
    issued = {
        "code_id": new_id(),
        "family_id": family_id,
        "code_hash": secret_hash(code),
        "code_challenge": request.code_challenge,
        "redirect_uri": request.destination.redirect_uri,
        "is_redirect_uri_given": request.destination.is_given,
        "scopes": list(scopes),
        "now": now,
        "expires_at": now + CODE_LIFETIME,
    }
    return [Step(queries.INSERT_FAMILY, family), Step(queries.INSERT_CODE, issued)]
