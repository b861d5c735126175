"""`remember`: append one memory with its facts, commitment, postings and vectors, all or nothing."""

import hashlib
from uuid import UUID

from dateutil.rrule import rrulestr

from threengram.core.call import Call
from threengram.core.db.database import UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable
from threengram.core.embeddings.store import enqueueing, storing
from threengram.core.errors import Conflict, DuplicateMemory, InvalidRequest
from threengram.core.facts.write import plan_facts
from threengram.core.identity.admission import Admission
from threengram.core.ids import new_id
from threengram.core.lexical.analyser import document_terms
from threengram.core.memories import queries
from threengram.core.scopes.queries import FILING
from threengram.core.scopes.resolution import filed_under
from threengram.schema.enums import EmbeddedState, MemoryType
from threengram.schema.memories import MemoryEcho, RememberInput, RememberOutput


async def remember(call: Call, request: RememberInput) -> RememberOutput:
    """The memory as filed; its facts in the order given.

    Raises `DuplicateMemory` when the same content is live with this type, scope and project, `InvalidRequest` for a
    fact series given twice, a taken instant, an unknown session or a recurrence that is no RFC 5545 rule.
    """
    _check_recurrence(request.recurrence)
    vectors = await _first_window(call, request)
    admission, tx = await call.admitted()
    scope = filed_under(admission, request.scope, request.project)
    memory_id = new_id()
    if request.session_run_id is not None:
        session = await tx.fetch(queries.SESSION, {"session_run_id": request.session_run_id})
        if not session:
            raise InvalidRequest("no such session run", field="sessionRunId")
    planned = await plan_facts(tx, memory_id, request.facts, now=call.now)
    commitment_id = new_id() if request.memory_type is MemoryType.COMMITMENT else None
    state, embedding = _embedding_steps(call, admission, memory_id, vectors)
    steps = [
        Step(FILING),
        _appending(call, request, memory_id, scope),
        _posting(request),
        *_promising(call, request, memory_id, commitment_id),
        *planned.steps,
        *embedding,
    ]
    try:
        _, appended, *_ = await tx.run(steps, commit=True)
    except UniqueViolated as error:
        raise await _duplicate(call, request, scope) from error
    return RememberOutput(
        memory=MemoryEcho(
            id=memory_id,
            memory_type=request.memory_type,
            topic=request.topic,
            scope=appended[0]["scope"],
            project=request.project,
        ),
        embedded=state,
        commitment_id=commitment_id,
        fact_ids=[fact.id for fact in planned.facts] or None,
        facts=planned.facts or None,
    )


def content_hash(content: str) -> bytes:
    """SHA-256 of the normalised content (the schema has trimmed it and brought it into NFC)."""
    return hashlib.sha256(content.encode()).digest()


def _check_recurrence(rule: str | None) -> None:
    if rule is None:
        return
    try:
        rrulestr(rule)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest("recurrence is not an RFC 5545 RRULE", field="recurrence") from error


async def _first_window(call: Call, request: RememberInput) -> DocumentVectors | None:
    embedder = call.core.embedder
    if embedder is None:
        return None
    if embedder.is_metered:
        await call.admitted()
    try:
        return await embedder.embed_document(
            request.topic,
            request.content,
            timeout_s=call.core.embed_write_timeout_s,
            first_window_only=True,
            priority="write",
        )
    except EmbedderUnavailable:
        return None


def _embedding_steps(
    call: Call, admission: Admission, memory_id: UUID, vectors: DocumentVectors | None
) -> tuple[EmbeddedState, list[Step]]:
    embedder, model = call.core.embedder, admission.model
    if vectors is not None and (model is None or embedder is None or embedder.model_name != model.name):
        vectors = None
    is_complete = vectors is not None and len(vectors.vectors) == vectors.window_count
    traceparent = call.core.database.observer.traceparent()
    steps = [enqueueing(memory_id, is_complete=is_complete, traceparent=traceparent, now=call.now)]
    if vectors is not None and model is not None:
        steps.append(storing(memory_id, model.id, vectors))
    if embedder is None:
        return EmbeddedState.OFF, steps
    return EmbeddedState.DONE if is_complete else EmbeddedState.PENDING, steps


def _appending(call: Call, request: RememberInput, memory_id: UUID, scope: str) -> Step:
    return Step(
        queries.APPEND_MEMORY,
        {
            "memory_id": memory_id,
            "event_id": new_id(),
            "user_id": call.principal.user_id,
            "actor": call.principal.actor,
            "memory_type": request.memory_type,
            "topic": request.topic,
            "content": request.content,
            "content_chars": len(request.content),
            "content_hash": content_hash(request.content),
            "scope": scope,
            "project": request.project,
            "tags": request.tags,
            "session_run_id": request.session_run_id,
            "now": call.now,
        },
    )


def _posting(request: RememberInput) -> Step:
    terms = document_terms(request.topic, request.content)
    return Step(queries.POST_TERMS, {"terms": [term.key for term in terms], "weights": [term.weight for term in terms]})


def _promising(call: Call, request: RememberInput, memory_id: UUID, commitment_id: UUID | None) -> list[Step]:
    if commitment_id is None:
        return []
    return [
        Step(
            queries.INSERT_COMMITMENT,
            {
                "commitment_id": commitment_id,
                "memory_id": memory_id,
                "owner": request.owner,
                "due_at": request.due_at,
                "recurrence": request.recurrence,
                "now": call.now,
            },
        )
    ]


async def _duplicate(call: Call, request: RememberInput, scope: str) -> Conflict:
    """The error that names the row in the way; asked in a unit of work of its own, since the first one is void."""
    key = {
        "content_hash": content_hash(request.content),
        "memory_type": request.memory_type,
        "scope": scope,
        "project": request.project,
    }
    async with call.core.database.tenant(call.principal) as fresh:
        rows = await fresh.fetch_last(queries.LIVE_DUPLICATE, key)
    if not rows:
        return Conflict("the same content was stored and closed meanwhile; try again")
    return DuplicateMemory(str(rows[0]["id"]))
