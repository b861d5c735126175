"""What every new memory comes with: its row and lifetime, its event, postings, vectors or a job. All in one unit."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable
from threengram.core.embeddings.store import enqueueing, storing
from threengram.core.errors import Conflict, DuplicateMemory
from threengram.core.identity.admission import Admission
from threengram.core.ids import new_id
from threengram.core.lexical.analyser import document_terms
from threengram.core.memories import queries
from threengram.schema.enums import EmbeddedState, MemoryType
from threengram.schema.memories import MemoryEcho


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory about to be appended; `scope` is a name or an alias, resolved when the row is written."""

    memory_id: UUID
    memory_type: MemoryType
    topic: str
    content: str
    scope: str
    project: str | None
    tags: Sequence[str]

    def echo(self, filed: list[Row]) -> MemoryEcho:
        """What was filed, and where; `filed` are the rows of the first appending step."""
        return MemoryEcho(
            id=self.memory_id,
            memory_type=self.memory_type,
            topic=self.topic,
            scope=filed[0]["scope"],
            project=self.project,
        )


def content_hash(content: str) -> bytes:
    """SHA-256 of the normalised content (the schema has trimmed it and brought it into NFC)."""
    return hashlib.sha256(content.encode()).digest()


async def first_window(call: Call, topic: str, content: str) -> DocumentVectors | None:
    """The vector of the first window, or None when the embedder is absent, down or too slow."""
    embedder = call.core.embedder
    if embedder is None:
        return None
    if embedder.is_metered:
        await call.admitted()
    try:
        with call.core.database.observer.span("client.embed", priority="write"):
            return await embedder.embed_document(
                topic, content, timeout_s=call.core.embed_write_timeout_s, first_window_only=True, priority="write"
            )
    except EmbedderUnavailable:
        return None


def appending(
    call: Call, admission: Admission, draft: Draft, vectors: DocumentVectors | None, *, at: datetime
) -> tuple[EmbeddedState, list[Step]]:
    """Whether the memory can be found by meaning at once, and the steps that append it as recorded `at`.

    The transaction has to hold the registry of scopes already (`scopes.queries.FILING`). The first step returns the
    scope under which the memory was filed.
    """
    state, embedding = _embedding_steps(call, admission, draft.memory_id, vectors)
    return state, [_row(call, draft, at), _posting(draft), *embedding]


def count_written(call: Call, verb: str, memory_type: MemoryType, state: EmbeddedState) -> None:
    """Say that a memory was committed, whatever transport asked for it."""
    call.core.database.observer.count("memory_written", verb=verb, memory_type=memory_type, embedded=state)


async def duplicate_of(call: Call, draft: Draft) -> Conflict:
    """The error that names the row in the way; asked in a unit of work of its own, since the first one is void."""
    async with call.core.database.tenant(call.principal) as fresh:
        found = await stored_already(fresh, draft)
    return found or Conflict("the same content was stored and closed meanwhile; try again")


async def stored_already(tx: TenantTransaction, draft: Draft) -> DuplicateMemory | None:
    """The error that names the live row with the same content, if there is one; ends the unit of work."""
    key = {
        "content_hash": content_hash(draft.content),
        "memory_type": draft.memory_type,
        "scope": draft.scope,
        "project": draft.project,
    }
    rows = await tx.fetch_last(queries.LIVE_DUPLICATE, key)
    return DuplicateMemory(str(rows[0]["id"])) if rows else None


def _embedding_steps(
    call: Call, admission: Admission, memory_id: UUID, vectors: DocumentVectors | None
) -> tuple[EmbeddedState, list[Step]]:
    embedder, model = call.core.embedder, admission.model
    if vectors is not None and (model is None or vectors.model_name != model.name):
        vectors = None
        if embedder is not None:
            embedder.look_again()
    is_complete = vectors is not None and len(vectors.vectors) == vectors.window_count
    traceparent = call.core.database.observer.traceparent()
    complete_model_id = model.id if model is not None and is_complete else None
    steps = [enqueueing(memory_id, complete_model_id=complete_model_id, traceparent=traceparent, now=call.now)]
    if vectors is not None and model is not None:
        steps.append(storing(memory_id, model.id, vectors))
    if embedder is None:
        return EmbeddedState.OFF, steps
    return EmbeddedState.DONE if is_complete else EmbeddedState.PENDING, steps


def _row(call: Call, draft: Draft, at: datetime) -> Step:
    return Step(
        queries.APPEND_MEMORY,
        {
            "memory_id": draft.memory_id,
            "event_id": new_id(),
            "user_id": call.principal.user_id,
            "actor": call.principal.actor,
            "memory_type": draft.memory_type,
            "topic": draft.topic,
            "content": draft.content,
            "content_chars": len(draft.content),
            "content_hash": content_hash(draft.content),
            "scope": draft.scope,
            "project": draft.project,
            "tags": list(draft.tags),
            "now": at,
        },
    )


def _posting(draft: Draft) -> Step:
    terms = document_terms(draft.topic, draft.content)
    return Step(queries.POST_TERMS, {"terms": [term.key for term in terms], "weights": [term.weight for term in terms]})
