"""An HTTPS origin on loopback that answers exactly what a test scripts, and the names that lead to it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import trustme

from threengram.cimd.addresses import IpAddress
from threengram.cimd.failures import Unresolved
from threengram.schema.oauth import ResolveFailure

AUTHORITY = trustme.CA()
LOOPBACK = "127.0.0.1"
PATIENCE_S = 60.0

Handler = Callable[[asyncio.StreamWriter], Awaitable[None]]


def trusting_context() -> ssl.SSLContext:
    """The context of a client that trusts the tests' authority and nobody else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    AUTHORITY.configure_trust(context)
    return context


def answer(body: bytes, *, status: str = "200 OK", **headers: str | None) -> Handler:
    """A whole response. Headers are named with underscores; None leaves one out."""
    lines = {"content_type": "application/json", "content_length": str(len(body))} | headers
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items() if value is not None)

    async def handle(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body)

    return handle


def redirect(location: str, status: int = 302, **headers: str | None) -> Handler:
    """A redirect."""
    return answer(b"", status=f"{status} Moved", location=location, **headers)


class Origin:
    """Paths to handlers, in turn when a path has several (the last one stays). Records what was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.requests: list[str] = []
        self.connections = 0
        self._arrivals = asyncio.Semaphore(0)
        self._handlers: dict[str, list[Handler]] = {}
        self._running: set[asyncio.Task[None]] = set()

    def url(self, path: str, host: str = "app.example") -> str:
        """The URL of a path here under a name."""
        return f"https://{host}:{self.port}{path}"

    def on(self, path: str, *handlers: Handler) -> None:
        """Answer a path (with its query) so."""
        self._handlers[path] = list(handlers)

    async def arrived(self, count: int = 1) -> None:
        """Wait for that many further requests."""
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(count):
                await self._arrivals.acquire()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, one request."""
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        self.connections += 1
        try:
            with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.requests.append(head)
                self._arrivals.release()
                handlers = self._handlers[head.split(" ")[1]]
                await (handlers.pop(0) if len(handlers) > 1 else handlers[0])(writer)
                await writer.drain()
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._running.discard(task)
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()

    async def stop(self) -> None:
        """End what is still being answered."""
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


@asynccontextmanager
async def origin_for(*names: str) -> AsyncIterator[Origin]:
    """An origin whose certificate has these names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(*names).configure_cert(context)
    origin = Origin()
    server = await asyncio.start_server(origin.serve, LOOPBACK, 0, ssl=context)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        server.close()
        await origin.stop()
        await server.wait_closed()


class Names:
    """A resolver with a table: each look-up of a name takes its next answer, and the last one stays."""

    def __init__(self, table: Mapping[str, list[list[str]]]) -> None:
        self._table = {name: list(answers) for name, answers in table.items()}
        self.asked: list[str] = []

    async def addresses(self, host: str, timeout_s: float) -> tuple[IpAddress, ...]:
        """The scripted addresses; any other name is at the loopback origin."""
        assert timeout_s > 0
        self.asked.append(host)
        answers = self._table.get(host, [[LOOPBACK]])
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        if not found:
            raise Unresolved(ResolveFailure.HOST_NOT_FOUND)
        return tuple(ip_address(text) for text in found)
