"""Revocation by the client (RFC 7009): a refresh token ends its family, an access token only itself."""

from collections.abc import Sequence

from authlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidRequestError

from threengram.core.db.statement import Step
from threengram.core.identity.tokens import AccessClaims, AccessTokenVerifier, InvalidToken
from threengram.core.oauth import queries
from threengram.core.oauth.audit import Action
from threengram.core.oauth.client_authentication import presented
from threengram.core.oauth.clients import Client
from threengram.core.oauth.families import Found, ending, locked
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.token_request import authenticated, find
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind
from threengram.schema.oauth_requests import RevocationParameters


async def revoke(
    server: AuthorizationServer,
    verifiers: Sequence[AccessTokenVerifier],
    parameters: RevocationParameters,
    authorization: str | None,
) -> None:
    """Withdraw a token of the client; one that is unknown or has ended is withdrawn already.

    `verifiers` know the access tokens of each resource. Raises an `OAuth2Error` for the client.
    """
    now = server.clock()
    if parameters.token is None:
        raise InvalidRequestError("Missing token.")
    # An outage of the client's host must not keep it from giving up its tokens.
    client = await authenticated(server, presented(authorization, parameters), now, is_refresh=True)
    found = await find(server, queries.RESOLVE_REFRESH_TOKEN, parameters.token)
    if found is not None:
        await _revoke_family(server, client, found)
        return
    for verifier in verifiers:
        try:
            claims = await verifier.verify(parameters.token.get_secret_value(), now)
        except InvalidToken:
            continue
        await _revoke_access_token(server, client, claims)


async def _revoke_family(server: AuthorizationServer, client: Client, found: Found) -> None:
    async with server.database.tenant(found.principal) as tx:
        family, _row = await locked(tx, found, queries.REFRESH_TOKEN)
        _check(family.client_id, client)
        await tx.run(ending(family, Action.GIVEN_UP, server.clock()), commit=True)


async def _revoke_access_token(server: AuthorizationServer, client: Client, claims: AccessClaims) -> None:
    holder = Principal(claims.tenant_id, claims.user_id, claims.token_id, frozenset(), ActorKind.SYSTEM)
    parameters = {"token_id": claims.token_id, "now": server.clock()}
    async with server.database.tenant(holder) as tx:
        rows = await tx.fetch(queries.FAMILY_OF_ACCESS_TOKEN, parameters)
        _check(rows[0]["client_id"] if rows else None, client)
        await tx.run([Step(queries.REVOKE_ACCESS_TOKEN, parameters)], commit=True)


def _check(client_id: str | None, client: Client) -> None:
    if client_id != client.client_id:
        raise InvalidGrantError("The token was issued to another client.")
