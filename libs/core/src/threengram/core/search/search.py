"""`search`: rank by meaning and words, or list everything newest first."""

import asyncio
from collections.abc import Callable

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter, RankedRest, fingerprint
from threengram.core.db.database import TenantTransaction
from threengram.core.embeddings.embedder import Embedder, EmbedderUnavailable, QueryVector
from threengram.core.errors import InvalidCursor
from threengram.core.identity.admission import ActiveModel
from threengram.core.scopes.policy import Narrowing, enforce, narrow
from threengram.core.search import listing
from threengram.core.search.eligibility import Eligibility, eligibility
from threengram.core.search.ranking import Candidate, Ranking
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import SearchInput, SearchOrder, SearchOutput


async def search(call: Call, request: SearchInput) -> SearchOutput:
    """One page of hits. Never fails because a model is down: the coverage says which legs took part.

    `appliedScope` is set where the tenant's policy supplied the scope. Raises `UnscopedRetrieval` where it wants one,
    `InvalidCursor` for a cursor that was not issued for this tenant, query and set of filters.
    """
    if request.order is SearchOrder.CHRONOLOGICAL or request.cursor is not None:
        narrowing, found = await _without_embedding(call, request)
    else:
        narrowing, found = await _with_embedding(call, request)
    return found if narrowing.applied is None else found.model_copy(update={"applied_scope": narrowing.applied})


async def candidates(call: Call, request: SearchInput) -> list[Candidate]:
    """What the legs of a relevance search know about everything they brought, best first; for whoever judges them."""
    narrowing, vector, _ = await _prepared(call, request)
    ranking, tx = await _ranking(call, request, narrowing)
    return await ranking.candidates(tx, vector)


async def _with_embedding(call: Call, request: SearchInput) -> tuple[Narrowing, SearchOutput]:
    narrowing, vector, coverage = await _prepared(call, request)
    ranking, tx = await _ranking(call, request, narrowing)
    return narrowing, await ranking.first(tx, vector, coverage)


async def _prepared(call: Call, request: SearchInput) -> tuple[Narrowing, QueryVector | None, VectorCoverage]:
    embedding = asyncio.create_task(_embed(call, request))
    try:
        admission, tx = await call.admitted()
        narrowing = await enforce(tx, admission, request.scope)
        return narrowing, *await _by_the_active_model(call, request, admission.model, *await embedding)
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)


async def _ranking(call: Call, request: SearchInput, narrowing: Narrowing) -> tuple[Ranking, TenantTransaction]:
    admission, tx = await call.admitted()
    filters = eligibility(request, narrowing.scope, now=call.now)
    return Ranking(call, request, admission, filters, _fingerprint(request, filters)), tx


async def _without_embedding(call: Call, request: SearchInput) -> tuple[Narrowing, SearchOutput]:
    admission, tx = await call.admitted()
    narrowing = await enforce(tx, admission, request.scope)
    filters = eligibility(request, narrowing.scope, now=call.now)
    asked = _fingerprint(request, filters)
    cursors, tenant_id = call.core.cursors, call.principal.tenant_id
    if request.order is SearchOrder.CHRONOLOGICAL:
        after = cursors.resume(ListedAfter, tenant_id, asked, request.cursor)
        return narrowing, await listing.page(call, tx, request, filters, asked, after)
    rest = cursors.resume(RankedRest, tenant_id, asked, request.cursor)
    if rest is None:
        raise InvalidCursor
    return narrowing, await Ranking(call, request, admission, filters, asked).rest(tx, rest)


async def _embed(call: Call, request: SearchInput) -> tuple[QueryVector | None, VectorCoverage]:
    embedder = call.core.embedder
    if embedder is None or request.query is None:
        return None, VectorCoverage.OFF
    if embedder.is_metered:
        admission, _ = await call.admitted()
        narrow(admission, request.scope)
    return await _vector(call, request.query, lambda: embedder)


async def _vector(
    call: Call, query: str, embedder: Callable[[], Embedder]
) -> tuple[QueryVector | None, VectorCoverage]:
    observer = call.core.database.observer
    try:
        with observer.span("search.embed"), observer.span("client.embed", priority="query"):
            return await embedder().embed_query(query, timeout_s=call.core.embed_query_timeout_s), VectorCoverage.USED
    except EmbedderUnavailable:
        return None, VectorCoverage.UNAVAILABLE


async def _by_the_active_model(
    call: Call, request: SearchInput, active: ActiveModel | None, vector: QueryVector | None, coverage: VectorCoverage
) -> tuple[QueryVector | None, VectorCoverage]:
    """What was embedded, or is embedded once more where the active model has changed since the embedder looked."""
    embedder = call.core.embedder
    if embedder is None or active is None or coverage is VectorCoverage.OFF or request.query is None:
        return vector, coverage
    spoke_for = embedder.model_name if vector is None else vector.model_name
    if spoke_for == active.name:
        return vector, coverage
    return await _vector(call, request.query, lambda: embedder.speaking_for(active.name, active.dimensions))


def _fingerprint(request: SearchInput, filters: Eligibility) -> bytes:
    """Stands for what was asked; `limit` and `projection` may change between pages, the order and the filters not.

    The scope is the one that narrows the search, whoever supplied it, so that a page never shows more than the first.
    The instant that `asOf` fills in for a missing `asKnownAt` is left out: it differs from page to page.
    """
    question = {
        "query": request.query,
        "order": request.order,
        "scope": filters.scope,
        "project": filters.project,
        "types": filters.types,
        "status": filters.status,
        "valid_at": filters.valid_at,
        "as_known_at": None if request.as_of is None else request.as_of.as_known_at,
        "recorded_after": filters.recorded_after,
        "recorded_before": filters.recorded_before,
    }
    return fingerprint(question)
