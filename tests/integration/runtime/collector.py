"""A server that keeps what it was sent: an OTLP collector, or a peer to call."""

import gzip

from starlette.types import Receive, Scope, Send

from tests.stand_ins import StandIn, answer, body_of, headers_of


class Collector(StandIn):
    """Answers everything with 200 and an empty body, and remembers headers and bodies."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []

    @property
    def text(self) -> str:
        """All bodies; the strings inside protobuf are UTF-8."""
        return b"\n".join(self.bodies).decode("utf-8", "replace")

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, headers = await body_of(receive), headers_of(scope)
        self.bodies.append(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
        self.headers.append(headers)
        await answer(send, 200, b"")
