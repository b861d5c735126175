"""The authorization server as a whole: its routes, and what makes this API one of its resources."""

from starlette.routing import Route

from threengram.api.auth import AccessTokens
from threengram.api.login import Logins
from threengram.api.oauth import discovery
from threengram.api.oauth.authorize import Authorize
from threengram.api.oauth.endpoints import Endpoints
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.oauth.resources import API_PATH
from threengram.core.oauth.server import AuthorizationServer


class OAuth:
    """Built on one server and the logins of its pages."""

    def __init__(self, server: AuthorizationServer, logins: Logins) -> None:
        self.server = server
        self._logins = logins
        keys = PublishedKeys(server.database)
        self._of_mcp, self._of_api = (
            AccessTokenVerifier(issuer=server.issuer, audience=resource.identifier, keys=keys)
            for resource in (server.resources.mcp, server.resources.api)
        )

    @property
    def access_tokens(self) -> AccessTokens:
        """Verifies the tokens that this API takes."""
        return AccessTokens(self._of_api)

    @property
    def metadata_url(self) -> str:
        """Where this API describes itself as a protected resource."""
        return f"{self.server.issuer}{discovery.RESOURCE_PATH}{API_PATH}"

    def routes(self) -> list[Route]:
        """Pages, endpoints and documents."""
        limits = self._logins.limits
        return [
            *Authorize(self.server, self._logins).routes(),
            *Endpoints(self.server, (self._of_mcp, self._of_api), limits).routes(),
            *discovery.routes(self.server, limits),
        ]
