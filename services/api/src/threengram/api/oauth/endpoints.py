"""What clients call by themselves: token, revocation, registration."""

from collections.abc import Sequence
from typing import Final

from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oauth2.rfc7591 import InvalidClientMetadataError, InvalidRedirectURIError
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.limits import EdgeLimits
from threengram.api.oauth import wire
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.oauth.client_authentication import presented
from threengram.core.oauth.clients import Registered, register
from threengram.core.oauth.errors import ReplayError
from threengram.core.oauth.metadata import REGISTER_PATH, REVOKE_PATH, TOKEN_PATH
from threengram.core.oauth.revocation import revoke
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.token_request import token
from threengram.runtime.body import BodyTooLarge, BodyTooSlow, read_body
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import GRANTS, REFRESH_REUSE, TOKEN_REQUESTS, closed
from threengram.schema.errors import issues_of
from threengram.schema.oauth import GrantType, ResponseType
from threengram.schema.oauth_requests import (
    ClientParameters,
    RegistrationRequest,
    RevocationParameters,
    TokenParameters,
)

MAX_REGISTRATION_BYTES: Final = 16_384
_READ_TIMEOUT_S: Final = 10.0
_log = get_logger(__name__)


class Endpoints:
    """The routes over one authorization server. `verifiers` know the access tokens of each of its resources."""

    def __init__(
        self, server: AuthorizationServer, verifiers: Sequence[AccessTokenVerifier], limits: EdgeLimits
    ) -> None:
        self._server = server
        self._verifiers = verifiers
        self._limits = limits

    def routes(self) -> list[Route]:
        """`/oauth/token`, `/oauth/revoke`, `/oauth/register`."""
        rules = self._limits.rules
        return [
            wire.route(path, ["POST"], handler, limits=self._limits, rule=rule)
            for path, handler, rule in (
                (TOKEN_PATH, self._token, rules.token_address),
                (REVOKE_PATH, self._revoke, rules.revoke_address),
                (REGISTER_PATH, self._register, rules.register_address),
            )
        ]

    async def _token(self, request: Request) -> Response:
        grant = ""
        try:
            form = await wire.form_of(request)
            grant = closed(form.get("grant_type", ""), GRANTS)
            parameters = wire.parameters_of(TokenParameters, form)
            await self._count(request, parameters)
            issued = await token(self._server, parameters, request.headers.get("authorization"))
        except OAuth2Error as error:
            TOKEN_REQUESTS.labels(grant, "refused").inc()
            _log.info("token_refused", kind=grant, error_code=error.error)
            if isinstance(error, ReplayError):
                self._replayed(error)
            raise
        TOKEN_REQUESTS.labels(grant, "issued").inc()
        return wire.json(issued.body())

    def _replayed(self, error: ReplayError) -> None:
        _log.warning("family_revoked", reason="replay", kind=error.grant)
        if error.grant is GrantType.REFRESH_TOKEN:
            REFRESH_REUSE.inc()

    async def _revoke(self, request: Request) -> Response:
        parameters = wire.parameters_of(RevocationParameters, await wire.form_of(request))
        await self._count(request, parameters)
        await revoke(self._server, self._verifiers, parameters, request.headers.get("authorization"))
        return Response(status_code=200, headers=wire.NO_STORE)

    async def _count(self, request: Request, parameters: ClientParameters) -> None:
        client_id = presented(request.headers.get("authorization"), parameters).client_id
        await self._limits.by_client(self._limits.rules.token_client, request, client_id)

    async def _register(self, request: Request) -> Response:
        try:
            body = await read_body(request.receive, max_bytes=MAX_REGISTRATION_BYTES, timeout_s=_READ_TIMEOUT_S)
            wanted = RegistrationRequest.parse(body, self._server.redirect_schemes)
        except (BodyTooLarge, BodyTooSlow):
            raise InvalidClientMetadataError("The body is too large or came too slowly.") from None
        except ValidationError as error:
            raise _invalid(error) from None
        registered = await register(self._server, wanted)
        _log.info("client_registered", kind=registered.client.auth_method)
        return wire.json(_described(registered, int(self._server.clock().timestamp())), 201)


def _invalid(error: ValidationError) -> OAuth2Error:
    """The error with names of members and words of ours, within the characters that a description may have."""
    issues = issues_of(error)
    if any(issue.path.startswith("redirect_uris") for issue in issues):
        return InvalidRedirectURIError("Each client needs 1 to 16 redirect URIs: https, or http on a loopback host.")
    names = ", ".join(sorted({issue.path for issue in issues} - {""})) or "the body"
    return InvalidClientMetadataError(f"Not acceptable: {names}.")


def _described(registered: Registered, issued_at_s: int) -> dict[str, object]:
    """What was registered, which may be less than was asked for (RFC 7591, section 3.2.1)."""
    client = registered.client
    body: dict[str, object] = {
        "client_id": client.client_id,
        "client_id_issued_at": issued_at_s,
        "client_name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "grant_types": sorted(client.grant_types),
        "response_types": [ResponseType.CODE],
        "token_endpoint_auth_method": client.auth_method,
    }
    if registered.secret is not None:
        body |= {"client_secret": registered.secret, "client_secret_expires_at": 0}
    return body
