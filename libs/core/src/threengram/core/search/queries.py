"""The statements of a search, put together from the fixed parts below; values only ever travel as parameters."""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `eligibility`; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.identity.admission import ActiveModel
from threengram.core.search.eligibility import Eligibility

POSTING_BUDGET = 5_000
"""Postings read per search, rarest terms first; the other terms are scored on the candidates only."""

EXACT_MEMORIES = 4_000
"""Up to this many eligible memories their vectors are compared one by one; above, the index is walked."""

HNSW_SETTINGS = Statement(
    "hnsw_settings",
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),"
    " set_config('hnsw.max_scan_tuples', '200000', true)",
)

_HIT: LiteralString = """m.id, m.memory_no, m.memory_type, m.topic, left(m.content, %(excerpt_chars)s) AS content,
    m.content_chars, m.scope, m.project, m.recorded_at"""

_LEXICAL: LiteralString = """
    wanted AS MATERIALIZED (
        SELECT q.term, q.grp, s.df,
               q.weight * ln(1 + greatest(%(memory_count)s, s.df)::float8 / s.df) AS value,
               sum(s.df) OVER (ORDER BY s.df, q.term) - s.df < %(posting_budget)s AS is_driving
        FROM unnest(%(terms)s::bigint[], %(groups)s::int[], %(weights)s::float8[]) AS q (term, grp, weight)
        JOIN term_stats s ON s.tenant_id = %(tenant_id)s AND s.term = q.term
    ), asked AS MATERIALIZED (
        SELECT coalesce(max(w.value), max(q.weight) * ln(1 + greatest(%(memory_count)s, 1)::float8)) AS value
        FROM unnest(%(terms)s::bigint[], %(groups)s::int[], %(weights)s::float8[]) AS q (term, grp, weight)
        LEFT JOIN wanted w ON w.term = q.term
        GROUP BY q.grp
    ), posted AS (
        SELECT p.memory_no, w.grp, max(w.value * p.weight) AS value
        FROM wanted w CROSS JOIN LATERAL (
            SELECT t.memory_no, t.weight FROM memory_terms t
            WHERE t.tenant_id = %(tenant_id)s AND t.term = w.term
            ORDER BY t.memory_no DESC LIMIT %(posting_budget)s
        ) p
        WHERE w.is_driving
        GROUP BY p.memory_no, w.grp
    ), scored AS MATERIALIZED (
        SELECT memory_no, sum(value) AS value FROM posted GROUP BY memory_no
    ), lexical AS (
        SELECT m.memory_no
        FROM {source} JOIN scored s ON s.memory_no = m.memory_no
        WHERE {condition}
        ORDER BY s.value DESC, m.memory_no DESC LIMIT %(pool)s
    )"""

_COVERED: LiteralString = """
    SELECT g.memory_no, sum(g.value) AS value FROM (
        SELECT c.memory_no, w.grp, max(w.value * t.weight) AS value
        FROM candidates c CROSS JOIN wanted w
        JOIN memory_terms t ON t.tenant_id = %(tenant_id)s AND t.term = w.term AND t.memory_no = c.memory_no
        GROUP BY c.memory_no, w.grp
    ) g GROUP BY g.memory_no"""

_NEAREST_EXACT: LiteralString = """
    SELECT m.memory_no, min(v.embedding <=> %(vector)s) AS distance
    FROM {source} JOIN memory_embeddings v
        ON v.tenant_id = %(tenant_id)s AND v.memory_id = m.id AND v.model_id = {model}
    WHERE {condition}
    GROUP BY m.memory_no ORDER BY distance LIMIT %(pool)s"""

_NEAREST_WALKED: LiteralString = """
    SELECT n.memory_no, min(n.distance) AS distance FROM (
        SELECT m.memory_no, v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
        FROM memory_embeddings v JOIN {source} ON m.id = v.memory_id
        WHERE v.tenant_id = %(tenant_id)s AND v.model_id = {model} AND {condition}
        ORDER BY v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
        LIMIT %(window_pool)s
    ) n GROUP BY n.memory_no ORDER BY distance LIMIT %(pool)s"""

_NEWEST: LiteralString = """
    SELECT m.memory_no FROM {source} WHERE {condition} ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(limit)s"""

_PENDING: LiteralString = """(SELECT count(*) FROM (
        SELECT FROM embedding_jobs j WHERE j.tenant_id = %(tenant_id)s LIMIT 1000) waiting) AS pending"""


def ranked(filters: Eligibility, model: ActiveModel | None, *, is_walked: bool) -> Statement:
    """Every candidate of the legs with its evidence: cosine of its best window, lexical value, the query's mass.

    Without `model` there is no vector leg and the newest memories are candidates too.
    """
    parts = {"source": filters.source, "condition": filters.condition}
    if model is None:
        second: LiteralString = "newest AS (" + _NEWEST + ")"
        union: LiteralString = "SELECT memory_no FROM newest"
        cosine: LiteralString = "NULL::float8"
        join: LiteralString = ""
    else:
        nearest = _NEAREST_WALKED if is_walked else _NEAREST_EXACT
        second = "nearest AS MATERIALIZED (" + nearest + ")"
        union = "SELECT memory_no FROM nearest"
        cosine = "coalesce(1 - n.distance, 1 - far.distance)"
        join = "LEFT JOIN nearest n ON n.memory_no = m.memory_no LEFT JOIN LATERAL (" + _FAR + ") far ON true"
        parts |= {"model": str(int(model.id)), "dimensions": str(int(model.dimensions))}
    body: LiteralString = (
        "WITH " + _LEXICAL + ", " + second + ", candidates AS MATERIALIZED (SELECT memory_no FROM lexical UNION "
        + union + "), covered AS (" + _COVERED + ") SELECT " + _HIT + ", " + cosine + " AS cosine,"
        " coalesce(v.value, 0) AS lexical, " + filters.is_superseded + " AS superseded, "
        "(SELECT sum(value) FROM asked) AS mass, " + _PENDING
        + " FROM candidates c JOIN {source} ON m.memory_no = c.memory_no LEFT JOIN covered v"
        " ON v.memory_no = m.memory_no " + join + " WHERE {condition}"
    )  # fmt: skip
    return tenant_statement("search_ranked", body.format(**parts))


_FAR: LiteralString = """
    SELECT min(w.embedding <=> %(vector)s) AS distance FROM memory_embeddings w
    WHERE n.distance IS NULL AND w.tenant_id = %(tenant_id)s AND w.memory_id = m.id AND w.model_id = {model}"""


def counted(filters: Eligibility) -> Statement:
    """How many memories are eligible, counted no further than the bound for exact comparison."""
    body: LiteralString = (
        "SELECT count(*) AS eligible FROM (SELECT FROM {source} WHERE {condition} LIMIT %(bound)s) counted"
    )
    return tenant_statement("search_counted", body.format(source=filters.source, condition=filters.condition))


def frozen(filters: Eligibility) -> Statement:
    """The rows of a frozen ranking that are still eligible, in its order."""
    body: LiteralString = (
        "SELECT " + _HIT + ", " + filters.is_superseded + " AS superseded, r.score, r.position, " + _PENDING
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
        + _HIT
        + ", "
        + filters.is_superseded
        + " AS superseded, 0::float8 AS score, "
        + _PENDING
        + " FROM {source} WHERE {condition}"
        + (_HAS_ALL_TERMS if has_query else "")
        + (_AFTER if is_continued else "")
        + " ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(fetch)s"
    )
    return tenant_statement("search_listed", body.format(source=filters.source, condition=filters.condition))
