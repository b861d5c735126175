"""Requests for tokens: a code is exchanged once, a refresh token is replaced at each use (RFC 6749, 4.1.3 and 6)."""

import hmac
from collections.abc import Sequence
from datetime import datetime

from authlib.oauth2.rfc6749.errors import (
    InvalidGrantError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Error,
    UnauthorizedClientError,
)
from authlib.oauth2.rfc6749.util import scope_to_list
from authlib.oauth2.rfc7636.challenge import CODE_VERIFIER_PATTERN, create_s256_code_challenge
from pydantic import SecretStr

from threengram.core.audit import recorded
from threengram.core.db.statement import Row, Statement, Step
from threengram.core.oauth import queries
from threengram.core.oauth.audit import Action
from threengram.core.oauth.client_authentication import ClientCredentials, presented
from threengram.core.oauth.clients import Client, client_of_grants
from threengram.core.oauth.errors import (
    ClientUnavailable,
    ReplayError,
    TemporarilyUnavailableError,
    UnknownClient,
    UnknownGrantTypeError,
)
from threengram.core.oauth.families import Found, Use, ending, locked, use_of
from threengram.core.oauth.issuing import IssuedTokens, issuing
from threengram.core.oauth.secrets import secret_hash
from threengram.core.oauth.server import AuthorizationServer
from threengram.schema.oauth import GrantType
from threengram.schema.oauth_requests import TokenParameters


async def token(server: AuthorizationServer, parameters: TokenParameters, authorization: str | None) -> IssuedTokens:
    """The tokens that a request earns; `authorization` is the header, if there is one.

    Raises an `OAuth2Error` for the client, `Unavailable` when the database is away.
    """
    now = server.clock()
    if parameters.grant_type is None:
        raise InvalidRequestError("Missing grant_type.")
    if parameters.grant_type not in set(GrantType):
        raise UnknownGrantTypeError
    kind = GrantType(parameters.grant_type)
    is_refresh = kind is GrantType.REFRESH_TOKEN
    client = await authenticated(server, presented(authorization, parameters), now, is_refresh=is_refresh)
    if kind not in client.grant_types:
        raise UnauthorizedClientError("The client did not register this grant.")
    if is_refresh:
        return await _refresh(server, parameters, client, now)
    return await _exchange(server, parameters, client, now)


async def authenticated(
    server: AuthorizationServer, credentials: ClientCredentials, now: datetime, *, is_refresh: bool
) -> Client:
    """The client, once it has proved who it is. Raises `InvalidClientError` or `TemporarilyUnavailableError`."""
    try:
        client = await client_of_grants(server, credentials.client_id, now, is_refresh=is_refresh)
    except UnknownClient as error:
        raise credentials.refused() from error
    except ClientUnavailable as error:
        # Not the client's fault: told otherwise, it would throw away what it has.
        raise TemporarilyUnavailableError from error
    credentials.check(client)
    return client


async def find(server: AuthorizationServer, statement: Statement, secret: SecretStr) -> Found | None:
    """Where a secret belongs; None for one that is unknown."""
    async with server.database.system() as tx:
        rows = await tx.fetch_last(statement, {"secret_hash": secret_hash(secret.get_secret_value())})
    return Found(*rows[0].values()) if rows else None


async def _exchange(
    server: AuthorizationServer, parameters: TokenParameters, client: Client, now: datetime
) -> IssuedTokens:
    if parameters.code is None or parameters.code_verifier is None:
        raise InvalidRequestError("The request needs code and code_verifier.")
    key = await server.keys.signing_key()
    found = await find(server, queries.RESOLVE_CODE, parameters.code)
    if found is None:
        raise InvalidGrantError("The code is unknown or has expired.")
    async with server.database.tenant(found.principal) as tx:
        family, code = await locked(tx, found, queries.CODE)
        if code["used_at"] is not None:
            await tx.run(ending(family, Action.CODE_REPLAYED, now), commit=True)
            raise ReplayError(GrantType.AUTHORIZATION_CODE)
        # The first presentation uses it up, whatever becomes of it: nobody gets to guess.
        used = Step(queries.USE_CODE, {"code_id": found.id, "now": now})
        try:
            family.check(client.client_id, now)
            _check_code(code, parameters, client, now)
            server.resources.check(parameters.resource, family.audience)
        except OAuth2Error:
            await tx.run([used], commit=True)
            raise
        steps, issued = issuing(found, family, client, code["scopes"], issuer=server.issuer, key=key, now=now)
        kept = recorded(Action.TOKENS_ISSUED, found.principal.actor, family.grant_id, now)
        await tx.run([used, *steps, kept], commit=True)
    return issued


def _check_code(code: Row, parameters: TokenParameters, client: Client, now: datetime) -> None:
    """Return when the code was made for this request. Raises `InvalidGrantError` or `InvalidRequestError`."""
    if code["expires_at"] <= now:
        raise InvalidGrantError("The code is unknown or has expired.")
    # It may be left out where it was left out before, and must be the same otherwise.
    expected = code["redirect_uri"] if code["is_redirect_uri_given"] else None
    if parameters.redirect_uri not in (expected, code["redirect_uri"]):
        raise InvalidGrantError("redirect_uri differs from that of the authorization request.")
    if client.redirect_uri(code["redirect_uri"]) is None:
        raise InvalidGrantError("The client no longer has that redirect_uri.")
    verifier = "" if parameters.code_verifier is None else parameters.code_verifier.get_secret_value()
    if CODE_VERIFIER_PATTERN.fullmatch(verifier) is None:
        raise InvalidRequestError("code_verifier must have 43 to 128 unreserved characters.")
    challenge: str = create_s256_code_challenge(verifier)  # type: ignore[no-untyped-call]
    if not hmac.compare_digest(challenge, code["code_challenge"]):
        raise InvalidGrantError("code_verifier does not match the code_challenge.")


async def _refresh(
    server: AuthorizationServer, parameters: TokenParameters, client: Client, now: datetime
) -> IssuedTokens:
    if parameters.refresh_token is None:
        raise InvalidRequestError("Missing refresh_token.")
    key = await server.keys.signing_key()
    found = await find(server, queries.RESOLVE_REFRESH_TOKEN, parameters.refresh_token)
    if found is None:
        raise InvalidGrantError("The refresh token is unknown or has expired.")
    async with server.database.tenant(found.principal) as tx:
        family, row = await locked(tx, found, queries.REFRESH_TOKEN)
        family.check(client.client_id, now)
        if row["revoked_at"] is not None or row["expires_at"] <= now:
            raise InvalidGrantError("The refresh token is unknown or has expired.")
        if use_of(row["replaced_at"], now) is Use.REPLAY:
            await tx.run(ending(family, Action.REFRESH_REPLAYED, now), commit=True)
            raise ReplayError(GrantType.REFRESH_TOKEN)
        server.resources.check(parameters.resource, family.audience)
        scopes = _narrowed(row["scopes"], parameters.scope)
        replaced = Step(queries.REPLACE_TOKEN, {"token_id": found.id, "now": now})
        steps, issued = issuing(found, family, client, scopes, issuer=server.issuer, key=key, now=now)
        await tx.run([replaced, *steps], commit=True)
    return issued


def _narrowed(granted: Sequence[str], requested: str | None) -> list[str]:
    """The scopes of the successors: less may be asked for, and then is for good, never more than there is."""
    wanted = scope_to_list(requested)
    if not wanted:
        return list(granted)
    if not set(wanted) <= set(granted):
        raise InvalidScopeError("The requested scope exceeds that of the refresh token.")
    return [scope for scope in granted if scope in wanted]
