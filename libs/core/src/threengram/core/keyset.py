"""Lists that are read newest first, page by page: each page begins below the last row of the one before."""

from collections.abc import Sequence

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter
from threengram.core.db.statement import Row


def page_below(after: ListedAfter | None, limit: int) -> dict[str, object]:
    """The parameters of a statement that reads a page, and one row more to know whether anything follows."""
    return {
        "after_recorded_at": None if after is None else after.recorded_at,
        "after_id": None if after is None else after.memory_id,
        "fetch": limit + 1,
    }


def shown(call: Call, rows: Sequence[Row], limit: int, fingerprint: bytes) -> tuple[Sequence[Row], str | None]:
    """The rows of the page, and the cursor of the next one; None where nothing follows."""
    page = rows[:limit]
    if len(rows) == len(page):
        return page, None
    last = ListedAfter(page[-1]["recorded_at"], page[-1]["id"])
    return page, call.core.cursors.seal(call.principal.tenant_id, fingerprint, last)
