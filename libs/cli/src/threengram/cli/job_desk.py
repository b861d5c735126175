"""Requests about job runs, put to the database of a running stack."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from threengram.cli.errors import CannotRun
from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.worker import desk


@dataclass(frozen=True)
class JobDesk:
    """Acts on one database as the runtime role."""

    runtime_url: str = field(repr=False)

    async def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        """The answer to a `jobs` request of the control socket; raises `CannotRun` for what can't be done."""
        database = Database(self.runtime_url, pool_min=1, pool_max=1)
        await database.open()
        try:
            return await desk.answer(database, request, now)
        except Error as error:
            raise CannotRun(str(error), exit_code=1) from error
        finally:
            await database.close()
