"""Pure: rows as hits, in the projection asked for."""

from threengram.core.db.statement import Row
from threengram.core.memories.excerpt import excerpt
from threengram.schema.bounds import MAX_EXCERPT_CHARS
from threengram.schema.enums import MemoryType
from threengram.schema.search import Hit, Projection

SCORE_DIGITS = 4


def hit(row: Row, score: float, projection: Projection) -> Hit:
    """One hit; a compact one has no body at all."""
    content, content_length, truncated = None, None, None
    if projection is Projection.FULL:
        body = excerpt(row["content"], row["content_chars"], MAX_EXCERPT_CHARS)
        content, content_length, truncated = body.text, row["content_chars"], body.is_truncated
    return Hit(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        content=content,
        content_length=content_length,
        truncated=truncated,
        score=round(score, SCORE_DIGITS),
        superseded=row["superseded"],
        scope=row["scope"],
        project=row["project"],
        recorded_at=row["recorded_at"],
    )
