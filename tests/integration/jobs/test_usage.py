"""Metered calls: counted per operation and day, refused beyond a budget, never counted for somebody else."""

import asyncio

import pytest

from tests.conftest import Clock
from tests.people import Person
from threengram.core.db.database import Database
from threengram.core.errors import LimitReached
from threengram.core.usage import Budget, begin_call, end_call, spent
from threengram.schema.enums import MeteredOperation

EMBED, REFINE = MeteredOperation.EMBED, MeteredOperation.REFINE_PAIR


async def test_calls_and_tokens_add_up_by_operation_and_day(
    database: Database, alice: Person, bob: Person, clock: Clock
) -> None:
    since = clock.now.date()
    for operation in (EMBED, EMBED, REFINE):
        await begin_call(database, alice.principal, operation, now=clock())
        await end_call(database, alice.principal, operation, now=clock(), input_tokens=10, output_tokens=1)
    clock.advance(days=1)
    await begin_call(database, alice.principal, EMBED, now=clock())
    found = [(one.day, one.operation, one.calls, one.input_tokens, one.output_tokens)
             for one in await spent(database, alice.principal, since=since)]  # fmt: skip
    assert found == [
        (clock.now.date(), EMBED, 1, 0, 0),
        (since, EMBED, 2, 20, 2),
        (since, REFINE, 1, 10, 1),
    ]
    assert await spent(database, bob.principal, since=since) == []


async def test_calls_at_once_do_not_pass_a_budget_together(database: Database, alice: Person, clock: Clock) -> None:
    budget = Budget(calls_per_day=5)

    async def call() -> bool:
        try:
            await begin_call(database, alice.principal, EMBED, now=clock(), budget=budget)
        except LimitReached:
            return False
        return True

    assert sum(await asyncio.gather(*(call() for _ in range(12)))) == 5
    assert [one.calls for one in await spent(database, alice.principal, since=clock.now.date())] == [5]
    clock.advance(days=1)
    assert await call()


async def test_a_budget_of_tokens_is_spent_by_what_calls_took(database: Database, alice: Person, clock: Clock) -> None:
    budget = Budget(tokens_per_day=100)
    await begin_call(database, alice.principal, REFINE, now=clock(), budget=budget)
    await end_call(database, alice.principal, REFINE, now=clock(), input_tokens=90, output_tokens=30)
    with pytest.raises(LimitReached):
        await begin_call(database, alice.principal, REFINE, now=clock(), budget=budget)
    await begin_call(database, alice.principal, EMBED, now=clock(), budget=budget)


async def test_a_budget_of_nothing_admits_nothing(database: Database, alice: Person, clock: Clock) -> None:
    with pytest.raises(LimitReached):
        await begin_call(database, alice.principal, EMBED, now=clock(), budget=Budget(calls_per_day=0))
