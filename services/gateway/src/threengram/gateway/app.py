"""Composition root of `gateway`: settings in, a running process out."""

from starlette.types import ASGIApp

from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.oauth.resources import MCP_PATH
from threengram.edge.connections import Connections
from threengram.gateway.build import Collaborators, Limits, build_app
from threengram.gateway.settings import Settings
from threengram.gateway.tools import TOOLS
from threengram.runtime import server, telemetry

SERVICE = "gateway"


def app(settings: Settings, connections: Connections) -> ASGIApp:
    """The ASGI application; its lifespan opens the connections."""
    resource = f"{settings.public_url}{MCP_PATH}"
    keys = PublishedKeys(connections.database)
    return build_app(
        Collaborators(
            tools=TOOLS,
            verifier=AccessTokenVerifier(issuer=settings.issuer_url, audience=resource, keys=keys),
            limiter=connections.limiter,
            open_call=connections.open_call,
            clock=connections.clock,
            lifespan=connections.opened,
        ),
        public_url=settings.public_url,
        issuer_url=settings.issuer_url,
        allowed_origins=(settings.web_app_url, *settings.mcp_allowed_origins),
        limits=Limits(settings.calls_per_minute, settings.max_body_bytes, settings.request_timeout_s),
    )


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings.model_validate({})
    with telemetry.observed(SERVICE, settings):
        connections = Connections(settings)
        server.run(app(settings, connections), settings, service=SERVICE, health=connections.health())
