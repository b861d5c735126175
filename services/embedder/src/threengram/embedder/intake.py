"""How a request body gets in: JSON only, capped, and bounded over all requests together."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError
from starlette.requests import Request

from threengram.embedder.errors import BodyTooLarge, InvalidInput, Overloaded, UnsupportedMediaType
from threengram.schema.embedding import EmbeddingRequest
from threengram.schema.errors import issues_of

_RETRY_AFTER_S = 1


class Intake:
    """Counts the bytes of bodies that are being read or worked on."""

    def __init__(self, *, max_body_bytes: int, max_pending_bytes: int) -> None:
        self._max_body_bytes = max_body_bytes
        self._max_pending_bytes = max(max_body_bytes, max_pending_bytes)
        self._pending_bytes = 0

    @contextmanager
    def slot(self) -> Iterator["Slot"]:
        """Room for one body until the block ends."""
        slot = Slot(self)
        try:
            yield slot
        finally:
            self._pending_bytes -= slot.taken_bytes

    def take(self, slot: "Slot", size_bytes: int) -> None:
        """Account for more bytes. Raises `BodyTooLarge` or `Overloaded`."""
        if slot.taken_bytes + size_bytes > self._max_body_bytes:
            raise BodyTooLarge(f"the body has more than {self._max_body_bytes} bytes")
        if self._pending_bytes + size_bytes > self._max_pending_bytes:
            raise Overloaded(_RETRY_AFTER_S)
        slot.taken_bytes += size_bytes
        self._pending_bytes += size_bytes


class Slot:
    """The room one body takes."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self.taken_bytes = 0

    async def read(self, request: Request) -> bytes:
        """The whole body. Raises a `Refusal`."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise UnsupportedMediaType("send application/json")
        body = bytearray()
        async for chunk in request.stream():
            self._intake.take(self, len(chunk))
            body += chunk
        return bytes(body)


def parse(body: bytes) -> EmbeddingRequest:
    """The request in a body. Raises `InvalidInput`, which names fields and rules, never a value."""
    try:
        return EmbeddingRequest.model_validate_json(body)
    except ValidationError as error:
        issues = issues_of(error)
    raise InvalidInput("; ".join(f"{issue.path or 'body'}: {issue.message}" for issue in issues))
