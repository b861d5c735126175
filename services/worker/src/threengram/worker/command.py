"""`python -m threengram.worker jobs ...`: background work by hand, where there is no console script, as in a container.

kubectl exec deploy/threengram-worker-default -- python -m threengram.worker jobs list --state failed
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.worker import job_requests
from threengram.worker.settings import Settings


def jobs(arguments: Sequence[str]) -> int:
    """Print the answer as JSON, a line for each run of a list; the exit code."""
    request = vars(_parser().parse_args(arguments))
    try:
        answer = asyncio.run(_answer(request))
    except Error as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for line in answer.get("runs", [answer]):
        sys.stdout.write(json.dumps(line) + "\n")
    return 0


async def _answer(request: dict[str, Any]) -> dict[str, Any]:
    settings = Settings.model_validate({})
    async with Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1) as database:
        return await job_requests.answer(database, request, datetime.now(UTC))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m threengram.worker jobs")
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="runs, newest first; failed ones are the dead letters")
    listing.add_argument("--kind")
    listing.add_argument("--state", dest="states", action="append", default=[])
    listing.add_argument("--limit", type=int, default=50)
    running = actions.add_parser("run", help="put a run in line now")
    running.add_argument("kind")
    running.add_argument("--user", dest="email")
    for action in ("show", "cancel", "retry"):
        actions.add_parser(action).add_argument("id")
    actions.add_parser("erase", help="shut an account for good and redact it").add_argument("email")
    return parser
