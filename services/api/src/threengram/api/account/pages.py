"""All pages about the account."""

from starlette.routing import Route

from threengram.api.account.keys import KeysPage
from threengram.api.account.leaving import LeavingPages
from threengram.api.account.overview import OverviewPage
from threengram.api.account.own import Own
from threengram.api.breaches import Breaches
from threengram.api.exports import Exports
from threengram.api.login import Logins
from threengram.core.db.database import Database
from threengram.core.people.passwords import PasswordHashes
from threengram.core.time.clock import Clock


class AccountPages:
    """`/account` and what is below it."""

    def __init__(
        self,
        logins: Logins,
        database: Database,
        hashes: PasswordHashes,
        clock: Clock,
        exports: Exports,
        breaches: Breaches,
    ) -> None:
        self._own = Own(logins, database, hashes, clock, breaches)
        self._exports = exports

    def routes(self) -> list[Route]:
        """What `app` serves."""
        return [
            *OverviewPage(self._own).routes(),
            *KeysPage(self._own).routes(),
            *LeavingPages(self._own, self._exports).routes(),
        ]
