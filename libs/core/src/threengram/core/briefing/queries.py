"""The statements of a briefing and a handoff, put together from fixed parts; values only ever travel as parameters.

A section is an exact total, counted in an index without touching a row, beside its first rows. Every row also says to
which name the scope of the selector resolved. What is read belongs to live memories: active and with an open validity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.scopes.queries import CANONICAL

_SELECTED: LiteralString = "WITH selected AS MATERIALIZED (SELECT " + CANONICAL + " AS scope)"
_LIVE: LiteralString = "m.tenant_id = %(tenant_id)s AND m.valid_to IS NULL AND m.status = 'active'"
_IS_STALE: LiteralString = (
    "m.memory_type IN ('decision', 'preference', 'blocker', 'fact') AND m.touched_at < %(stale_before)s"
)


@dataclass(frozen=True, slots=True)
class Section:
    """Commitments under one heading: which, and in what order. `name` is the wire field in Python spelling."""

    name: LiteralString
    condition: LiteralString
    order: LiteralString


COMMITMENTS = Section("commitments", "true", "o.next_surfacing_at, o.due_at, o.id")
OVERDUE = Section("overdue", "o.due_at < %(now)s", "o.due_at, o.id")
SURFACED = Section(
    "surfaced_today",
    """o.due_at <= %(now)s
        AND (o.surfaced_at >= %(day_start)s OR coalesce(o.next_surfacing_at, o.due_at) <= %(now)s)""",
    "o.due_at, o.id",
)
"""Due, and brought up today: by the sweep, or by what the sweep would do at this instant."""

LINE: LiteralString = """m.id, m.memory_type, m.topic, m.scope, m.project, m.recorded_at, m.touched_at, m.tags,
    m.content_chars"""
ENTRY: LiteralString = """m.id, m.memory_type, m.topic, m.scope, m.project, m.content_chars,
    left(m.content, %(excerpt_chars)s) AS content"""
COMMITMENT_LINE: LiteralString = """l.id, l.memory_id, m.topic, l.status, l.due_at, m.scope, m.project, l.owner,
    l.recurrence"""
COMMITMENT_ENTRY: LiteralString = """l.id, l.memory_id, m.topic, l.status, l.due_at, m.scope, m.project, l.owner,
    m.content_chars, left(m.content, %(excerpt_chars)s) AS content"""


def memory_sections(selected: LiteralString, columns: LiteralString, *, has_newest: bool, has_stale: bool) -> Statement:
    """Sections of memories, each a row at least: with its total, and without an id when it is empty.

    `has_newest`: one section, named in the parameter `sections`, for each type in `types`, the newest memories first.
    `has_stale`: what may no longer hold, longest untouched first.
    """
    newest: LiteralString = """
    SELECT s.section, t.total, i.id, i.position
    FROM unnest(%(sections)s::text[], %(types)s::text[]) AS s (section, memory_type)
    CROSS JOIN LATERAL (SELECT count(*) AS total FROM {source}) t
    LEFT JOIN LATERAL (
        SELECT m.id, row_number() OVER (ORDER BY m.recorded_at DESC, m.id) AS position
        FROM {source} ORDER BY m.recorded_at DESC, m.id LIMIT %(limit)s
    ) i ON true"""
    stale: LiteralString = """
    SELECT 'stale_candidates' AS section, t.total, i.id, i.position
    FROM (SELECT count(*) AS total FROM {source}) t
    LEFT JOIN (
        SELECT m.id, row_number() OVER (ORDER BY m.touched_at, m.id) AS position
        FROM {source} ORDER BY m.touched_at, m.id LIMIT %(limit)s
    ) i ON true"""
    source: LiteralString = "memories m WHERE " + _LIVE + " AND " + selected
    parts: list[LiteralString] = []
    if has_newest:
        parts.append(newest.format(source=source + " AND m.memory_type = s.memory_type"))
    if has_stale:
        parts.append(stale.format(source=source + " AND " + _IS_STALE))
    return tenant_statement("memory_sections", _SELECTED + _listing(parts, columns, "l.id"))


def commitment_sections(sections: Sequence[Section], selected: LiteralString, columns: LiteralString) -> Statement:
    """Sections of commitments that are not settled, likewise."""
    owed: LiteralString = """, owed AS MATERIALIZED (
        SELECT c.id, c.memory_id, c.status, c.due_at, c.owner, c.recurrence, c.next_surfacing_at, c.surfaced_at
        FROM commitments c JOIN memories m ON m.id = c.memory_id
        WHERE c.tenant_id = %(tenant_id)s AND c.status IN ('open', 'waiting') AND m.memory_type = 'commitment' AND """
    part: LiteralString = """
    SELECT '{name}' AS section, t.total, o.*, row_number() OVER (ORDER BY {order}) AS position
    FROM (SELECT count(*) AS total FROM owed o WHERE {condition}) t
    LEFT JOIN (SELECT * FROM owed o WHERE {condition} ORDER BY {order} LIMIT %(limit)s) o ON true"""
    parts: list[LiteralString] = [
        part.format(name=section.name, order=section.order, condition=section.condition) for section in sections
    ]
    sql = _SELECTED + owed + _LIVE + " AND " + selected + ")" + _listing(parts, columns, "l.memory_id")
    return tenant_statement("commitment_sections", sql)


def _listing(parts: Sequence[LiteralString], columns: LiteralString, memory_id: LiteralString) -> LiteralString:
    body: LiteralString = """, listed AS ({parts})
    SELECT l.section, l.total, (SELECT scope FROM selected) AS selected_scope, {columns}
    FROM listed l LEFT JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = {memory_id}
    ORDER BY l.section, l.position"""
    return body.format(parts=" UNION ALL ".join(parts), columns=columns, memory_id=memory_id)


def current_facts(selected: LiteralString) -> Statement:
    """The facts valid now of the selected memories, newest first, beside their total; one row at least."""
    body: LiteralString = """
    SELECT 'facts' AS section, (SELECT scope FROM selected) AS selected_scope, t.total, i.*
    FROM (SELECT count(*) AS total FROM {source}) t
    LEFT JOIN (
        SELECT f.id, f.memory_id, f.subject, f.predicate, left(f.value, %(excerpt_chars)s) AS content,
               char_length(f.value) AS content_chars, f.valid_from, f.recorded_at
        FROM {source} ORDER BY f.recorded_at DESC, f.id LIMIT %(limit)s
    ) i ON true
    ORDER BY i.recorded_at DESC, i.id"""
    source: LiteralString = (
        """facts f JOIN memories m ON m.id = f.memory_id
        WHERE f.tenant_id = %(tenant_id)s AND f.status = 'active' AND f.valid_from <= %(now)s
          AND (f.valid_to IS NULL OR f.valid_to > %(now)s) AND """
        + _LIVE
        + " AND "
        + selected
    )
    return tenant_statement("current_facts", _SELECTED + body.format(source=source))
