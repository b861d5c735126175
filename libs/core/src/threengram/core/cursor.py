"""Page cursors: opaque, small, bound to one tenant and one query, and authenticated.

A relevance walk freezes its ranking in the cursor: the numbers of the memories still to come and their scores. What it
carries is packed, not JSON, and sealed by a MAC (HMAC-SHA-256, RFC 2104, truncated to 16 bytes) over the tenant, the
fingerprint of the query and the payload, so that neither can be exchanged.
"""

import base64
import binascii
import hashlib
import hmac
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self, TypeVar
from uuid import UUID

import orjson

from threengram.core.errors import InvalidCursor
from threengram.core.sealing import Sealer
from threengram.schema.bounds import MAX_CURSOR_CHARS

MAC_BYTES = 16
_RANKED, _LISTED, _FACTS, _PROPOSALS = b"v", b"l", b"f", b"p"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCORE_STEPS = 10_000
"""A score is kept as it is shown, to four digits."""


@dataclass(frozen=True, slots=True)
class RankedRest:
    """What is left of a frozen ranking: memory numbers in order, and their scores."""

    numbers: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ListedAfter:
    """The last row of a chronological page; the next one continues below it."""

    recorded_at: datetime
    memory_id: UUID


@dataclass(frozen=True, slots=True)
class FactsAfter:
    """The last fact of a page, by the instant that orders the walk, and the now of the walk's first page."""

    instant: datetime
    fact_id: UUID
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ProposalsAfter:
    """The last row of either kind on a page of proposals."""

    edge: ListedAfter
    fact: ListedAfter


State = RankedRest | ListedAfter | FactsAfter | ProposalsAfter
Wanted = TypeVar("Wanted", bound=State)


class CursorSealer:
    """Seals and opens cursors with one key, shared by every replica and by both transports."""

    def __init__(self, key: bytes) -> None:
        if len(key) < 32:
            raise ValueError("a cursor key has at least 32 bytes")
        self._key = key

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The sealer with a key in base64url, as settings hold it; raises `ValueError` without saying what it was."""
        try:
            return cls(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
        except binascii.Error:
            raise ValueError("the cursor key is not base64url") from None

    def sealer(self, purpose: str) -> Sealer:
        """A sealer of other things, whose key tells nothing about this one's."""
        return Sealer(self._key, purpose)

    def seal(self, tenant_id: UUID, fingerprint: bytes, state: State) -> str:
        """The cursor as URL-safe text."""
        return self._sealed(tenant_id, fingerprint, _packed(state))

    def _sealed(self, tenant_id: UUID, fingerprint: bytes, payload: bytes) -> str:
        return base64.urlsafe_b64encode(self._mac(tenant_id, fingerprint, payload) + payload).rstrip(b"=").decode()

    def open(self, tenant_id: UUID, fingerprint: bytes, cursor: str) -> State:
        """The state that was sealed for this tenant and this query; raises `InvalidCursor` for anything else."""
        if len(cursor) > MAX_CURSOR_CHARS or not cursor.isascii():
            raise InvalidCursor
        try:
            sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except ValueError as error:
            raise InvalidCursor from error
        mac, payload = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(tenant_id, fingerprint, payload)):
            raise InvalidCursor
        return _unpacked(payload)

    def resume(self, kind: type[Wanted], tenant_id: UUID, fingerprint: bytes, cursor: str | None) -> Wanted | None:
        """The state of that kind, None without a cursor; raises `InvalidCursor` as `open` does."""
        if cursor is None:
            return None
        state = self.open(tenant_id, fingerprint, cursor)
        if not isinstance(state, kind):
            raise InvalidCursor
        return state

    def _mac(self, tenant_id: UUID, fingerprint: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._key, tenant_id.bytes + fingerprint + payload, "sha256")[:MAC_BYTES]


def fingerprint(asked: Mapping[str, object]) -> bytes:
    """32 bytes that stand for a query with its filters, whatever the order of its keys; that of lists counts."""
    return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).digest()


def _packed(state: State) -> bytes:
    if isinstance(state, RankedRest):
        return _RANKED + _packed_ranking(state)
    if isinstance(state, FactsAfter):
        return _FACTS + struct.pack(">qq", _micros(state.instant), _micros(state.seen_at)) + state.fact_id.bytes
    if isinstance(state, ProposalsAfter):
        return _PROPOSALS + _row(state.edge) + _row(state.fact)
    return _LISTED + _row(state)


def _row(state: ListedAfter) -> bytes:
    return struct.pack(">q", _micros(state.recorded_at)) + state.memory_id.bytes


def _unpacked(payload: bytes) -> State:
    """Only ever called with what `_packed` made: the MAC has been checked."""
    kind, body = payload[:1], payload[1:]
    if kind == _RANKED:
        return _ranking(body)
    if kind == _FACTS:
        instant, seen_at = struct.unpack(">qq", body[:16])
        return FactsAfter(_instant(instant), UUID(bytes=body[16:]), _instant(seen_at))
    if kind == _PROPOSALS:
        return ProposalsAfter(_listed(body[:24]), _listed(body[24:]))
    if kind == _LISTED:
        return _listed(body)
    raise InvalidCursor


def _packed_ranking(rest: RankedRest) -> bytes:
    """By turns a memory's number and how many steps its score is below the one before, each as a varint.

    A ranking falls in small steps, so most of both take one or two bytes: a model reads the cursor with every page.
    """
    packed = bytearray()
    before = 0
    for number, score in zip(rest.numbers, rest.scores, strict=True):
        steps = round(score * SCORE_STEPS)
        fall = before - steps
        _append_varint(packed, number)
        _append_varint(packed, fall << 1 if fall >= 0 else ~(fall << 1))
        before = steps
    return bytes(packed)


def _ranking(body: bytes) -> RankedRest:
    numbers, scores = [], []
    values = _varints(body)
    steps = 0
    for number, fall in zip(values, values, strict=True):
        steps -= ~(fall >> 1) if fall & 1 else fall >> 1
        numbers.append(number)
        scores.append(steps / SCORE_STEPS)
    return RankedRest(tuple(numbers), tuple(scores))


def _append_varint(packed: bytearray, value: int) -> None:
    """Seven bits a byte, lowest first; the eighth says that more follow (LEB128)."""
    while value > 0x7F:
        packed.append(0x80 | value & 0x7F)
        value >>= 7
    packed.append(value)


def _varints(body: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in body:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield value
            value = shift = 0


def _listed(body: bytes) -> ListedAfter:
    (recorded_at,) = struct.unpack(">q", body[:8])
    return ListedAfter(_instant(recorded_at), UUID(bytes=body[8:]))


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _instant(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
