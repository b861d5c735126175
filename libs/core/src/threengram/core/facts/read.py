"""`get_facts`: claims as they stand, as they stood at a point on both axes, or as a series over a window."""

from threengram.core.call import Call
from threengram.core.cursor import FactsAfter, fingerprint
from threengram.core.db.statement import Row
from threengram.core.facts.question import question
from threengram.core.scopes.policy import enforce
from threengram.schema.facts import GetFactsInput, GetFactsOutput
from threengram.schema.memories import Fact


async def get_facts(call: Call, request: GetFactsInput) -> GetFactsOutput:
    """One page: newest recorded first, or oldest valid first for a range. Facts without any duration are left out.

    Without `asOf` and `range`, what is valid now; the pages of one walk share their now. With `asKnownAt` alone, what
    was valid then by what was known then. Raises `InvalidCursor`, or `UnscopedRetrieval` as a search does.
    """
    admission, tx = await call.admitted()
    narrowing = await enforce(tx, admission, request.scope)
    asked = _fingerprint(request, narrowing.scope)
    after = call.core.cursors.resume(FactsAfter, call.principal.tenant_id, asked, request.cursor)
    wanted = question(request, narrowing.scope, after, now=call.now)
    rows = await tx.fetch_last(wanted.statement, {**wanted.parameters, "fetch": request.limit + 1})
    shown, has_more = rows[: request.limit], len(rows) > request.limit
    cursor = None
    if has_more:
        last = shown[-1]
        instant = last["recorded_at"] if request.range is None else last["valid_from"]
        seen_at = call.now if after is None else after.seen_at
        cursor = call.core.cursors.seal(call.principal.tenant_id, asked, FactsAfter(instant, last["id"], seen_at))
    return GetFactsOutput(
        facts=[_fact(row) for row in shown],
        count=len(shown),
        has_more=has_more,
        next_cursor=cursor,
        applied_scope=narrowing.applied,
    )


def _fingerprint(request: GetFactsInput, scope: str | None) -> bytes:
    """Stands for what was asked; `limit` may change between pages."""
    as_of, window = request.as_of, request.range
    asked = {
        "verb": "get_facts",
        "subject": request.subject,
        "predicate": request.predicate,
        "scope": scope,
        "project": request.project,
        "as_of": None if as_of is None else (as_of.valid_at, as_of.as_known_at),
        "range": None if window is None else (window.from_, window.to),
    }
    return fingerprint(asked)


def _fact(row: Row) -> Fact:
    return Fact(
        id=row["id"],
        memory_id=row["memory_id"],
        subject=row["subject"],
        predicate=row["predicate"],
        value=row["value"],
        confidence=row["confidence"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        recorded_at=row["recorded_at"],
    )
