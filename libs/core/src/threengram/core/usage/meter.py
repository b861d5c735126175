"""Count a metered call before it is made and its tokens after, and refuse it when the day's budget is spent.

The count and the check are one statement, so that calls at once can't pass a budget together. Tokens are known after a
call only: a budget of tokens is passed by the calls under way at most. A day is a day in UTC.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from threengram.core.db.database import Database
from threengram.core.errors import LimitReached
from threengram.core.principal import Principal
from threengram.core.usage import queries
from threengram.schema.enums import MeteredOperation


@dataclass(frozen=True, slots=True)
class Budget:
    """The most of one operation for one tenant in a day; None sets no bound."""

    calls_per_day: int | None = None
    tokens_per_day: int | None = None


UNLIMITED = Budget()


@dataclass(frozen=True, slots=True)
class Spent:
    """What one operation of a tenant came to in a day."""

    operation: MeteredOperation
    day: date
    calls: int
    input_tokens: int
    output_tokens: int


async def begin_call(
    database: Database,
    principal: Principal,
    operation: MeteredOperation,
    *,
    now: datetime,
    budget: Budget = UNLIMITED,
) -> None:
    """Count a call that is about to be made; raises `LimitReached`, the call uncounted, when the budget is spent."""
    parameters = {
        "operation": operation,
        "day": _day(now),
        "max_calls": budget.calls_per_day,
        "max_tokens": budget.tokens_per_day,
    }
    async with database.tenant(principal) as tx:
        counted = await tx.fetch_last(queries.BEGIN_CALL, parameters)
    if not counted:
        raise LimitReached(f"the day's budget for {operation} is spent")


async def end_call(
    database: Database,
    principal: Principal,
    operation: MeteredOperation,
    *,
    now: datetime,
    input_tokens: int,
    output_tokens: int = 0,
) -> None:
    """Add what the provider says that a call took."""
    parameters = {
        "operation": operation,
        "day": _day(now),
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
    }
    async with database.tenant(principal) as tx:
        await tx.fetch_last(queries.END_CALL, parameters)


async def spent(database: Database, principal: Principal, *, since: date) -> list[Spent]:
    """What the tenant has spent, the latest day first."""
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.SPENT, {"since": since})
    return [Spent(**{**row, "operation": MeteredOperation(row["operation"])}) for row in rows]


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()
