"""Reading a body within bounds."""

from collections.abc import Sequence
from typing import Any

import pytest
from starlette.types import Receive

from tests.waiting import cut_short
from threengram.runtime.body import DRAIN_FACTOR, BodyTooLarge, BodyTooSlow, ClientGone, read_body


class Sender:
    """Sends chunks, then says that there are no more, hangs, or goes away."""

    def __init__(self, chunks: Sequence[bytes], end: str = "complete") -> None:
        self.left = list(chunks)
        self.end = end

    async def receive(self) -> dict[str, Any]:
        if self.left:
            chunk = self.left.pop(0)
            more = bool(self.left) or self.end != "complete"
            return {"type": "http.request", "body": chunk, "more_body": more}
        if self.end == "hang":
            await cut_short()
        return {"type": "http.disconnect"}


async def _read(receive: Receive, timeout_s: float = 60.0) -> bytes:
    return await read_body(receive, max_bytes=10, timeout_s=timeout_s)


@pytest.mark.parametrize("chunks", [[b""], [b"0123456789"], [b"01234", b"", b"56789"]])
async def test_a_body_within_the_limit_is_read_whole(chunks: list[bytes]) -> None:
    assert await _read(Sender(chunks).receive) == b"".join(chunks)


async def test_a_body_over_the_limit_is_read_to_its_end_and_refused() -> None:
    sender = Sender([b"0123456789", b"0", b"1"])

    with pytest.raises(BodyTooLarge):
        await _read(sender.receive)
    assert sender.left == []


async def test_an_endless_body_is_left_unread() -> None:
    sender = Sender([b"0123456789"] * 100)

    with pytest.raises(BodyTooLarge):
        await _read(sender.receive)
    assert len(sender.left) == 100 - DRAIN_FACTOR - 1


async def test_a_body_that_does_not_arrive_is_too_slow() -> None:
    with pytest.raises(BodyTooSlow):
        await _read(Sender([b"0"], "hang").receive, timeout_s=0.01)


async def test_a_client_that_goes_away_is_gone() -> None:
    with pytest.raises(ClientGone):
        await _read(Sender([b"0"], "leave").receive)
