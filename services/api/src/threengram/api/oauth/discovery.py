"""What clients read before they begin: metadata of the server and of the API, and the public keys."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.limits import EdgeLimits
from threengram.api.oauth import wire
from threengram.core.oauth.metadata import KEYS_PATH, openid_metadata, resource_metadata, server_metadata
from threengram.core.oauth.resources import API_PATH
from threengram.core.oauth.server import AuthorizationServer

SERVER_PATH: Final = "/.well-known/oauth-authorization-server"
OPENID_PATH: Final = "/.well-known/openid-configuration"
RESOURCE_PATH: Final = "/.well-known/oauth-protected-resource"
WELL_KNOWN_KEYS_PATH: Final = "/.well-known/jwks.json"
_METADATA_CACHING: Final = {"cache-control": "public, max-age=3600"}
_KEY_CACHING: Final = {"cache-control": "public, max-age=60"}


def routes(server: AuthorizationServer, limits: EdgeLimits) -> list[Route]:
    """The documents, at every path where some client looks for them.

    A client that takes the issuer for one with a path puts that before or behind the well-known name.
    """
    described, openid = server_metadata(server.issuer), openid_metadata(server.issuer)
    resource = resource_metadata(server.resources.api, server.issuer)
    documents: dict[str, Any] = {
        SERVER_PATH: described,
        f"{SERVER_PATH}/{{suffix:path}}": described,
        OPENID_PATH: openid,
        f"{OPENID_PATH}/{{suffix:path}}": openid,
        f"/{{prefix:path}}{OPENID_PATH}": openid,
        f"{RESOURCE_PATH}{API_PATH}": resource,
        RESOURCE_PATH: resource,
    }
    rule = limits.rules.public_address

    async def keys(_request: Request) -> Response:
        return wire.json(await server.keys.key_set(), headers=_KEY_CACHING)

    return [
        *(
            wire.route(path, ["GET", "HEAD"], _constant(document), limits=limits, rule=rule)
            for path, document in documents.items()
        ),
        *(
            wire.route(path, ["GET", "HEAD"], keys, limits=limits, rule=rule)
            for path in (KEYS_PATH, WELL_KNOWN_KEYS_PATH)
        ),
    ]


def _constant(document: Any) -> wire.Handler:
    async def handle(_request: Request) -> Response:
        return wire.json(document, headers=_METADATA_CACHING)

    return handle
