"""The simpler statements of a search; `legs` has those that find candidates. Values only travel as parameters."""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `eligibility`; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import Statement, Step, tenant_statement
from threengram.core.lexical import MAX_QUERY_TERMS
from threengram.core.search.eligibility import Eligibility

POSTING_BUDGET = 5_000
"""Postings read per walked search, rarest terms first; the other terms are scored on the candidates only."""

EXACT_MEMORIES = 4_000
"""Up to this many eligible memories their vectors are compared one by one; above, the index is walked."""

COMPARED_POSTING_BUDGET = MAX_QUERY_TERMS * EXACT_MEMORIES
"""Enough for every posting of a tenant of that size; a narrow filter on a larger one leaves its commonest words out."""

MIN_BEAM, MAX_BEAM = 40, 800
"""How many of the nearest a walk keeps in sight (`hnsw.ef_search`): pgvector's default, and enough for 100,000."""

_NARROW_UP_TO, _MEMORIES_A_STEP = 10_000, 120

HNSW_SETTINGS = Statement(
    "hnsw_settings",
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
    " set_config('hnsw.ef_search', %(beam)s::int::text, true),"
    " set_config('hnsw.max_scan_tuples', '200000', true), set_config('enable_sort', 'off', true)",
    keeps_plan=True,
)
"""The index is walked because we say so: given the choice, the planner sorts every vector of a tenant of 10,000."""


def walking(memory_count: int) -> Step:
    """What comes before a walk in its transaction. The more memories, the more often a narrow beam ends in the wrong
    neighbourhood, and the nearest are not found at all."""
    steps = max(0, memory_count - _NARROW_UP_TO) // _MEMORIES_A_STEP
    return Step(HNSW_SETTINGS, {"beam": min(MIN_BEAM + steps, MAX_BEAM)})


HIT: LiteralString = """m.id, m.memory_no, m.memory_type, m.topic, left(m.content, %(excerpt_chars)s) AS content,
    m.content_chars, m.scope, m.project, m.recorded_at"""

PENDING: LiteralString = """(SELECT count(*) FROM (
        SELECT FROM embedding_jobs j WHERE j.tenant_id = %(tenant_id)s
          AND j.model_id = (SELECT g.id FROM embedding_models g WHERE g.state = 'active')
        LIMIT 1000) waiting) AS pending"""


def counted(filters: Eligibility) -> Statement:
    """How many memories are eligible, counted no further than the bound for exact comparison."""
    body: LiteralString = (
        "SELECT count(*) AS eligible FROM (SELECT FROM {source} WHERE {condition} LIMIT %(bound)s) counted"
    )
    return tenant_statement("search_counted", body.format(source=filters.source, condition=filters.condition))


def frozen(filters: Eligibility) -> Statement:
    """The rows of a frozen ranking that are still eligible, in its order."""
    body: LiteralString = (
        "SELECT " + HIT + ", " + filters.is_superseded + " AS superseded, r.score, r.position, " + PENDING
        + " FROM unnest(%(numbers)s::int[], %(scores)s::float8[]) WITH ORDINALITY AS r (memory_no, score, position)"
        " JOIN {source} ON m.memory_no = r.memory_no WHERE {condition} ORDER BY r.position LIMIT %(fetch)s"
    )  # fmt: skip
    return tenant_statement("search_frozen", body.format(source=filters.source, condition=filters.condition))


_HAS_ALL_TERMS: LiteralString = """ AND m.memory_no IN (
    WITH wanted AS MATERIALIZED (
        SELECT q.term, q.grp, s.df
        FROM unnest(%(terms)s::bigint[], %(groups)s::int[]) AS q (term, grp)
        JOIN term_stats s ON s.tenant_id = %(tenant_id)s AND s.term = q.term
    ), rarest AS (
        SELECT grp FROM wanted GROUP BY grp ORDER BY sum(df), grp LIMIT 1
    )
    SELECT DISTINCT p.memory_no
    FROM wanted w JOIN memory_terms p ON p.tenant_id = %(tenant_id)s AND p.term = w.term
    WHERE w.grp = (SELECT grp FROM rarest)
      AND (SELECT count(DISTINCT o.grp) FROM wanted o JOIN memory_terms t
           ON t.tenant_id = %(tenant_id)s AND t.term = o.term AND t.memory_no = p.memory_no) = %(group_count)s
)"""
_AFTER: LiteralString = " AND (m.recorded_at, m.id) < (%(after_recorded_at)s, %(after_id)s)"


def listed(filters: Eligibility, *, has_query: bool, is_continued: bool) -> Statement:
    """Eligible memories newest first, after a given row, all of them with every term of the query."""
    body: LiteralString = (
        "SELECT "
        + HIT
        + ", "
        + filters.is_superseded
        + " AS superseded, 0::float8 AS score, "
        + PENDING
        + " FROM {source} WHERE {condition}"
        + (_HAS_ALL_TERMS if has_query else "")
        + (_AFTER if is_continued else "")
        + " ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(fetch)s"
    )
    return tenant_statement("search_listed", body.format(source=filters.source, condition=filters.condition))
