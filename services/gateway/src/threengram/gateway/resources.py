"""The resource `threengram://memory/{id}`: the whole text of one memory, which never changes once written."""

import re
from uuid import UUID

import mcp_types as t
import orjson
from mcp.shared.exceptions import MCPError

from threengram.core.call import OpenCall
from threengram.core.errors import InsufficientScope, NotFound
from threengram.core.memories import read_resource
from threengram.core.principal import Principal
from threengram.schema.enums import OAuthScope
from threengram.schema.identifiers import parse_id

READ_SCOPES = frozenset({OAuthScope.MEMORY_READ})
_URI = re.compile(r"threengram://memory/([0-9A-Fa-f-]{36})")

TEMPLATE = t.ResourceTemplate(
    uri_template="threengram://memory/{id}",
    name="memory",
    title="Memory",
    description="One stored memory with its full text.",
    mime_type="application/json",
)


class Resources:
    """Reads memories by URI. Malformed, missing and foreign ids answer identically."""

    def __init__(self, open_call: OpenCall) -> None:
        self._open_call = open_call

    async def read(self, principal: Principal, uri: str) -> t.ReadResourceResult:
        """The memory; raises `MCPError` (-32602) when there is none, `InsufficientScope` without `memory:read`."""
        if READ_SCOPES.isdisjoint(principal.scopes):
            raise InsufficientScope(OAuthScope.MEMORY_READ)
        memory_id = _id_of(uri)
        async with self._open_call(principal) as call:
            if memory_id is None:
                await call.admitted()
                raise _not_found(uri)
            try:
                memory = await read_resource(call, memory_id)
            except NotFound as error:
                raise _not_found(uri) from error
        text = orjson.dumps(memory.wire()).decode()
        return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, mime_type="application/json", text=text)])


def _id_of(uri: str) -> UUID | None:
    match = _URI.fullmatch(uri)
    try:
        return None if match is None else parse_id(match.group(1))
    except ValueError:
        return None


def _not_found(uri: str) -> MCPError:
    return MCPError(code=t.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
