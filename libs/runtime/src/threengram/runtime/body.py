"""Reading a request body within bounds."""

import anyio
from starlette.types import Receive

DRAIN_FACTOR = 4
"""A body over the limit is read on to this many times the limit, so that its sender lives to see the refusal."""


class BodyTooLarge(Exception):
    """More bytes than are taken."""


class BodyTooSlow(Exception):
    """The body did not arrive in time."""


class ClientGone(Exception):
    """Nobody waits for an answer any more."""


async def read_body(receive: Receive, *, max_bytes: int, timeout_s: float) -> bytes:
    """The whole body; raises one of the three errors above. Never holds more than `max_bytes` and one chunk."""
    body = bytearray()
    size = 0
    with anyio.move_on_after(timeout_s):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= max_bytes:
                body += chunk
            is_last = not message.get("more_body", False)
            if size > max_bytes and (is_last or size > DRAIN_FACTOR * max_bytes):
                raise BodyTooLarge
            if is_last:
                return bytes(body)
    raise BodyTooSlow
