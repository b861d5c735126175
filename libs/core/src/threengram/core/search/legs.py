"""The statement that finds candidates with their evidence, in three forms.

`compared` looks at every eligible vector: right for small tenants and narrow filters. `walked` follows the HNSW index
and reads postings within a budget: right for large ones. `worded` has no vectors. All three return the same columns:
the cosine of a memory's best window, the value of the query's words in it, and the mass of the whole query.

Their plans may be kept for all tenants, so none may hang on how many rows the planner expects of one. Rows are looked
up by key in a LATERAL with OFFSET 0, which stays as it is written, and legs meet in one aggregate instead of joins.
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
        CROSS JOIN LATERAL (
            SELECT t.term, t.df FROM term_stats t WHERE t.tenant_id = %(tenant_id)s AND t.term = q.term OFFSET 0
        ) s
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

_COMPARED: LiteralString = """
    measured AS (
        SELECT max(u.memory_no) AS memory_no, min(u.distance) AS distance
        FROM (
            SELECT m.id, m.memory_no, NULL::float8 AS distance FROM {source} WHERE {condition}
            UNION ALL
            SELECT v.memory_id, NULL, v.embedding <=> %(vector)s FROM memory_embeddings v
            WHERE v.tenant_id = %(tenant_id)s AND v.model_id = {model}
        ) u
        GROUP BY u.id HAVING max(u.memory_no) IS NOT NULL
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
        CROSS JOIN LATERAL (
            SELECT FROM {source} WHERE m.memory_no = s.memory_no AND {condition} OFFSET 0
        ) k
        ORDER BY s.value DESC, s.memory_no DESC LIMIT %(pool)s
    )"""

_BY_MEANING: LiteralString = """
    by_meaning AS (
        SELECT n.memory_no, min(n.distance) AS distance FROM (
            SELECT k.memory_no, v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
            FROM memory_embeddings v CROSS JOIN LATERAL (
                SELECT m.memory_no FROM {source} WHERE m.id = v.memory_id AND {condition} OFFSET 0
            ) k
            WHERE v.tenant_id = %(tenant_id)s AND v.model_id = {model}
            ORDER BY v.embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
            LIMIT %(window_pool)s
        ) n GROUP BY n.memory_no ORDER BY distance LIMIT %(pool)s
    )"""

_NEWEST: LiteralString = """
    newest AS (
        SELECT m.memory_no FROM {source} WHERE {condition} ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(pool)s
    )"""

_WALKED: LiteralString = """
    candidates AS MATERIALIZED (
        SELECT u.memory_no, min(u.distance) AS distance
        FROM (
            SELECT memory_no, NULL::float8 AS distance FROM by_words
            UNION ALL
            SELECT memory_no, distance FROM by_meaning
        ) u
        GROUP BY u.memory_no
    )"""

_WITHOUT_VECTORS: LiteralString = """
    candidates AS MATERIALIZED (
        SELECT memory_no, NULL::float8 AS distance FROM (
            SELECT memory_no FROM by_words UNION SELECT memory_no FROM newest
        ) u
    )"""

# Terms beyond the posting budget count too, but only on the candidates, which every term's index is asked for at once.
_EVIDENCE: LiteralString = """
    evidence AS MATERIALIZED (
        SELECT u.memory_no, min(u.distance) AS distance, sum(u.value) AS value
        FROM (
            SELECT memory_no, distance, NULL::float8 AS value FROM candidates
            UNION ALL
            SELECT p.memory_no, NULL, max(w.value * p.weight)
            FROM wanted w CROSS JOIN LATERAL (
                SELECT t.memory_no, t.weight FROM memory_terms t
                WHERE t.tenant_id = %(tenant_id)s AND t.term = w.term
                  AND t.memory_no = ANY((SELECT array_agg(memory_no) FROM candidates)::int[]) OFFSET 0
            ) p
            GROUP BY p.memory_no, w.grp
        ) u
        GROUP BY u.memory_no
    )"""

_FOUND: LiteralString = """
    CROSS JOIN LATERAL (
        SELECT {hit}, {successor} AS successor_id
        FROM {source} WHERE m.tenant_id = %(tenant_id)s AND m.memory_no = c.memory_no OFFSET 0
    ) m"""

# Candidates that only their words brought in were never met on the walk.
_OFF_THE_WALK: LiteralString = """
    LEFT JOIN LATERAL (
        SELECT min(v.embedding <=> %(vector)s) AS distance FROM memory_embeddings v
        WHERE c.distance IS NULL AND v.tenant_id = %(tenant_id)s AND v.memory_id = m.id AND v.model_id = {model}
    ) far ON true"""

_SCORES: LiteralString = (
    ", coalesce(c.value, 0) AS lexical, (SELECT sum(value) FROM asked) AS mass,"
    " m.successor_id IS NOT NULL AS superseded, " + PENDING
)  # fmt: skip


def compared(filters: Eligibility, model: ActiveModel, *, is_small: bool) -> Statement:
    """Every eligible memory weighed by its vectors and its words; `is_small` says that the tenant has few at all.

    A large one is compared where a filter leaves few, and finding those needs a plan that knows the filter.
    """
    body: LiteralString = (
        "WITH " + _WANTED + "," + _SCORED + "," + _COMPARED
        + " SELECT m.*, 1 - c.distance AS cosine" + _SCORES + " FROM candidates c" + _FOUND
    )  # fmt: skip
    return _written("search_compared", body, filters, model, keeps_plan=is_small)


def walked(filters: Eligibility, model: ActiveModel) -> Statement:
    """The nearest windows along the index, and the memories with the rarest words."""
    body: LiteralString = (
        "WITH " + _WANTED + "," + _ESTIMATED + "," + _BY_WORDS + "," + _BY_MEANING + "," + _WALKED + "," + _EVIDENCE
        + " SELECT m.*, 1 - coalesce(c.distance, far.distance) AS cosine" + _SCORES
        + " FROM evidence c" + _FOUND + _OFF_THE_WALK
    )  # fmt: skip
    return _written("search_walked", body, filters, model, keeps_plan=True)


def worded(filters: Eligibility) -> Statement:
    """The memories with the rarest words, and the newest ones."""
    body: LiteralString = (
        "WITH " + _WANTED + "," + _ESTIMATED + "," + _BY_WORDS + "," + _NEWEST + "," + _WITHOUT_VECTORS + ","
        + _EVIDENCE + " SELECT m.*, c.distance AS cosine" + _SCORES + " FROM evidence c" + _FOUND
    )  # fmt: skip
    return _written("search_worded", body, filters, None, keeps_plan=not filters.is_narrow)


def _written(
    name: str, body: LiteralString, filters: Eligibility, model: ActiveModel | None, *, keeps_plan: bool
) -> Statement:
    """The body with its parts filled in. Model and width are integers of ours; the planner wants them as literals.

    Indentation goes: the driver keeps what it makes of a statement's parameters for texts of up to 4,096 bytes only.

    Travel in time joins each memory with its versions, in an order that only a planner knows that counts both.
    """
    parts = {
        "source": filters.source, "condition": filters.condition, "successor": filters.successor, "hit": HIT,
    }  # fmt: skip
    if model is not None:
        parts |= {"model": str(int(model.id)), "dimensions": str(int(model.dimensions))}
    sql = " ".join(body.format(**parts).split())
    return tenant_statement(name, sql, keeps_plan=keeps_plan and filters.known_at is None)
