"""One message through the SDK's kernel, without any of its transports."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from threengram.gateway.http.eras import OLDEST_VERSION, Era
from threengram.gateway.http.messages import Request

_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass(frozen=True, slots=True)
class OneShot:
    """The SDK's `DispatchContext` of a message that gets one answer: nothing can be sent to the client meanwhile."""

    request_id: str | int
    message_metadata: ServerMessageMetadata
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = False

    @property
    def cancel_requested(self) -> anyio.Event:
        """Never set: each message is a connection of its own, on which no cancellation can follow."""
        return anyio.Event()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refused by construction."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Dropped: a JSON answer has no room for notifications."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Dropped, likewise."""


async def serve(server: Server[Any], request: Request, era: Era, http_request: object) -> dict[str, Any]:
    """The result of one request; raises what its handler raises. Handlers find `http_request` in `ctx.request`."""
    connection = Connection.from_envelope(era.version, era.client_info, era.client_capabilities)
    context = OneShot(request.id, ServerMessageMetadata(request_context=http_request))
    result = await serve_one(
        server, context, request.method, request.params, connection=connection, lifespan_state=None
    )
    asked = request.params.get("protocolVersion") if request.method == "initialize" and request.params else None
    return {**result, "protocolVersion": OLDEST_VERSION} if asked == OLDEST_VERSION else result
