"""`briefing`: what matters now, in sections with exact totals."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from threengram.core.briefing import queries
from threengram.core.briefing.lines import commitment_line, memory_line, surfaced_line
from threengram.core.briefing.sections import ANSWER_BYTES, Found, by_section, fitting
from threengram.core.briefing.selector import Selection, select
from threengram.core.call import Call
from threengram.core.db.database import Begin
from threengram.core.db.statement import Step
from threengram.schema.bounds import DEFAULT_BRIEF_LINES, DEFAULT_FULL_LINES, STALE_AFTER_DAYS
from threengram.schema.briefing import (
    BriefingInput,
    BriefingMode,
    BriefingOutput,
    BriefingSection,
    CommitmentSection,
    MemorySection,
    SurfacedSection,
)
from threengram.schema.enums import MemoryType

STALE_AFTER = timedelta(days=STALE_AFTER_DAYS)
LINES = {BriefingMode.BRIEF: DEFAULT_BRIEF_LINES, BriefingMode.FULL: DEFAULT_FULL_LINES}

NEWEST = {
    BriefingSection.BLOCKERS: ("blockers", MemoryType.BLOCKER),
    BriefingSection.RECENT_DECISIONS: ("recent_decisions", MemoryType.DECISION),
    BriefingSection.PREFERENCES: ("preferences", MemoryType.PREFERENCE),
}
OF_COMMITMENTS = {
    BriefingSection.COMMITMENTS: queries.COMMITMENTS,
    BriefingSection.OVERDUE: queries.OVERDUE,
    BriefingSection.SURFACED_TODAY: queries.SURFACED,
}


async def briefing(call: Call, request: BriefingInput) -> BriefingOutput:
    """The sections asked for, in one round trip and of one snapshot.

    Overdue is what was due before the instant of the call; stale is what nobody touched for more than thirty days;
    surfaced today is what came up on the UTC day of the call and is still owed. Raises `UnscopedRetrieval` when the
    tenant's policy wants a scope and the caller asked for everything.
    """
    admission, tx = await call.admitted(Begin.SNAPSHOT)
    selection = await select(tx, admission, request.selector)
    results = await tx.run(_steps(selection, request, now=call.now), commit=True)
    found = by_section(row for rows in results for row in rows)
    return BriefingOutput(
        selector=selection.echo(found.scope),
        mode=request.mode,
        generated_at=call.now,
        applied_scope=found.scope if selection.is_narrowed else None,
        **_sections(found, call.now, is_full=request.mode is BriefingMode.FULL),
    )


def day_start(now: datetime) -> datetime:
    """The first instant of the UTC day of `now`."""
    return datetime.combine(now.date(), time.min, now.tzinfo)


def _steps(selection: Selection, request: BriefingInput, *, now: datetime) -> list[Step]:
    wanted = request.sections or tuple(BriefingSection)
    newest = [NEWEST[name] for name in wanted if name in NEWEST]
    has_stale = BriefingSection.STALE_CANDIDATES in wanted
    owed = [OF_COMMITMENTS[name] for name in wanted if name in OF_COMMITMENTS]
    parameters: Mapping[str, object] = {
        **selection.parameters,
        "sections": [name for name, _ in newest],
        "types": [str(memory_type) for _, memory_type in newest],
        "now": now,
        "day_start": day_start(now),
        "stale_before": now - STALE_AFTER,
        "limit": request.section_limit or LINES[request.mode],
    }
    chosen = selection.condition
    statements = []
    if newest or has_stale:
        statements.append(queries.memory_sections(chosen, queries.LINE, has_newest=bool(newest), has_stale=has_stale))
    if owed:
        statements.append(queries.commitment_sections(owed, chosen, queries.COMMITMENT_LINE))
    return [Step(statement, parameters) for statement in statements]


def _sections(found: Found, now: datetime, *, is_full: bool) -> dict[str, Any]:
    today = day_start(now)
    names_of_commitments = {section.name for section in OF_COMMITMENTS.values()}
    sections: dict[str, Any] = {}
    for name, rows in fitting(found.rows, ANSWER_BYTES).items():
        total, has_more = found.totals[name], found.totals[name] > len(rows)
        if name == queries.SURFACED.name:
            surfaced = [surfaced_line(row, now, today, is_full=is_full) for row in rows]
            sections[name] = SurfacedSection(count=total, items=surfaced, has_more=has_more)
        elif name in names_of_commitments:
            owed = [commitment_line(row, now, is_full=is_full) for row in rows]
            sections[name] = CommitmentSection(count=total, items=owed, has_more=has_more)
        else:
            memories = [memory_line(row, is_full=is_full) for row in rows]
            sections[name] = MemorySection(count=total, items=memories, has_more=has_more)
    return sections
