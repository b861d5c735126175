"""Sends an export while it is read: a page is in memory, the rest in the database's snapshot and on the wire.

A download that can't be completed is cut off, so that its client sees a broken transfer; beside that a complete one
ends with a record that says so.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from threengram.api.places import Places
from threengram.core.call import OpenCall
from threengram.core.errors import Error
from threengram.core.export import export
from threengram.core.principal import Principal
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger
from threengram.schema.export import ExportBegins, ExportInput, ExportRecord

NDJSON: Final = "application/x-ndjson"
PIECE_BYTES: Final = 65_536
STALL_TIMEOUT_S: Final = 10.0
"""How long a client may take to accept a piece; slower ones would hold a snapshot of the database for hours."""

Failed = Callable[[Error | DeadlineExceeded], Response]
"""What answers when nothing was sent yet."""

_log = get_logger(__name__)


class Exports:
    """The exports of this process, at most `max_at_once`: each holds a connection of the pool until it ends."""

    def __init__(
        self,
        open_call: OpenCall,
        *,
        timeout_s: float = 600.0,
        max_at_once: int = 2,
    ) -> None:
        self.open_call = open_call
        self.timeout_s = timeout_s
        self.places = Places(max_at_once, "exports")

    def download(self, principal: Principal, failed: Failed) -> "Download":
        """The export of the principal's account as an attachment."""
        return Download(self, principal, failed)


class Download(Response):
    """A response that begins with the first page: until then it can still be an error."""

    media_type = NDJSON

    def __init__(self, exports: Exports, principal: Principal, failed: Failed) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-content-type-options": "nosniff"})
        del self.headers["content-length"]
        self._exports = exports
        self._principal = principal
        self._failed = failed
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; raises what ends it early once something was sent, so that the server cuts the connection."""
        if scope["method"] == "HEAD":
            await super().__call__(scope, receive, send)
            return
        gone = asyncio.create_task(_disconnected(receive))
        try:
            with self._exports.places.one():
                await self._stream(gone, send)
        except (Error, DeadlineExceeded) as error:
            if self._has_begun:
                _log.warning("export_cut_off", error_class=type(error).__name__)
                raise
            await self._refused(error)(scope, receive, send)
        finally:
            gone.cancel()

    async def _stream(self, gone: "asyncio.Task[None]", send: Send) -> None:
        exports = self._exports
        async with (
            deadline(exports.timeout_s),
            exports.open_call(self._principal) as call,
            aclosing(export(call, ExportInput())) as pages,
        ):
            async for page in pages:
                await self._send(page, send)
                if gone.done():
                    return
        await send({"type": "http.response.body", "body": b""})

    async def _send(self, page: Sequence[ExportRecord], send: Send) -> None:
        if not self._has_begun and isinstance(page[0], ExportBegins):
            name = f"3ngram-export-{page[0].exported_at:%Y-%m-%d}.ndjson"
            self.headers["content-disposition"] = f'attachment; filename="{name}"'
            self._has_begun = True
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        lines = b"".join(record.model_dump_json().encode() + b"\n" for record in page)
        for start in range(0, len(lines), PIECE_BYTES):
            async with deadline(STALL_TIMEOUT_S):
                await send(
                    {"type": "http.response.body", "body": lines[start : start + PIECE_BYTES], "more_body": True}
                )

    def _refused(self, error: Error | DeadlineExceeded) -> Response:
        response = self._failed(error)
        for name, value in self.headers.items():
            response.headers.setdefault(name, value)
        return response


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
