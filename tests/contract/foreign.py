"""One request that names what is another tenant's, beside the same request with a name that nobody has.

Whatever can be seen of an answer is compared: status, headers, body, the statements that the database got, and for
ids how it planned them. Plans for names of a user's own choosing depend on statistics, which all tenants share.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString

import httpx2
import pytest

from threengram.core.db.database import Database, Transaction
from threengram.core.db.statement import Row, Statement, Step
from threengram.core.ids import new_id
from threengram.core.principal import Principal

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")
_PLANNED = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")

Send = Callable[[str], Awaitable[httpx2.Response]]
"""Makes one request that names the given value."""


@dataclass(frozen=True)
class Seen:
    """All that a caller can see or time of one answer; `plans` is empty where they are not compared."""

    status: int
    headers: frozenset[str]
    body: str
    statements: list[list[str]]
    plans: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Sent:
    """One round trip: its steps, and whether a tenant was bound."""

    steps: list[Step]
    is_bound: bool


@contextmanager
def recorded() -> Iterator[list[Sent]]:
    """The round trips of every unit of work while the block runs."""
    sent: list[Sent] = []
    run = Transaction.run

    async def recording(self: Transaction, steps: Any, *, commit: bool = False) -> list[list[Row]]:
        sent.append(Sent(list(steps), self._tenant_id is not None))
        return await run(self, steps, commit=commit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "run", recording)
        yield sent


async def seen(
    database: Database, caller: Principal, value: str, send: Send, *, is_id: bool, also: Mapping[str, str] | None = None
) -> Seen:
    """One request and what can be seen of it, with the value and whatever is new in each answer replaced.

    `also` are the values of other placeholders of the request, which differ from one to the next.
    """
    with recorded() as sent:
        answer = await send(value)
    return Seen(
        status=answer.status_code,
        headers=frozenset(answer.headers),
        body=comparable(answer.text, {**(also or {}), "$named": value}),
        statements=[[step.statement.name for step in one.steps] for one in sent],
        plans=[await planned(database, caller, one) for one in sent] if is_id else [],
    )


def comparable(body: str, given: Mapping[str, str]) -> str:
    """A body with placeholders for what was given, and without ids and instants that are made anew."""
    for placeholder, value in given.items():
        body = body.replace(value, placeholder)
    return _INSTANT.sub("<instant>", _ID.sub("<id>", body))


async def planned(database: Database, caller: Principal, sent: Sent) -> list[Any]:
    """The shape of the plan of each statement, as the caller's tenant; nothing is executed."""
    shapes = []
    async with database.tenant(caller) if sent.is_bound else database.system() as tx:
        for step in sent.steps:
            if step.statement.sql.lstrip().startswith(_PLANNED):
                sql: LiteralString = "EXPLAIN (FORMAT JSON) " + step.statement.sql
                (row,) = await tx.fetch(Statement("plan", sql), step.parameters)
                shapes.append((step.statement.name, _shape(row["QUERY PLAN"][0]["Plan"])))
    return shapes


def _shape(plan: Mapping[str, Any]) -> tuple[Any, ...]:
    """Nodes, relations and indexes, without costs."""
    own = (plan["Node Type"], plan.get("Relation Name"), plan.get("Index Name"))
    return (*own, *(_shape(child) for child in plan.get("Plans", ())))


def name() -> str:
    """A name of a fixed length that nobody has had."""
    return f"n{new_id().hex[-12:]}"


def filled(template: Any, values: Mapping[str, str]) -> Any:
    """The template with the values of its `$placeholders`."""
    if isinstance(template, str):
        for placeholder, value in values.items():
            template = template.replace(placeholder, value)
        return template
    if isinstance(template, list):
        return [filled(item, values) for item in template]
    if isinstance(template, Mapping):
        return {key: filled(item, values) for key, item in template.items()}
    return template


def arguments_of(schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Every argument that a schema has, those within others as `outer.inner`."""
    for property_name, inner in schema.get("properties", {}).items():
        yield prefix + property_name
        for part in (inner, inner.get("items", {}), *inner.get("anyOf", ())):
            yield from arguments_of(part, f"{prefix}{property_name}.")
