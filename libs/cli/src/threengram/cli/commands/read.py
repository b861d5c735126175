"""`threengram search`, `list`, `show`, `history`, `facts`, `briefing` and `handoff`: what a person reads."""

from itertools import islice
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Group

from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.cli.memory.options import (
    Instant,
    KnownAt,
    Limit,
    MemoryId,
    Project,
    Scope,
    Types,
    ValidAt,
    as_of,
    selector,
)
from threengram.schema.bounds import (
    DEFAULT_FACTS_LIMIT,
    DEFAULT_LISTED,
    DEFAULT_SEARCH_LIMIT,
    MAX_FACTS_LIMIT,
    MAX_LISTED,
)
from threengram.schema.briefing import BriefingMode
from threengram.schema.browse import ListingStatus
from threengram.schema.facts import FactRange
from threengram.schema.search import SearchOrder
from threengram.sdk import Threengram


@uses_memory
def search(
    memory: Threengram,
    query: Annotated[str, typer.Argument(help="In your own words.")],
    limit: Limit = DEFAULT_SEARCH_LIMIT,
    memory_types: Types = None,
    scope: Scope = None,
    project: Project = None,
    after: Instant = None,
    before: Instant = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    newest: Annotated[bool, typer.Option("--newest", help="Newest first, and only what has all the words.")] = False,
) -> Found:
    """Find memories by meaning and by words, best first."""
    found = memory.search(
        query=query,
        limit=limit,
        memory_types=memory_types or None,
        scope=scope,
        project=project,
        recorded_after=after,
        recorded_before=before,
        as_of=as_of(valid_at, known_at),
        order=SearchOrder.CHRONOLOGICAL if newest else SearchOrder.RELEVANCE,
    )
    return Found(found, text.hits(found))


@uses_memory
def list_memories(
    memory: Threengram,
    limit: Limit = DEFAULT_LISTED,
    memory_types: Types = None,
    scope: Scope = None,
    project: Annotated[list[str] | None, typer.Option(help="Only these projects; may be repeated.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    status: Annotated[ListingStatus, typer.Option(help="Which ones.")] = ListingStatus.ACTIVE,
    after: Instant = None,
    before: Instant = None,
) -> Found:
    """One line a memory, newest first: id, day, type, where it is filed, topic."""
    walk = memory.iter_memories(
        limit=min(limit, MAX_LISTED),
        memory_types=memory_types or None,
        scope=scope,
        project=project or None,
        tag=tag,
        status=status,
        recorded_after=after,
        recorded_before=before,
    )
    listed = list(islice(walk, limit))
    return Found({"memories": [*listed]}, text.listed(listed))


@uses_memory
def show(
    memory: Threengram, memory_ids: Annotated[list[UUID], typer.Argument(metavar="ID...", help="Of memories.")]
) -> Found:
    """Read memories in full, archived and superseded ones too."""
    read = [memory.get_memory(id=memory_id) for memory_id in memory_ids]
    return Found({"memories": [*read]}, Group(*(text.memory(one) for one in read)))


@uses_memory
def history(memory: Threengram, memory_id: MemoryId) -> Found:
    """Show what a memory came from, what came of it, and everything that happened to it."""
    read = memory.history(id=memory_id)
    return Found(read, text.history(read))


@uses_memory
def facts(
    memory: Threengram,
    subject: Annotated[str | None, typer.Argument(help="Exact.")] = None,
    predicate: Annotated[str | None, typer.Argument(help="Exact.")] = None,
    limit: Limit = DEFAULT_FACTS_LIMIT,
    scope: Scope = None,
    project: Project = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    since: Instant = None,
    until: Instant = None,
) -> Found:
    """Exact values: as they stand, as they stood, or with --since or --until as a series, oldest first."""
    window = None if since is None and until is None else FactRange(from_=since, to=until)
    walk = memory.iter_facts(
        subject=subject,
        predicate=predicate,
        limit=min(limit, MAX_FACTS_LIMIT),
        scope=scope,
        project=project,
        as_of=as_of(valid_at, known_at),
        range=window,
    )
    found = list(islice(walk, limit))
    return Found({"facts": [*found]}, text.facts(found))


@uses_memory
def briefing(
    memory: Threengram,
    scope: Scope = None,
    project: Project = None,
    full: Annotated[bool, typer.Option("--full", help="Many lines, and more about each.")] = False,
) -> Found:
    """Show what matters now: promises, what is overdue, blockers, decisions, preferences, what may be stale."""
    mode = BriefingMode.FULL if full else BriefingMode.BRIEF
    read = memory.briefing(selector=selector(scope, project), mode=mode)
    return Found(read, text.briefing(read))


@uses_memory
def handoff(memory: Threengram, scope: Scope = None, project: Project = None) -> Found:
    """Show what somebody who takes the work over needs."""
    read = memory.handoff(selector=selector(scope, project))
    return Found(read, text.handoff(read))
