"""Loopback HTTP servers that keep what they were sent: an OTLP collector, and a peer to call."""

import contextlib
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Collected(ThreadingHTTPServer):
    """Answers everything with 200 and an empty body, and remembers headers and bodies."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def text(self) -> str:
        """All bodies; the strings inside protobuf are UTF-8."""
        return b"\n".join(self.bodies).decode("utf-8", "replace")


class _Handler(BaseHTTPRequestHandler):
    server: Collected

    def _keep(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.bodies.append(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST = _keep

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def collector() -> Iterator[Collected]:
    """A running server."""
    with Collected() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
