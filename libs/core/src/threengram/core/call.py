"""One authorised call: the caller, one lazily opened transaction, the collaborators, the clock.

Both transports do the same thing: open a call, run one verb on it, format the result. Admission (does the credential
still stand, what is the tenant's policy) is the first round trip; it runs as a task of its own so that a verb can do
its network work meanwhile. A verb reaches the database only through `admitted`, so no row can be touched before.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Begin, Database, TenantTransaction
from threengram.core.embeddings.embedder import Embedder
from threengram.core.errors import AccessSuspended, InsufficientScope
from threengram.core.identity.admission import Admission, admit
from threengram.core.principal import Principal
from threengram.core.time.clock import Clock
from threengram.schema.enums import AccountStatus, OAuthScope


@dataclass(frozen=True, slots=True)
class Core:
    """What a process needs to run verbs. `embedder` is None where no embedder is configured.

    A search goes on without vectors after `embed_query_timeout_s`, a write leaves them to a job after
    `embed_write_timeout_s`.
    """

    database: Database
    embedder: Embedder | None
    cursors: CursorSealer
    clock: Clock
    embed_query_timeout_s: float = 0.15
    embed_write_timeout_s: float = 0.3


class Call:
    """What a verb gets. `now` is the instant of the call for every rule in it."""

    def __init__(self, core: Core, principal: Principal, tx: TenantTransaction, admission: asyncio.Task[Admission],
                 now: datetime) -> None:  # fmt: skip
        self.core = core
        self.principal = principal
        self.now = now
        self._tx = tx
        self._admission = admission
        self._is_leaving = False

    def require(self, scope: OAuthScope) -> None:
        """For verbs whose actions differ in what they need; raises `InsufficientScope`."""
        if scope not in self.principal.scopes:
            raise InsufficientScope(scope)

    async def admitted(
        self, begin: Begin = Begin.READ_WRITE, *, leaving: bool = False
    ) -> tuple[Admission, TenantTransaction]:
        """The tenant's standing and the way to its rows; raises `TokenRevoked` or `AccessSuspended`.

        A verb whose reads have to agree with each other asks for `Begin.SNAPSHOT`; one for which it is enough that the
        account is not erased, since somebody leaves with it, says `leaving`.
        """
        admission = await asyncio.shield(self._admission)
        self._is_leaving = self._is_leaving or leaving
        if admission.is_suspended and not self._is_leaving:
            raise AccessSuspended(AccountStatus.SUSPENDED)
        if begin is not Begin.READ_WRITE:
            self._tx.begin_as(begin)
        return admission, self._tx


OpenCall = Callable[[Principal], AbstractAsyncContextManager[Call]]
"""An authorised call for a principal; it commits when its block succeeds."""


@asynccontextmanager
async def open_call(core: Core, principal: Principal) -> AsyncIterator[Call]:
    """A call that commits when its block succeeds; nothing leaves the block before admission is known to be good."""
    now = core.clock()
    admission = asyncio.create_task(admit(core.database, principal, now))
    try:
        async with core.database.tenant(principal) as tx:
            call = Call(core, principal, tx, admission, now)
            yield call
            await call.admitted()
    finally:
        admission.cancel()
        await asyncio.gather(admission, return_exceptions=True)
