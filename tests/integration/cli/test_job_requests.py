"""Background jobs from the command line: seen, started, stopped, brought back; what can't be done is said in a line."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from tests.conftest import Clock
from tests.integration.jobs.working import Workshop, raising
from threengram.cli.errors import CannotRun
from threengram.cli.requests import jobs
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


Ask = Callable[[dict[str, Any], datetime], Awaitable[dict[str, Any]]]


@pytest.fixture
def ask(database_url: str) -> Ask:
    return partial(jobs.answer, database_url)


async def listed(ask: Ask, kind: str, *states: str) -> list[dict[str, Any]]:
    answer = await ask({"action": "list", "kind": kind, "states": list(states), "limit": 50}, NOW)
    runs: list[dict[str, Any]] = answer["runs"]
    return runs


async def test_a_job_is_run_for_one_account_and_cancelled_again(ask: Ask, database: Database) -> None:
    email = f"{new_id()}@example.test"
    owner = await provision.create_tenant(database, email=email, name="a tenant", now=NOW)
    request = {"action": "run", "kind": "surface", "email": email}
    run_id = (await ask(request, NOW))["id"]
    shown = await ask({"action": "show", "id": run_id}, NOW)
    assert (shown["state"], shown["tenantId"], shown["dueAt"]) == (
        "queued",
        str(owner.tenant_id),
        "2026-03-02T09:00:00Z",
    )
    with pytest.raises(CannotRun, match="waits or works already"):
        await ask(request, NOW)
    assert await ask({"action": "cancel", "id": run_id}, NOW) == {"state": "cancelled"}
    with pytest.raises(CannotRun, match="cancelled already"):
        await ask({"action": "cancel", "id": run_id}, NOW)


async def test_dead_letters_are_listed_and_brought_back(ask: Ask, database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(ValueError()), options={"attempts": 1})
    run_id = str(await shop.enqueue())
    assert await listed(ask, shop.name, "failed") == []
    await shop.drain()
    (dead,) = await listed(ask, shop.name, "failed")
    assert (dead["id"], dead["errorClass"], dead["attempts"]) == (run_id, "ValueError", 1)
    await ask({"action": "retry", "id": run_id}, NOW)
    assert await listed(ask, shop.name, "failed") == []
    assert [run["id"] for run in await listed(ask, shop.name, "queued")] == [run_id]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"action": "run", "kind": "magic", "email": None}, "there are .*surface"),
        ({"action": "run", "kind": "erase", "email": None}, "asked for in its own way"),
        ({"action": "run", "kind": "erase", "email": "me@localhost"}, "no such user"),
        ({"action": "run", "kind": "purge", "email": "nobody@example.test"}, "no such user"),
        ({"action": "show", "id": "1"}, "give the id"),
        ({"action": "show", "id": str(new_id())}, "no such job run"),
        ({"action": "list", "kind": None, "states": ["asleep"], "limit": 1}, "there are queued"),
        ({"action": "dance"}, "unknown jobs request"),
    ],
)
async def test_what_cannot_be_done_is_refused_in_one_line(ask: Ask, request_: dict[str, Any], reason: str) -> None:
    with pytest.raises(CannotRun, match=reason):
        await ask(request_, NOW)


async def test_an_erasure_is_not_started_as_a_job(ask: Ask, database: Database) -> None:
    email = f"{new_id()}@example.test"
    await provision.create_tenant(database, email=email, name="a tenant", now=NOW)
    with pytest.raises(CannotRun, match="not run for a single account"):
        await ask({"action": "run", "kind": "erase", "email": email}, NOW)
