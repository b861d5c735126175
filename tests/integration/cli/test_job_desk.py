"""Background jobs from the command line: seen, started, stopped, brought back; what can't be done is said in a line."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conftest import Clock
from tests.integration.jobs.working import Workshop, raising
from threengram.cli.errors import CannotRun
from threengram.cli.job_desk import JobDesk
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def desk(database_url: str) -> JobDesk:
    return JobDesk(database_url)


async def listed(desk: JobDesk, kind: str, *states: str) -> list[dict[str, Any]]:
    answer = await desk.answer({"action": "list", "kind": kind, "states": list(states), "limit": 50}, NOW)
    runs: list[dict[str, Any]] = answer["runs"]
    return runs


async def test_a_job_is_run_for_one_account_and_cancelled_again(desk: JobDesk, database: Database) -> None:
    email = f"{new_id()}@example.test"
    owner = await provision.create_tenant(database, email=email, name="a tenant", now=NOW)
    request = {"action": "run", "kind": "surface", "email": email}
    run_id = (await desk.answer(request, NOW))["id"]
    shown = await desk.answer({"action": "show", "id": run_id}, NOW)
    assert (shown["state"], shown["tenantId"], shown["dueAt"]) == (
        "queued",
        str(owner.tenant_id),
        "2026-03-02T09:00:00Z",
    )
    with pytest.raises(CannotRun, match="waits or works already"):
        await desk.answer(request, NOW)
    assert await desk.answer({"action": "cancel", "id": run_id}, NOW) == {"state": "cancelled"}
    with pytest.raises(CannotRun, match="cancelled already"):
        await desk.answer({"action": "cancel", "id": run_id}, NOW)


async def test_dead_letters_are_listed_and_brought_back(desk: JobDesk, database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(ValueError()), options={"attempts": 1})
    run_id = str(await shop.enqueue())
    assert await listed(desk, shop.name, "failed") == []
    await shop.drain()
    (dead,) = await listed(desk, shop.name, "failed")
    assert (dead["id"], dead["errorClass"], dead["attempts"]) == (run_id, "ValueError", 1)
    await desk.answer({"action": "retry", "id": run_id}, NOW)
    assert await listed(desk, shop.name, "failed") == []
    assert [run["id"] for run in await listed(desk, shop.name, "queued")] == [run_id]


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
async def test_what_cannot_be_done_is_refused_in_one_line(desk: JobDesk, request_: dict[str, Any], reason: str) -> None:
    with pytest.raises(CannotRun, match=reason):
        await desk.answer(request_, NOW)


async def test_an_erasure_is_not_started_as_a_job(desk: JobDesk, database: Database) -> None:
    email = f"{new_id()}@example.test"
    await provision.create_tenant(database, email=email, name="a tenant", now=NOW)
    with pytest.raises(CannotRun, match="not run for a single account"):
        await desk.answer({"action": "run", "kind": "erase", "email": email}, NOW)
