"""`handoff`: decisions, preferences, commitments, blockers and facts, for an agent that knows none of them."""

from collections.abc import Sequence

from threengram.core.briefing import queries
from threengram.core.briefing.sections import ANSWER_BYTES, BODY, by_section, fitting, frame_bytes
from threengram.core.briefing.selector import select
from threengram.core.call import Call
from threengram.core.db.database import Begin
from threengram.core.db.statement import Row, Step
from threengram.core.memories.excerpt import Excerpt, excerpt, within_total_bytes
from threengram.schema.bounds import MAX_EXCERPT_CHARS
from threengram.schema.enums import CommitmentStatus, MemoryType
from threengram.schema.handoff import (
    HandoffCommitment,
    HandoffCounts,
    HandoffFact,
    HandoffInput,
    HandoffMemory,
    HandoffOutput,
    HandoffTruncated,
)

NEWEST = {
    "decisions": MemoryType.DECISION,
    "preferences": MemoryType.PREFERENCE,
    "blockers": MemoryType.BLOCKER,
}

BODIES_SHARE = 2
"""One part in so many of an answer's bytes is kept for bodies before entries are left out for their topics."""


async def handoff(call: Call, request: HandoffInput) -> HandoffOutput:
    """Excerpts of what matters, in one round trip and of one snapshot.

    Every section is bounded by entries, and the whole by bytes: excerpts get shorter where they would not fit. Raises
    `UnscopedRetrieval` when the tenant's policy wants a scope and the caller asked for everything.
    """
    admission, tx = await call.admitted(Begin.SNAPSHOT)
    selection = await select(tx, admission, request.selector)
    chosen = selection.condition
    parameters = {
        **selection.parameters,
        "sections": list(NEWEST),
        "types": [str(memory_type) for memory_type in NEWEST.values()],
        "now": call.now,
        "limit": request.section_limit,
        "excerpt_chars": MAX_EXCERPT_CHARS,
    }
    statements = (
        queries.memory_sections(chosen, queries.ENTRY, has_newest=True, has_stale=False),
        queries.commitment_sections([queries.COMMITMENTS], chosen, queries.COMMITMENT_ENTRY),
        queries.current_facts(chosen),
    )
    results = await tx.run([Step(statement, parameters) for statement in statements], commit=True)
    found = by_section(row for rows in results for row in rows)
    kept = fitting(found.rows, ANSWER_BYTES - ANSWER_BYTES // BODIES_SHARE)
    bodies = _bodies([row for rows in kept.values() for row in rows])
    return HandoffOutput(
        selector=selection.echo(found.scope),
        generated_for=request.generated_for,
        generated_at=call.now,
        decisions=[_memory(row, bodies[row["id"]]) for row in kept["decisions"]],
        preferences=[_memory(row, bodies[row["id"]]) for row in kept["preferences"]],
        commitments=[_commitment(row, bodies[row["id"]]) for row in kept["commitments"]],
        blockers=[_memory(row, bodies[row["id"]]) for row in kept["blockers"]],
        facts=[_fact(row, bodies[row["id"]]) for row in kept["facts"]],
        counts=HandoffCounts(**found.totals),
        truncated=HandoffTruncated(**{name: found.totals[name] > len(rows) for name, rows in kept.items()}),
        applied_scope=found.scope if selection.is_narrowed else None,
    )


def _bodies(rows: Sequence[Row]) -> dict[object, Excerpt]:
    """The excerpt of each entry, by its id, all within what the entries themselves leave of the answer."""
    excerpts = [excerpt(row[BODY], row["content_chars"], MAX_EXCERPT_CHARS) for row in rows]
    room = ANSWER_BYTES - sum(frame_bytes(row) for row in rows)
    return {row["id"]: body for row, body in zip(rows, within_total_bytes(excerpts, room), strict=True)}


def _memory(row: Row, body: Excerpt) -> HandoffMemory:
    return HandoffMemory(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        content=body.text,
        content_length=row["content_chars"],
        truncated=body.is_truncated,
        scope=row["scope"],
        project=row["project"],
    )


def _commitment(row: Row, body: Excerpt) -> HandoffCommitment:
    return HandoffCommitment(
        id=row["id"],
        memory_id=row["memory_id"],
        topic=row["topic"],
        status=CommitmentStatus(row["status"]),
        due_at=row["due_at"],
        owner=row["owner"],
        content=body.text,
        content_length=row["content_chars"],
        truncated=body.is_truncated,
        scope=row["scope"],
        project=row["project"],
    )


def _fact(row: Row, body: Excerpt) -> HandoffFact:
    return HandoffFact(
        id=row["id"],
        memory_id=row["memory_id"],
        subject=row["subject"],
        predicate=row["predicate"],
        value=body.text,
        truncated=body.is_truncated,
        valid_from=row["valid_from"],
        recorded_at=row["recorded_at"],
    )
