"""The statement that finds candidates with their evidence, in three forms.

`compared` looks at every eligible vector: right for small tenants and narrow filters. `walked` follows the HNSW index
and reads postings within a budget: right for large ones. `worded` has no vectors. All three return the same columns:
the cosine of a memory's best window, the value of the query's words in it, and the mass of the whole query.
"""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `eligibility`; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.identity.admission import ActiveModel
from threengram.core.search.eligibility import Eligibility
from threengram.core.search.queries import HIT, PENDING

_WANTED: LiteralString = """
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
    )"""

_POSTED: LiteralString = """
            FROM wanted w CROSS JOIN LATERAL (
                SELECT t.memory_no, t.weight FROM memory_terms t
                WHERE t.tenant_id = %(tenant_id)s AND t.term = w.term
                ORDER BY t.memory_no DESC LIMIT %(posting_budget)s
            ) p
            WHERE w.is_driving"""

_SCORED: LiteralString = (
    """
    scored AS (
        SELECT b.memory_no, sum(b.value) AS value FROM (
            SELECT p.memory_no, w.grp, max(w.value * p.weight) AS value"""
    + _POSTED
    + """
            GROUP BY p.memory_no, w.grp
        ) b GROUP BY b.memory_no
    )"""
)

# Good enough to choose candidates by, in half the time: a word as written counts beside its stem, not in its place.
_ESTIMATED: LiteralString = (
    """
    scored AS (
            SELECT p.memory_no, sum(w.value * p.weight) AS value"""
    + _POSTED
    + """
            GROUP BY p.memory_no
    )"""
)

# One aggregate over both legs instead of joins between them: the planner cannot know how large a leg is, and repeats a
# scan of the other for each of its rows.
_COMPARED: LiteralString = """
    measured AS (
        SELECT m.memory_no, v.embedding <=> %(vector)s AS distance
        FROM {source} LEFT JOIN memory_embeddings v
            ON v.tenant_id = %(tenant_id)s AND v.memory_id = m.id AND v.model_id = {model}
        WHERE {condition}
    ), evidence AS (
        SELECT u.memory_no, min(u.distance) AS distance, max(u.value) AS value
        FROM (
            SELECT memory_no, distance, NULL::float8 AS value, true AS is_eligible FROM measured
            UNION ALL
            SELECT memory_no, NULL, value, NULL FROM scored
        ) u
        GROUP BY u.memory_no HAVING bool_or(u.is_eligible)
    ), placed AS (
        SELECT memory_no, distance, value,
               row_number() OVER (ORDER BY distance, memory_no DESC) AS by_meaning,
               row_number() OVER (ORDER BY value DESC NULLS LAST, memory_no DESC) AS by_words
        FROM evidence
    ), candidates AS MATERIALIZED (
        SELECT memory_no, distance, value FROM placed
        WHERE (by_meaning <= %(pool)s AND distance IS NOT NULL) OR (by_words <= %(pool)s AND value IS NOT NULL)
    )"""

# The inner order lets the planner look memories up best first and stop at the pool, instead of joining every posting.
_BY_WORDS: LiteralString = """
    by_words AS (
        SELECT s.memory_no
        FROM (SELECT memory_no, value FROM scored ORDER BY value DESC, memory_no DESC) s
        JOIN {source} ON m.memory_no = s.memory_no
        WHERE {condition}
        ORDER BY s.value DESC, s.memory_no DESC LIMIT %(pool)s
    )"""

_BY_MEANING: LiteralString = """
    by_meaning AS MATERIALIZED (
        SELECT n.memory_no, min(n.distance) AS distance FROM (
            SELECT m.memory_no, v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
            FROM memory_embeddings v JOIN {source} ON m.id = v.memory_id
            WHERE v.tenant_id = %(tenant_id)s AND v.model_id = {model} AND {condition}
            ORDER BY v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
            LIMIT %(window_pool)s
        ) n GROUP BY n.memory_no ORDER BY distance LIMIT %(pool)s
    )"""

_NEWEST: LiteralString = """
    newest AS (
        SELECT m.memory_no FROM {source} WHERE {condition} ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(pool)s
    )"""

