"""Options that several commands have."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer

from threengram.schema.briefing import Selector, SelectorKind
from threengram.schema.enums import MemoryType
from threengram.schema.instants import parse_instant
from threengram.schema.memories import NewFact
from threengram.schema.search import AsOf

MemoryId = Annotated[UUID, typer.Argument(metavar="ID", help="Of a memory, as the other commands show it.")]
Content = Annotated[str, typer.Argument(help="One atom, complete in itself; `-` reads it from the input.")]
Types = Annotated[list[MemoryType] | None, typer.Option("--type", help="Only these types; may be repeated.")]
Scope = Annotated[str | None, typer.Option(help="The name or an alias of a scope.")]
Project = Annotated[str | None, typer.Option(help="The name of a project.")]
Limit = Annotated[int, typer.Option(min=1, help="How many at most.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")]
Facts = Annotated[
    list[str] | None,
    typer.Option(
        "--fact", metavar="SUBJECT|PREDICATE|VALUE", help="A measured value that the memory states; may be repeated."
    ),
]
DueAt = Annotated[
    datetime | None, typer.Option("--due", parser=parse_instant, metavar="TIME", help="Of a commitment; RFC 3339.")
]
Owner = Annotated[str | None, typer.Option(help="Of a commitment: who has to do it.")]
Recurrence = Annotated[str | None, typer.Option(metavar="RRULE", help="Of a commitment; RFC 5545, needs --due.")]
Instant = Annotated[
    datetime | None, typer.Option(parser=parse_instant, metavar="TIME", help="RFC 3339 with an offset.")
]
ValidAt = Annotated[
    datetime | None,
    typer.Option(parser=parse_instant, metavar="TIME", help="As it was true then; RFC 3339 with an offset."),
]
KnownAt = Annotated[
    datetime | None, typer.Option(parser=parse_instant, metavar="TIME", help="As it was on record then.")
]


def as_of(valid_at: datetime | None, known_at: datetime | None) -> AsOf | None:
    """The point in time, if one is meant."""
    return None if valid_at is None and known_at is None else AsOf(valid_at=valid_at, as_known_at=known_at)


def selector(scope: str | None, project: str | None) -> Selector:
    """What a read is about: all, unless a scope or a project is named."""
    kinds = {
        (False, False): SelectorKind.ALL,
        (True, False): SelectorKind.SCOPE,
        (False, True): SelectorKind.PROJECT,
        (True, True): SelectorKind.SCOPE_PROJECT,
    }
    return Selector(kind=kinds[scope is not None, project is not None], scope=scope, project=project)


def new_facts(texts: list[str] | None) -> list[NewFact]:
    """Facts out of `subject|predicate|value`; raises `typer.BadParameter`. A value may hold the bar."""
    facts = []
    for text in texts or ():
        parts = [part.strip() for part in text.split("|", 2)]
        if len(parts) != 3 or not all(parts):
            raise typer.BadParameter("give SUBJECT|PREDICATE|VALUE", param_hint="--fact")
        facts.append(NewFact(subject=parts[0], predicate=parts[1], value=parts[2]))
    return facts
