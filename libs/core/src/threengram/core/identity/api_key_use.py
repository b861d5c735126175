"""API keys as a busy process sees them: resolved once in a while, their use recorded beside the calls."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from threengram.core.db.database import Database
from threengram.core.errors import Unavailable
from threengram.core.identity import queries
from threengram.core.identity.api_keys import ResolvedKey, has_key_form, key_hash, resolve_api_key
from threengram.core.principal import Principal

MAX_ENTRIES = 4096
MAX_AGE = timedelta(seconds=60)
TOUCH_INTERVAL = timedelta(seconds=60)
LAST_WRITES_S = 2.0


class ApiKeyResolver:
    """Remembers for a minute who a key stands for, by the key's hash.

    Nothing is trusted longer for it: admission reads the key's row in the first round trip of each call, so a revoked
    key fails at once. Unknown keys are not remembered, so a new one works at once.
    """

    def __init__(self, database: Database, uses: "ApiKeyUses") -> None:
        self._database = database
        self._uses = uses
        self._resolved: OrderedDict[bytes, tuple[datetime, ResolvedKey]] = OrderedDict()

    async def principal(self, text: str, now: datetime) -> Principal | None:
        """The caller; None for a key that is unknown, malformed or expired."""
        if not has_key_form(text):
            return None
        digest = key_hash(text)
        resolved = self._known(digest, now)
        if resolved is None:
            resolved = await resolve_api_key(self._database, text, now)
            if resolved is None:
                return None
            self._keep(digest, resolved, now)
        self._uses.note(resolved.principal, now)
        return resolved.principal

    def _known(self, digest: bytes, now: datetime) -> ResolvedKey | None:
        resolved_at, resolved = self._resolved.get(digest, (now, None))
        if resolved is None:
            return None
        if now - resolved_at > MAX_AGE or (resolved.expires_at is not None and resolved.expires_at <= now):
            del self._resolved[digest]
            return None
        return resolved

    def _keep(self, digest: bytes, resolved: ResolvedKey, now: datetime) -> None:
        self._resolved[digest] = now, resolved
        if len(self._resolved) > MAX_ENTRIES:
            self._resolved.popitem(last=False)


class ApiKeyUses:
    """Writes `last_used_at`, at most once a minute for each key, from a task of its own: no call waits for it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._noted: OrderedDict[Principal, datetime] = OrderedDict()
        self._pending: dict[Principal, datetime] = {}
        self._is_pending = asyncio.Event()
        self._is_written = asyncio.Event()
        self._is_written.set()

    def note(self, principal: Principal, now: datetime) -> None:
        """The key of this principal was presented."""
        noted = self._noted.get(principal)
        if noted is not None and now - noted < TOUCH_INTERVAL:
            return
        self._noted[principal] = now
        self._noted.move_to_end(principal)
        if len(self._noted) > MAX_ENTRIES:
            self._noted.popitem(last=False)
        self._pending[principal] = now
        self._is_written.clear()
        self._is_pending.set()

    async def written(self) -> None:
        """Return once nothing that was noted waits to be written."""
        await self._is_written.wait()

    @asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Write what is noted while the block runs; at its end, what is left gets `LAST_WRITES_S`."""
        task = asyncio.create_task(self._record())
        try:
            yield
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WRITES_S):
                    await self.written()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _record(self) -> None:
        while True:
            await self._is_pending.wait()
            self._is_pending.clear()
            while self._pending:
                await self._touch(*self._pending.popitem())
            self._is_written.set()

    async def _touch(self, principal: Principal, used_at: datetime) -> None:
        parameters = {"key_id": principal.credential_id, "used_at": used_at}
        # A use that the database can't take now is forgotten.
        with suppress(Unavailable):
            async with self._database.tenant(principal) as tx:
                await tx.fetch_last(queries.TOUCH_API_KEY, parameters)