# Terms beyond the posting budget count too, but only on the candidates.
_COVERED: LiteralString = """
    covered AS (
        SELECT g.memory_no, sum(g.value) AS value FROM (
            SELECT c.memory_no, w.grp, max(w.value * t.weight) AS value
            FROM candidates c CROSS JOIN wanted w
            JOIN memory_terms t ON t.tenant_id = %(tenant_id)s AND t.term = w.term AND t.memory_no = c.memory_no
            GROUP BY c.memory_no, w.grp
        ) g GROUP BY g.memory_no
    )"""

# Candidates that only their words brought in were never met on the walk.
_OFF_THE_WALK: LiteralString = """
    LEFT JOIN by_meaning n ON n.memory_no = m.memory_no
    LEFT JOIN LATERAL (
        SELECT min(w.embedding <=> %(vector)s) AS distance FROM memory_embeddings w
        WHERE n.distance IS NULL AND w.tenant_id = %(tenant_id)s AND w.memory_id = m.id AND w.model_id = {model}
    ) far ON true"""

_MASS: LiteralString = "(SELECT sum(value) FROM asked) AS mass"


def compared(filters: Eligibility, model: ActiveModel) -> Statement:
    """Every eligible memory weighed by its vectors and its words."""
    body: LiteralString = (
        "WITH " + _WANTED + "," + _SCORED + "," + _COMPARED + " SELECT " + HIT + ", 1 - c.distance AS cosine,"
        " coalesce(c.value, 0) AS lexical, " + filters.is_superseded + " AS superseded, " + _MASS + ", " + PENDING
        + " FROM candidates c JOIN {source} ON m.memory_no = c.memory_no WHERE m.tenant_id = %(tenant_id)s"
    )  # fmt: skip
    return _written("search_compared", body, filters, model)


def walked(filters: Eligibility, model: ActiveModel) -> Statement:
    """The nearest windows along the index, and the memories with the rarest words."""
    body: LiteralString = (
        "WITH " + _WANTED + "," + _ESTIMATED + "," + _BY_WORDS + "," + _BY_MEANING
        + ", candidates AS MATERIALIZED (SELECT memory_no FROM by_words UNION SELECT memory_no FROM by_meaning),"
        + _COVERED + " SELECT " + HIT + ", 1 - coalesce(n.distance, far.distance) AS cosine,"
        " coalesce(w.value, 0) AS lexical, " + filters.is_superseded + " AS superseded, " + _MASS + ", " + PENDING
        + " FROM candidates c JOIN {source} ON m.memory_no = c.memory_no"
        " LEFT JOIN covered w ON w.memory_no = m.memory_no" + _OFF_THE_WALK + " WHERE m.tenant_id = %(tenant_id)s"
    )  # fmt: skip
    return _written("search_walked", body, filters, model)


def worded(filters: Eligibility) -> Statement:
    """The memories with the rarest words, and the newest ones."""
    body: LiteralString = (
        "WITH " + _WANTED + "," + _ESTIMATED + "," + _BY_WORDS + "," + _NEWEST
        + ", candidates AS MATERIALIZED (SELECT memory_no FROM by_words UNION SELECT memory_no FROM newest),"
        + _COVERED + " SELECT " + HIT + ", NULL::float8 AS cosine,"
        " coalesce(w.value, 0) AS lexical, " + filters.is_superseded + " AS superseded, " + _MASS + ", " + PENDING
        + " FROM candidates c JOIN {source} ON m.memory_no = c.memory_no"
        " LEFT JOIN covered w ON w.memory_no = m.memory_no WHERE m.tenant_id = %(tenant_id)s"
    )  # fmt: skip
    return _written("search_worded", body, filters, None)


def _written(name: str, body: LiteralString, filters: Eligibility, model: ActiveModel | None) -> Statement:
    """The body with its parts filled in. Model and width are integers of ours; the planner wants them as literals."""
    parts = {"source": filters.source, "condition": filters.condition}
    if model is not None:
        parts |= {"model": str(int(model.id)), "dimensions": str(int(model.dimensions))}
    return tenant_statement(name, body.format(**parts))
