"""The steps that store vectors, and those that leave the rest to a job."""

from datetime import datetime
from uuid import UUID

from pgvector import HalfVector

from threengram.core.db.statement import Step
from threengram.core.embeddings import queries
from threengram.core.embeddings.embedder import DocumentVectors


def storing(memory_id: UUID, model_id: int, vectors: DocumentVectors) -> Step:
    """Store the windows at hand; one already stored is left as it is."""
    return Step(
        queries.INSERT_EMBEDDINGS,
        {
            "memory_id": memory_id,
            "model_id": model_id,
            "window_count": vectors.window_count,
            "omitted_windows": vectors.omitted_windows,
            "window_nos": list(range(len(vectors.vectors))),
            "vectors": [HalfVector(vector) for vector in vectors.vectors],
        },
    )


def enqueueing(memory_id: UUID, *, complete_model_id: int | None, traceparent: str | None, now: datetime) -> Step:
    """A job row for each serving model that lacks windows: every one, except the one whose windows are all at hand.

    Which models serve is asked when the row is written: the active one may have changed since the call was admitted.
    """
    return Step(
        queries.INSERT_JOB,
        {"memory_id": memory_id, "complete_model_id": complete_model_id, "traceparent": traceparent, "now": now},
    )
