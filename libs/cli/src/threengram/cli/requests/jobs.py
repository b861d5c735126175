"""Job runs: listed, shown, enqueued, cancelled, brought back."""

from datetime import datetime
from typing import Any

from threengram.cli.requests.database import opened
from threengram.worker import job_requests


async def answer(runtime_url: str, request: dict[str, Any], now: datetime) -> dict[str, Any]:
    """The answer to a `jobs` request of the control socket; raises `CannotRun` for what can't be done."""
    async with opened(runtime_url) as database:
        return await job_requests.answer(database, request, now)
