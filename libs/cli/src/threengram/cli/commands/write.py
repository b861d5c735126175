"""`threengram remember`, `revise`, `resolve`, `archive` and `unarchive`: what a person puts into a memory."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.cli.memory.options import (
    Content,
    DueAt,
    Facts,
    MemoryId,
    Owner,
    Project,
    Recurrence,
    Scope,
    Tags,
    new_facts,
)
from threengram.schema.bounds import MAX_CONTENT_CHARS
from threengram.schema.enums import CommitmentStatus, MemoryType
from threengram.schema.instants import format_instant
from threengram.schema.memories import RememberOutput
from threengram.schema.revisions import ArchiveOutput, EdgeIntent, ReviseOutput
from threengram.sdk import Threengram

MAX_INPUT_CHARS = MAX_CONTENT_CHARS * 2
"""Read from the input: more than a memory may hold, so that what is too long is refused rather than cut."""


@uses_memory
def remember(
    memory: Threengram,
    content: Content,
    topic: Annotated[str, typer.Option(help="A short title; weighs more than the content in search.")],
    memory_type: Annotated[MemoryType, typer.Option("--type", help="What kind of atom it is.")] = MemoryType.NOTE,
    scope: Scope = None,
    project: Project = None,
    tag: Tags = None,
    fact: Facts = None,
    due_at: DueAt = None,
    owner: Owner = None,
    recurrence: Recurrence = None,
) -> Found:
    """Store one memory; prints its id."""
    written = memory.remember(
        memory_type=memory_type,
        topic=topic,
        content=_content(content),
        scope=scope,
        project=project,
        tags=tag or [],
        facts=new_facts(fact),
        due_at=due_at,
        owner=owner,
        recurrence=recurrence,
    )
    return Found(written, _filed(written))


@uses_memory
def revise(
    memory: Threengram,
    memory_id: MemoryId,
    content: Content,
    topic: Annotated[str | None, typer.Option(help="Another title; that of the old memory if not given.")] = None,
    intent: Annotated[
        EdgeIntent, typer.Option(help="supersedes: it was wrong or is over; updates: it moved on.")
    ] = EdgeIntent.SUPERSEDES,
    fact: Facts = None,
) -> Found:
    """Correct a memory by a successor of its type; prints the successor's id. The old one stays readable."""
    old = memory.get_memory(id=memory_id)
    written = memory.revise(
        predecessor_id=memory_id,
        memory_type=old.memory_type,
        topic=topic or old.topic,
        content=_content(content),
        edge_intent=intent,
        facts=new_facts(fact),
    )
    return Found(written, _filed(written))


@uses_memory
def resolve(
    memory: Threengram,
    memory_id: MemoryId,
    status: Annotated[
        CommitmentStatus, typer.Argument(help="resolved: done; waiting: on somebody; expired: given up; open: again.")
    ] = CommitmentStatus.RESOLVED,
    due_at: DueAt = None,
) -> Found:
    """Move a commitment or a blocker on; prints where it stands."""
    moved = memory.resolve(memory_id=memory_id, status=status, due_at=due_at)
    again = None if moved.next_due_at is None else f"next due {format_instant(moved.next_due_at)}"
    return Found(moved, text.line(moved.status, again))


@uses_memory
def archive(memory: Threengram, memory_id: MemoryId) -> Found:
    """Put a memory away: out of briefings and searches, still readable."""
    return _moved(memory.archive(memory_id=memory_id))


@uses_memory
def unarchive(memory: Threengram, memory_id: MemoryId) -> Found:
    """Bring an archived memory back."""
    return _moved(memory.unarchive(memory_id=memory_id))


def _content(argument: str) -> str:
    return sys.stdin.read(MAX_INPUT_CHARS) if argument == "-" else argument


def _filed(written: RememberOutput | ReviseOutput) -> Text:
    where = text.filed(written.memory.scope, written.memory.project)
    return text.line(text.said(str(written.memory.id)), written.memory.memory_type, where)


def _moved(moved: ArchiveOutput) -> Found:
    return Found(moved, text.line(moved.status))
