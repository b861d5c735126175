"""Requests about job runs, put to the database of a running stack."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from threengram.cli.desk import opened
from threengram.worker import desk


@dataclass(frozen=True)
class JobDesk:
    """Acts on one database as the runtime role."""

    runtime_url: str = field(repr=False)

    async def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        """The answer to a `jobs` request of the control socket; raises `CannotRun` for what can't be done."""
        async with opened(self.runtime_url) as database:
            return await desk.answer(database, request, now)
