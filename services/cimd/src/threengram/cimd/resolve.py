"""A client identifier to a valid document: the cache, one fetch for all who ask at once, and what limits it."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from pydantic import ValidationError

from threengram.cimd.admission import NewDocuments, Pauses
from threengram.cimd.cache import DocumentCache
from threengram.cimd.failures import Unresolved
from threengram.cimd.fetch import Fetched, Fetcher
from threengram.cimd.settings import Settings
from threengram.runtime import metrics
from threengram.runtime.logging import get_logger
from threengram.runtime.telemetry import span
from threengram.schema.errors import issues_of
from threengram.schema.oauth import ClientMetadata, ResolveFailure, ResolveResponse
from threengram.schema.urls import DocumentUrl, InvalidUrl, parse_document_url

_RETRY_AFTER_S = 1
_log = get_logger(__name__)

Outcome = ResolveResponse | Unresolved


class Documents:
    """The documents of this process. A fetch belongs to nobody who waits for it: it ends by its own deadline."""

    def __init__(self, settings: Settings, fetcher: Fetcher, clock: Callable[[], datetime]) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._max_fetches = settings.max_fetches
        self._cache = DocumentCache(max_entries=settings.cache_entries, max_bytes=settings.cache_bytes)
        self._new = NewDocuments(settings.new_documents_per_minute)
        self._pauses = Pauses()
        self._fetches: dict[str, asyncio.Task[Outcome]] = {}
        self._active: Counter[bool] = Counter()

    async def resolve(self, client_id: str) -> ResolveResponse:
        """The document that the identifier names. Raises `Unresolved`."""
        source = "cached"
        try:
            url = _parse(client_id)
            cached = self._cache.get(client_id, self._clock())
            if cached is None:
                source = "shared" if client_id in self._fetches else "fetched"
                # A caller that goes away leaves the fetch to the others.
                outcome = await asyncio.shield(self._fetch_of(url))
                if isinstance(outcome, Unresolved):
                    raise outcome.again(outcome.retry_after_s)
                cached = outcome
        except Unresolved as error:
            metrics.CIMD_RESOLUTIONS.labels(error.failure.value).inc()
            raise
        metrics.CIMD_RESOLUTIONS.labels(source).inc()
        return cached

    async def close(self) -> None:
        """Give up what is still being fetched."""
        fetches = list(self._fetches.values())
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)

    def _fetch_of(self, url: DocumentUrl) -> asyncio.Task[Outcome]:
        """The fetch of a URL that runs already, or a new one if that may be. Raises `Unresolved`."""
        running = self._fetches.get(url.text)
        if running is not None:
            return running
        now = self._clock()
        self._pauses.check(url.text, now)
        # Known URLs have as much room of their own, so that slow strangers can't hold up the clients in use.
        is_known = self._new.knows(url.text)
        if self._active[is_known] >= self._max_fetches:
            raise Unresolved(ResolveFailure.CAPACITY_EXCEEDED, retry_after_s=_RETRY_AFTER_S)
        self._new.admit(url.text, now)
        task = asyncio.create_task(self._fetch(url))
        self._fetches[url.text] = task
        self._active[is_known] += 1
        task.add_done_callback(lambda _ended: self._ended(url, is_known))
        return task

    def _ended(self, url: DocumentUrl, is_known: bool) -> None:
        del self._fetches[url.text]
        self._active[is_known] -= 1

    async def _fetch(self, url: DocumentUrl) -> Outcome:
        """The outcome as a value, since an exception that several callers await would collect all their frames."""
        started = time.perf_counter()
        host_class = "address" if url.is_address else "name"
        outcome: Outcome
        with metrics.CIMD_ACTIVE.track_inprogress(), span("cimd.fetch", host_class=host_class) as current:
            try:
                fetched = await self._fetcher.fetch(url)
                outcome = self._keep(url, fetched)
            except Unresolved as error:
                # Our own lack of room says nothing about the URL.
                is_ours = error.failure is ResolveFailure.CAPACITY_EXCEEDED
                outcome = (
                    error.again(_RETRY_AFTER_S) if is_ours else self._pauses.failed(url.text, error, self._clock())
                )
            label = outcome.failure.value if isinstance(outcome, Unresolved) else "ok"
            current.set(outcome=label)
        elapsed_s = time.perf_counter() - started
        metrics.CIMD_FETCH_DURATION.labels(label).observe(elapsed_s)
        _log.info("document_fetched", host_class=host_class, outcome=label, duration_ms=round(elapsed_s * 1000, 2))
        return outcome

    def _keep(self, url: DocumentUrl, fetched: Fetched) -> ResolveResponse:
        """The validated document, kept as long as it may be. Raises `Unresolved`."""
        resolved = ResolveResponse(
            document=_validated(url, fetched.body),
            fetched_at=fetched.fetched_at,
            expires_at=fetched.fetched_at + timedelta(seconds=fetched.freshness.ttl_s),
            may_serve_stale=fetched.freshness.may_serve_stale,
        )
        self._pauses.succeeded(url.text)
        self._new.know(url.text)
        self._cache.put(url.text, resolved, len(fetched.body))
        metrics.CIMD_CACHE_BYTES.set(self._cache.size_bytes)
        return resolved


def _parse(client_id: str) -> DocumentUrl:
    try:
        return parse_document_url(client_id)
    except InvalidUrl as error:
        # The message names a rule, never the URL.
        raise Unresolved(ResolveFailure.INVALID_CLIENT_ID, str(error)) from None


def _validated(url: DocumentUrl, body: bytes) -> ClientMetadata:
    try:
        return ClientMetadata.parse(body, url.text)
    except ValidationError as error:
        raise Unresolved(ResolveFailure.INVALID_DOCUMENT, issues=issues_of(error)) from None
