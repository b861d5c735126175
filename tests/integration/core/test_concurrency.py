"""Many at once: one successor, whole chains, no stranded obligation, no lost fact."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterable
from random import Random
from typing import TypeVar
from uuid import UUID

import pytest

from tests.conftest import CURSOR_KEY, Clock
from tests.integration.core.writing import correct, day, facts, read, rows, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.commitments import mark_due
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.errors import Conflict, InvalidTransition, NotFound

Result = TypeVar("Result")


@pytest.fixture
async def crowd(database_url: str, clock: Clock) -> AsyncIterator[Core]:
    """A core for many callers at once, without an embedder."""
    async with Database(database_url, pool_min=1, pool_max=16) as pool:
        yield Core(pool, None, CursorSealer(CURSOR_KEY), clock)


async def at_once(calls: Iterable[Awaitable[Result]], *, callers: int = 100) -> list[Result | BaseException]:
    """The outcome of each call, at most `callers` of them at a time."""
    turnstile = asyncio.Semaphore(callers)

    async def admitted(call: Awaitable[Result]) -> Result:
        async with turnstile:
            return await call

    return await asyncio.gather(*(admitted(call) for call in calls), return_exceptions=True)


async def test_of_a_hundred_revisions_of_one_memory_one_wins(crowd: Core, alice: Person) -> None:
    first = await write(crowd, alice)
    outcomes = await at_once(correct(crowd, alice, first.memory.id, content=f"version {i}") for i in range(100))
    lost = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert (len(lost), {type(outcome) for outcome in lost}) == (99, {Conflict})
    (edges,) = await rows(crowd, alice, "SELECT count(*) AS count FROM memory_edges")
    (memories,) = await rows(crowd, alice, "SELECT count(*) AS count FROM memories")
    (events,) = await rows(crowd, alice, "SELECT count(*) AS count FROM memory_events WHERE event_kind = 'supersede'")
    assert (edges["count"], memories["count"], events["count"]) == (1, 2, 1)


async def test_a_thousand_revisions_of_a_hundred_memories_leave_one_chain_each(crowd: Core, alice: Person) -> None:
    starts = [(await write(crowd, alice, content=f"start {number}")).memory.id for number in range(100)]

    heads = dict(zip(starts, starts, strict=True))

    async def revise_the_head(start: UUID, content: str) -> None:
        memory_id = heads[start]
        while True:
            try:
                heads[start] = (await correct(crowd, alice, memory_id, content=content)).memory.id
                return
            except Conflict:
                former = await read(crowd, alice, memory_id)
                assert former.superseded_by is not None
                memory_id = former.superseded_by.id

    outcomes = await at_once(
        (revise_the_head(starts[(number // 2) % 100], f"revision {number}") for number in range(1_000)), callers=16
    )
    assert outcomes == [None] * 1_000
    edges = {row["to_id"]: row for row in await rows(crowd, alice, "SELECT to_id, from_id FROM memory_edges")}
    lives = {row["id"]: row for row in await rows(crowd, alice, "SELECT id, valid_from, valid_to FROM memories")}
    lengths = []
    for memory_id in starts:
        chain = [memory_id]
        while chain[-1] in edges:
            successor = edges[chain[-1]]["from_id"]
            assert lives[chain[-1]]["valid_to"] == lives[successor]["valid_from"]
            chain.append(successor)
        assert lives[chain[-1]]["valid_to"] is None
        assert len(set(chain)) == len(chain)
        lengths.append(len(chain))
    assert lengths == [11] * 100
    assert len(lives) == 1_100


@pytest.mark.parametrize("becomes", ["commitment", "note"])
async def test_resolving_revising_and_sweeping_at_once_strand_no_commitment(
    crowd: Core, alice: Person, clock: Clock, becomes: str
) -> None:
    random = Random(7)
    promises = [
        await write(
            crowd, alice, memory_type="commitment", content=f"promise {number}", due_at=day(3),
            recurrence="FREQ=WEEKLY" if number % 2 else None,
        )
        for number in range(40)
    ]  # fmt: skip
    clock.now = day(30)
    calls: list[Awaitable[object]] = []
    for number, written in enumerate(promises):
        memory_id = written.memory.id
        calls += [settle(crowd, alice, memory_id, random.choice(["resolved", "waiting", "open"])) for _ in range(2)]
        calls.append(correct(crowd, alice, memory_id, memory_type=becomes, content=f"revised {number}"))
    calls += [mark_due(crowd.database, alice.principal.tenant_id, now=day(30)) for _ in range(20)]
    random.shuffle(calls)
    outcomes = await at_once(calls)
    failures = {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)}
    assert failures <= {NotFound, InvalidTransition}
    stored = await rows(
        crowd,
        alice,
        "SELECT c.id, c.status, m.memory_type, m.valid_to IS NULL AS is_live"
        " FROM commitments c JOIN memories m ON m.id = c.memory_id",
    )
    assert {row["id"] for row in stored} >= {written.commitment_id for written in promises}
    if becomes == "commitment":
        assert all(row["is_live"] for row in stored)
    else:
        assert {row["status"] for row in stored} <= {"resolved", "expired"}
    await _events_follow_each_other(crowd, alice)


async def _events_follow_each_other(core: Core, person: Person) -> None:
    """Every event of an occurrence starts where the one before ended."""
    events = await rows(
        core,
        person,
        "SELECT details FROM memory_events WHERE details ? 'commitmentId' ORDER BY recorded_at, id",
    )
    status: dict[tuple[str, str], str] = {}
    for details in (row["details"] for row in events):
        occurrence = details["commitmentId"], details["dueAt"]
        assert details["from"] == status.get(occurrence, "open")
        status[occurrence] = details["to"]


async def test_facts_of_one_subject_from_twenty_clients_are_ordered_and_complete(crowd: Core, alice: Person) -> None:
    async def client(number: int) -> None:
        for turn in range(10):
            value = f"{number}.{turn}"
            fact = {"subject": "lift", "predicate": "kg", "value": value}
            await write(crowd, alice, content=value, facts=[fact])

    assert await at_once(client(number) for number in range(20)) == [None] * 20
    series = (await facts(crowd, alice, subject="lift", range={"from": day(1)}, limit=200)).facts
    assert Counter(fact.value for fact in series) == {f"{i}.{j}": 1 for i in range(20) for j in range(10)}
    assert [fact.valid_to for fact in series] == [*(fact.valid_from for fact in series[1:]), None]


async def test_writers_of_the_same_series_in_opposite_order_never_lock_each_other_out(
    crowd: Core, alice: Person
) -> None:
    names = [{"subject": name, "predicate": "p", "value": "v"} for name in "abcdefgh"]

    async def client(number: int) -> None:
        ordered = names if number % 2 else names[::-1]
        first = await write(crowd, alice, content=f"by {number}", facts=ordered)
        await correct(crowd, alice, first.memory.id, content=f"again by {number}", facts=ordered[:4])

    assert await at_once(client(number) for number in range(30)) == [None] * 30
