"""The chronological listing: exhaustive, newest first, by keyset; no embedding, no ranking."""

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter
from threengram.core.db.database import TenantTransaction
from threengram.core.keyset import page_below, shown
from threengram.core.lexical import query_terms
from threengram.core.search import queries
from threengram.core.search.eligibility import Eligibility
from threengram.core.search.hits import hit
from threengram.schema.bounds import MAX_EXCERPT_CHARS
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import Coverage, SearchInput, SearchOutput


async def page(
    call: Call,
    tx: TenantTransaction,
    request: SearchInput,
    filters: Eligibility,
    fingerprint: bytes,
    after: ListedAfter | None,
) -> SearchOutput:
    """One page below `after`. A query keeps the rows that have all of its terms; one without any term keeps none."""
    required = [term for term in query_terms(request.query or "") if term.required]
    statement = queries.listed(filters, has_query=request.query is not None, is_continued=after is not None)
    parameters = {
        **filters.parameters,
        "terms": [term.key for term in required],
        "groups": [term.group for term in required],
        "group_count": len({term.group for term in required}),
        "excerpt_chars": MAX_EXCERPT_CHARS,
        **page_below(after, request.limit),
    }
    with call.core.database.observer.span("search.list"):
        rows = await tx.fetch_last(statement, parameters)
    listed, cursor = shown(call, rows, request.limit, fingerprint)
    return SearchOutput(
        hits=[hit(row, 0.0, request.projection) for row in listed],
        count=len(listed),
        has_more=cursor is not None,
        next_cursor=cursor,
        coverage=Coverage(
            vector=VectorCoverage.OFF,
            lexical=VectorCoverage.USED if request.query is not None else VectorCoverage.OFF,
            candidates=len(rows),
            pending_embeddings=rows[0]["pending"] if rows else 0,
        ),
    )
