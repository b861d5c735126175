"""One authorised call: the caller, one lazily opened transaction, the collaborators, the clock.

Both transports do the same thing: open a call, run one verb on it, format the result. Admission (is the credential
still good, what is the tenant's policy) is the first round trip; it runs as a task of its own so that a verb can do
its network work meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from threengram.core.db.database import Database, TenantTransaction
from threengram.core.embeddings.embedder import Embedder
from threengram.core.identity.admission import Admission, admit
from threengram.core.principal import Principal
from threengram.core.search.cursor import CursorSealer


@dataclass(frozen=True, slots=True)
class Core:
    """What a process needs to run verbs. `embedder` is None where no embedder is configured."""

    database: Database
    embedder: Embedder | None
    cursors: CursorSealer
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Call:
    """What a verb gets. `now` is the instant of the call for every rule in it."""

    principal: Principal
    tx: TenantTransaction
    embedder: Embedder | None
    cursors: CursorSealer
    now: datetime
    admission: asyncio.Task[Admission]

    async def admitted(self) -> Admission:
        """The tenant's standing and policy; raises `TokenRevoked` or `AccessSuspended`."""
        return await asyncio.shield(self.admission)


@asynccontextmanager
async def open_call(core: Core, principal: Principal) -> AsyncIterator[Call]:
    """A call that commits when its block succeeds; nothing leaves the block before admission is known to be good."""
    now = core.clock()
    admission = asyncio.create_task(admit(core.database, principal, now))
    try:
        async with core.database.tenant(principal) as tx:
            call = Call(principal, tx, core.embedder, core.cursors, now, admission)
            yield call
            await call.admitted()
    finally:
        if not admission.done():
            admission.cancel()
        await asyncio.gather(admission, return_exceptions=True)
