"""The answers that are the same for everybody, kept as bytes: made once by the kernel, equal across replicas."""

from collections.abc import Mapping
from typing import Any

import mcp_types as t
import orjson
from mcp.server.lowlevel import Server
from mcp_types.methods import CLIENT_REQUESTS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from threengram.gateway.http.eras import Era
from threengram.gateway.http.kernel import serve
from threengram.gateway.http.messages import Request

METHODS = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")
Catalogue = Mapping[tuple[str, str], orjson.Fragment]
"""Results by method and protocol version."""


async def precomputed(server: Server[Any]) -> Catalogue:
    """Every catalogue in every revision that has it; revisions with equal bytes share them."""
    results: dict[tuple[str, str], orjson.Fragment] = {}
    shared: dict[bytes, orjson.Fragment] = {}
    for version in (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS):
        era = Era(version, version in MODERN_PROTOCOL_VERSIONS, None, {})
        for method in METHODS:
            if (method, version) in CLIENT_REQUESTS:
                body = orjson.dumps(await serve(server, _listing(method, era), era, None))
                results[method, version] = shared.setdefault(body, orjson.Fragment(body))
    return results


def _listing(method: str, era: Era) -> Request:
    meta = {t.PROTOCOL_VERSION_META_KEY: era.version, t.CLIENT_CAPABILITIES_META_KEY: {}}
    params = {"_meta": meta} if era.is_modern else {}
    return Request(0, method, params, {})
