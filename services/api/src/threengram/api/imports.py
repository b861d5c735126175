"""Takes an import while it arrives: a batch of lines is in memory, and nothing is read while it is being written."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.types import Receive

from threengram.api.failures import Refused
from threengram.api.places import Places
from threengram.core.call import Call, OpenCall
from threengram.core.errors import Error
from threengram.core.imports import import_account
from threengram.core.principal import Principal
from threengram.runtime.body import ClientGone
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger
from threengram.schema.errors import ErrorCode
from threengram.schema.imports import ImportInput, ImportReport

STALL_TIMEOUT_S: Final = 10.0
"""How long a client may take to send the next piece."""

DRAIN_TIMEOUT_S: Final = 30.0
_CLOSE: Final = {"connection": "close"}
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bounds of one import, and how many this process takes at once."""

    timeout_s: float = 600.0
    batch_timeout_s: float = 14.0
    max_body_bytes: int = 268_435_456
    max_at_once: int = 2


class Imports:
    """The imports of this process."""

    def __init__(self, open_call: OpenCall, limits: ImportLimits | None = None) -> None:
        self._open_call = open_call
        self._limits = limits or ImportLimits()
        self._places = Places(self._limits.max_at_once, "imports")

    async def take(self, principal: Principal, given: ImportInput, request: Request) -> ImportReport:
        """What became of the body's lines; raises `Refused`, `ClientGone`, `DeadlineExceeded`, or what the verb does.

        Whoever is refused in the middle is listened to until the end, as far as that is bounded: many clients look for
        an answer only when they have sent everything.
        """
        body = _Body(request.receive, self._limits.max_body_bytes)
        try:
            with self._places.one():
                async with deadline(self._limits.timeout_s):
                    report = await import_account(self._batches(principal), given, body.pieces())
        except (Error, DeadlineExceeded) as error:
            _log.info("import_refused", error_class=type(error).__name__, size_bytes=body.size)
            await body.drain()
            raise
        _log.info(
            "import_taken",
            lines=report.lines,
            size_bytes=body.size,
            outcome="foreseen" if report.dry_run else "imported",
        )
        return report

    def _batches(self, principal: Principal) -> Callable[[], AbstractAsyncContextManager[Call]]:
        @asynccontextmanager
        async def opened() -> AsyncIterator[Call]:
            async with deadline(self._limits.batch_timeout_s), self._open_call(principal) as call:
                yield call

        return opened


class _Body:
    """The body of a request, piece by piece and within a bound."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self.size = 0
        self._receive = receive
        self._max_bytes = max_bytes
        self._has_ended = False

    async def pieces(self) -> AsyncIterator[bytes]:
        """The pieces; raises `Refused` for a body that is too large or comes too slowly, `ClientGone` if it breaks."""
        while not self._has_ended:
            try:
                async with deadline(STALL_TIMEOUT_S):
                    piece = await self._next()
            except DeadlineExceeded:
                detail = "the body stopped coming"
                raise Refused(408, ErrorCode.DEADLINE_EXCEEDED, detail, headers=_CLOSE, retryable=True) from None
            if self.size > self._max_bytes:
                detail = f"the body is larger than {self._max_bytes} bytes; what came so far is in"
                raise Refused(413, ErrorCode.PAYLOAD_TOO_LARGE, detail, headers=_CLOSE)
            if piece:
                yield piece

    async def drain(self) -> None:
        """Pass over what is left, within the bound of the body and a time."""
        try:
            async with deadline(DRAIN_TIMEOUT_S):
                while not self._has_ended and self.size <= self._max_bytes:
                    await self._next()
        except DeadlineExceeded:
            return

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        piece: bytes = message.get("body", b"")
        self.size += len(piece)
        self._has_ended = not message.get("more_body", False)
        return piece
