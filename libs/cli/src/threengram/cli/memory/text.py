"""Answers as a person reads them in a terminal."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from threengram.schema.briefing import (
    BriefingOutput,
    CommitmentLine,
    CommitmentSection,
    MemoryLine,
    MemorySection,
    SurfacedSection,
)
from threengram.schema.browse import HistoryOutput, ListedMemory
from threengram.schema.handoff import HandoffCommitment, HandoffMemory, HandoffOutput
from threengram.schema.instants import format_instant
from threengram.schema.memories import Fact, MemoryRead
from threengram.schema.search import Hit, SearchOutput

CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
"""What a memory may hold and a terminal would obey."""

DIM = "dim"
TITLES = {
    "overdue": "Overdue",
    "commitments": "Commitments",
    "blockers": "Blockers",
    "surfaced_today": "Came up today",
    "recent_decisions": "Recent decisions",
    "preferences": "Preferences",
    "stale_candidates": "May be stale",
}


def said(text: str, style: str = "") -> Text:
    """Words of a memory, never markup and never a command to the terminal."""
    return Text(text.translate(CONTROLS), style=style)


def line(*parts: str | Text | None) -> Text:
    """Parts in one line, those that are empty left out."""
    shown = [part if isinstance(part, Text) else said(part, DIM) for part in parts if part]
    return Text("  ").join(shown)


def below(text: str | Text) -> Padding:
    """An indented block."""
    return Padding(said(text) if isinstance(text, str) else text, (0, 0, 0, 4))


def day(instant: datetime) -> str:
    """The date in UTC, which is that of the API."""
    return f"{instant:%Y-%m-%d}"


def filed(scope: str | None, project: str | None) -> str:
    """Where something is filed."""
    return "/".join(part for part in (scope, project) if part)


def hits(answer: SearchOutput) -> RenderableType:
    """Hits, best first, with excerpts; and whether the first looks like an answer."""
    if not answer.hits:
        return line("nothing found")
    shown = [part for number, hit in enumerate(answer.hits, 1) for part in _hit(number, hit)]
    doubt = [] if answer.coverage.confident is not False else [line("none of these looks like an answer")]
    return Group(*shown, *doubt)


def _hit(number: int, hit: Hit) -> Iterable[RenderableType]:
    mark = "superseded" if hit.superseded else None
    where = filed(hit.scope, hit.project)
    yield line(
        said(f"{number}. {hit.topic}", "bold"), hit.memory_type, where, day(hit.recorded_at), f"{hit.score:.2f}", mark
    )
    if hit.content:
        yield below(hit.content + (" …" if hit.truncated else ""))
    yield below(said(str(hit.id), DIM))


def listed(memories: Sequence[ListedMemory]) -> RenderableType:
    """One line a memory."""
    if not memories:
        return line("nothing found")
    return Group(*(_listed(memory) for memory in memories))


def _listed(memory: ListedMemory) -> Text:
    state = memory.commitment_status or ("" if memory.state == "current" else memory.state)
    where = filed(memory.scope, memory.project)
    return line(str(memory.id), day(memory.recorded_at), memory.memory_type, where, said(memory.topic, "bold"), state)


def memory(read: MemoryRead) -> RenderableType:
    """One memory in full."""
    valid = f"valid from {format_instant(read.valid_from)}" + (
        "" if read.valid_to is None else f" to {format_instant(read.valid_to)}"
    )
    edge = read.superseded_by
    later = None if edge is None else f"{edge.edge_type}: see {edge.id}"
    about = line(read.memory_type, filed(read.scope, read.project), ", ".join(read.tags), read.commitment_status, later)
    return Group(line(said(read.topic, "bold"), str(read.id)), about, line(valid), said(read.content), Text())


def facts(found: Sequence[Fact]) -> RenderableType:
    """One line a fact."""
    if not found:
        return line("no facts")
    return Group(*(_fact(fact) for fact in found))


def _fact(fact: Fact) -> Text:
    until = "" if fact.valid_to is None else f"to {format_instant(fact.valid_to)}"
    named = line(said(fact.subject), said(fact.predicate), said(fact.value, "bold"))
    return line(named, f"from {format_instant(fact.valid_from)}", until, str(fact.memory_id))


def history(answer: HistoryOutput) -> RenderableType:
    """What a memory is, its relatives, and what happened to it."""
    head = line(
        said(answer.memory.topic, "bold"), answer.memory.memory_type, answer.memory.state, str(answer.memory.id)
    )
    relatives = [
        below(line(node.state, day(node.recorded_at), said(node.topic), str(node.id))) for node in answer.lineage.nodes
    ]
    events = [
        below(line(format_instant(event.created_at), event.event_kind, f"by {event.actor_kind}"))
        for event in answer.audit_events
    ]
    return Group(head, line("related"), *relatives, line("events, newest first"), *events)


def briefing(answer: BriefingOutput) -> RenderableType:
    """The sections that hold something."""
    shown: list[RenderableType] = []
    for name, title in TITLES.items():
        section: MemorySection | CommitmentSection | SurfacedSection | None = getattr(answer, name)
        if section is not None and section.count:
            shown += [said(f"{title} ({section.count})", "bold"), *(below(_entry(item)) for item in section.items)]
            shown += [below(said("…", DIM))] if section.has_more else []
    return Group(*shown) if shown else line("nothing is pending")


def _entry(item: MemoryLine | CommitmentLine) -> Text:
    if isinstance(item, MemoryLine):
        return line(said(item.topic), filed(item.scope, item.project), day(item.recorded_at), str(item.id))
    due = None if item.due_at is None else f"due {format_instant(item.due_at)}"
    return line(said(item.topic), item.status, due, "overdue" if item.overdue else None, str(item.memory_id))


def handoff(answer: HandoffOutput) -> RenderableType:
    """Everything that the next one needs, under headings with exact totals."""
    shown: list[RenderableType] = []
    for name in ("decisions", "preferences", "commitments", "blockers"):
        entries: Sequence[HandoffMemory | HandoffCommitment] = getattr(answer, name)
        if entries:
            shown.append(said(f"{name.capitalize()} ({getattr(answer.counts, name)})", "bold"))
            shown += [part for entry in entries for part in _handed(entry)]
    if answer.facts:
        shown.append(said(f"Facts ({answer.counts.facts})", "bold"))
        shown += [
            below(line(said(fact.subject), said(fact.predicate), said(fact.value, "bold"), str(fact.memory_id)))
            for fact in answer.facts
        ]
    return Group(*shown) if shown else line("nothing to hand over")


def _handed(entry: HandoffMemory | HandoffCommitment) -> Iterable[RenderableType]:
    memory_id = entry.memory_id if isinstance(entry, HandoffCommitment) else entry.id
    yield below(line(said(entry.topic), filed(entry.scope, entry.project), str(memory_id)))
    yield Padding(said(entry.content + (" …" if entry.truncated else "")), (0, 0, 0, 8))
