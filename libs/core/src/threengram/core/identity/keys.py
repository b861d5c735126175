"""The published signing keys, cached: public halves only, read without a tenant."""

import asyncio
import time
from collections.abc import Callable

from joserfc.jwk import RSAKey

from threengram.core.db.database import Database
from threengram.core.identity.queries import PUBLISHED_KEYS

MIN_REFETCH_S = 5.0
MAX_AGE_S = 300.0


class PublishedKeys:
    """Keys by `kid`, refetched when an unknown one is asked for, at most once in `MIN_REFETCH_S`, or after `MAX_AGE_S`.

    A rotation publishes the new key before it signs, and a withdrawn one disappears within `MAX_AGE_S`.
    """

    def __init__(self, database: Database, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._monotonic = monotonic
        self._keys: dict[str, RSAKey] = {}
        self._fetched_at: float | None = None
        self._lock = asyncio.Lock()

    async def find(self, kid: str) -> RSAKey | None:
        """The public key named `kid`, or None."""
        key = self._keys.get(kid)
        if self._age_s() > (MIN_REFETCH_S if key is None else MAX_AGE_S):
            async with self._lock:
                if self._age_s() > (MIN_REFETCH_S if kid not in self._keys else MAX_AGE_S):
                    await self._refetch()
            key = self._keys.get(kid)
        return key

    def _age_s(self) -> float:
        return float("inf") if self._fetched_at is None else self._monotonic() - self._fetched_at

    async def _refetch(self) -> None:
        async with self._database.system() as tx:
            rows = await tx.fetch_last(PUBLISHED_KEYS)
        self._keys = {row["kid"]: RSAKey.import_key(row["public_jwk"]) for row in rows}
        self._fetched_at = self._monotonic()
