"""How the supervisor is asked: one JSON line in, one JSON line out, over a Unix socket in the data directory."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from threengram.cli.errors import CannotRun

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@contextlib.contextmanager
def bound(path: Path) -> Iterator[socket.socket]:
    """A socket at `path` that only its owner can reach; the file is removed at the end."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)


@contextlib.asynccontextmanager
async def listening(path: Path, handle: Handler) -> AsyncIterator[None]:
    """Answer requests with `handle` while the block runs. A `CannotRun` becomes the answer's `error`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply = await _reply(await reader.readline(), handle)
        with contextlib.suppress(ConnectionError):
            writer.write(json.dumps(reply).encode() + b"\n")
            await writer.drain()
            writer.close()
            await writer.wait_closed()

    with bound(path) as listener:
        server = await asyncio.start_unix_server(answer, sock=listener)
        try:
            yield
        finally:
            server.close()


async def _reply(line: bytes, handle: Handler) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except ValueError:
        return {"error": "the request is not JSON"}
    try:
        return await handle(request)
    except CannotRun as error:
        return {"error": str(error)}


def ask(path: Path, request: dict[str, Any], *, timeout_s: float) -> dict[str, Any]:
    """The answer of the supervisor that listens on `path`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            connection.connect(str(path))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as replies:
                line = replies.readline()
        except (FileNotFoundError, ConnectionRefusedError):
            raise CannotRun(
                f"nothing runs on {path.parent}; start it with `threengram up`, or say by --data-dir where it runs"
            ) from None
        except TimeoutError:
            raise CannotRun(f"no answer from {path} within {timeout_s:g} s", exit_code=1) from None
        except PermissionError as error:
            raise CannotRun(f"can't reach {path}: {error.strerror}") from error
    if not line:
        raise CannotRun(f"{path} closed without an answer; the output of `threengram up` says why", exit_code=1)
    reply: dict[str, Any] = json.loads(line)
    if "error" in reply:
        raise CannotRun(reply["error"], exit_code=1)
    return reply
