"""A document's bytes: redirects one hop at a time, each checked like the first URL; caps on time, bytes and headers."""

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Final
from urllib.parse import urljoin

import httpx2

from threengram.cimd import transport
from threengram.cimd.addresses import AddressPolicy, IpAddress
from threengram.cimd.admission import HostRoom
from threengram.cimd.failures import Unresolved
from threengram.cimd.freshness import Freshness, freshness
from threengram.cimd.resolver import Resolver
from threengram.cimd.settings import Settings
from threengram.runtime.deadline import DeadlineExceeded, deadline, remaining_s
from threengram.schema.oauth import ResolveFailure
from threengram.schema.urls import DocumentUrl, parse_document_url

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# Answers that speak of this moment rather than of the document.
_MOMENTARY: Final = frozenset({408, 425, 429})
_MAX_HEADER_BYTES: Final = 16_384
_JSON: Final = re.compile(
    r"""application/(?:json|[a-z0-9!#$&^_.\-]+\+json)[ \t]*(?:;[ \t]*charset=(?:"utf-8"|utf-8)[ \t]*)?;?""",
    re.ASCII | re.IGNORECASE,
)
_NO_URL: Final = re.compile(r"[^\x21-\x7e]")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a URL led to. The freshness is that of the shortest-lived response on the way."""

    body: bytes
    freshness: Freshness
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class _Moved:
    to: DocumentUrl
    freshness: Freshness


class Fetcher:
    """Fetches over connections that reach only addresses which `is_allowed`, by default nothing private."""

    def __init__(
        self,
        settings: Settings,
        *,
        resolver: Resolver,
        is_allowed: AddressPolicy,
        tls: ssl.SSLContext,
        clock: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._is_allowed = is_allowed
        self._tls = tls
        self._clock = clock
        self._room = HostRoom(settings.max_fetches_per_host)

    async def fetch(self, url: DocumentUrl) -> Fetched:
        """The bytes behind a URL, within the one deadline of the whole way. Raises `Unresolved`."""
        try:
            async with deadline(self._settings.resolve_timeout_s):
                return await self._follow(url)
        except DeadlineExceeded:
            raise Unresolved(ResolveFailure.DEADLINE_EXCEEDED) from None

    async def _follow(self, url: DocumentUrl) -> Fetched:
        found = await self._hop(url)
        for _ in range(self._settings.max_redirects):
            if isinstance(found, Fetched):
                return found
            after = await self._hop(found.to)
            combined = found.freshness.and_then(after.freshness)
            found = (
                Fetched(after.body, combined, after.fetched_at)
                if isinstance(after, Fetched)
                else _Moved(after.to, combined)
            )
        if isinstance(found, Fetched):
            return found
        raise Unresolved(ResolveFailure.TOO_MANY_REDIRECTS)

    async def _hop(self, url: DocumentUrl) -> Fetched | _Moved:
        with self._room.of(url.host):
            addresses = await self._addresses(url)
            # The deadline is the bound; this one only has to be no shorter.
            timeout_s = self._settings.resolve_timeout_s
            async with transport.get(url, addresses, self._tls, timeout_s=timeout_s) as response:
                return await self._read(url, response)

    async def _addresses(self, url: DocumentUrl) -> tuple[IpAddress, ...]:
        """Every address of the host, all of them allowed: one that is not makes the others suspect."""
        if url.is_address:
            addresses: tuple[IpAddress, ...] = (ip_address(url.host),)
        else:
            timeout_s = remaining_s(self._settings.resolve_timeout_s)
            addresses = await self._resolver.addresses(url.host, timeout_s)
        if not all(self._is_allowed(address) for address in addresses):
            raise Unresolved(ResolveFailure.UNSAFE_ADDRESS)
        return addresses

    async def _read(self, url: DocumentUrl, response: httpx2.Response) -> Fetched | _Moved:
        if sum(len(name) + len(value) for name, value in response.headers.raw) > _MAX_HEADER_BYTES:
            raise Unresolved(ResolveFailure.INVALID_RESPONSE, "The response has too many headers")
        now = self._clock()
        found = freshness(
            response.headers, now, default_ttl_s=self._settings.default_ttl_s, max_ttl_s=self._settings.max_ttl_s
        )
        if response.status_code in _REDIRECTS:
            return _Moved(_redirect(url, response), found)
        _check_status(response.status_code)
        _check_headers(response, self._settings.max_document_bytes)
        return Fetched(await _body(response, self._settings.max_document_bytes), found, now)


def _redirect(url: DocumentUrl, response: httpx2.Response) -> DocumentUrl:
    location = response.headers.get("location", "")
    # `urljoin` drops some control characters; a URL that needs it is none.
    if not location or _NO_URL.search(location) is not None:
        raise Unresolved(ResolveFailure.UNSAFE_REDIRECT)
    try:
        return parse_document_url(urljoin(url.text, location))
    except ValueError:
        raise Unresolved(ResolveFailure.UNSAFE_REDIRECT) from None


def _check_status(status: int) -> None:
    if status == 200:
        return
    if status >= 500 or status in _MOMENTARY:
        raise Unresolved(ResolveFailure.DOCUMENT_UNAVAILABLE)
    raise Unresolved(ResolveFailure.DOCUMENT_MISSING)


def _check_headers(response: httpx2.Response, max_bytes: int) -> None:
    if _JSON.fullmatch(response.headers.get("content-type", "").strip()) is None:
        raise Unresolved(ResolveFailure.INVALID_RESPONSE, "The response is not JSON in UTF-8")
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Unresolved(ResolveFailure.INVALID_RESPONSE, "The response is compressed, which was not asked for")
    declared = response.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > 10 or int(declared) > max_bytes):
        raise _too_long(max_bytes)


async def _body(response: httpx2.Response, max_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > max_bytes:
            raise _too_long(max_bytes)
    return bytes(body)


def _too_long(max_bytes: int) -> Unresolved:
    return Unresolved(ResolveFailure.INVALID_RESPONSE, f"The document has more than {max_bytes} bytes")
