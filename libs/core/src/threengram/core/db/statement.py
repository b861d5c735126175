"""Statements: SQL text with named parameters, checked for the tenant lock when it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement. `name` labels spans and metrics; it says the result, as the function around it does.

    `keeps_plan` says that one plan, made without a look at parameters, is right for every tenant and every call: rows
    are reached by key, whatever the planner expects to be there.
    """

    name: str
    sql: LiteralString
    keeps_plan: bool = False


def tenant_statement(name: str, sql: LiteralString, *, keeps_plan: bool = False) -> Statement:
    """A statement on tenant rows: it must say `%(tenant_id)s`, although row security says so too."""
    if "%(tenant_id)s" not in sql:
        raise ValueError(f"{name} does not name the tenant")
    return Statement(name, sql, keeps_plan)


@dataclass(frozen=True, slots=True)
class Step:
    """A statement with its parameters. `tenant_id` is added by the unit of work, never by a caller."""

    statement: Statement
    parameters: Mapping[str, object] = field(default_factory=dict)


Results = Sequence[list[Row]]
