"""`export`: every record of the account, in pages, of one snapshot."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import timedelta
from typing import Final

from threengram.core.call import Call
from threengram.core.db.database import Begin, TenantTransaction
from threengram.core.errors import ExportUnderWay
from threengram.core.export import queries
from threengram.core.export.sections import SECTIONS, Section
from threengram.core.people.audit import Action, recorded
from threengram.schema.enums import OAuthScope
from threengram.schema.export import EXPORT_RECORDS, ExportBegins, ExportEnds, ExportInput, ExportRecord, kind_of

PAGE_ROWS: Final = 128
"""Checked and written out at once, while nothing else of the process gets a turn."""

PAGE_CHARS: Final = 262_144
"""Of contents; the row that passes it is the last one of its page, so that a page has at most twice as many."""

MAX_IDLE: Final = timedelta(minutes=15)
"""How long the transaction may wait for a slow reader. Whoever sends the pages sets the nearer bound."""


async def export(call: Call, _request: ExportInput) -> AsyncGenerator[Sequence[ExportRecord], None]:
    """Pages of records, whose last one says how many there were; never more than one page is in memory.

    What is written meanwhile is not in it. Raises `InsufficientScope`, and `ExportUnderWay` while the same user has
    another one.
    """
    call.require(OAuthScope.ACCOUNT)
    _, tx = await call.admitted(Begin.SNAPSHOT, leaving=True)
    yield [await _begun(call, tx)]
    counts = {kind_of(record): 0 for record in EXPORT_RECORDS} | {"export": 1, "end": 1}
    for section in SECTIONS:
        async for page in _pages(call, tx, section):
            counts[section.kind] += len(page)
            yield page
    yield [ExportEnds(counts=counts)]


async def _begun(call: Call, tx: TenantTransaction) -> ExportBegins:
    idle_ms = str(int(MAX_IDLE.total_seconds() * 1000))
    (row,) = await tx.fetch(queries.BEGIN, {"user_id": call.principal.user_id, "idle_ms": idle_ms})
    if not row["is_alone"]:
        raise ExportUnderWay
    # On record before anything leaves, in a unit of work of its own: the snapshot's can write nothing.
    async with call.core.database.tenant(call.principal) as record:
        await record.run([recorded(Action.EXPORTED, call.principal, call.now)], commit=True)
    return ExportBegins(
        exported_at=call.now,
        account_id=row["account_id"],
        account_name=row["account_name"],
        account_created_at=row["account_created_at"],
    )


async def _pages(call: Call, tx: TenantTransaction, section: Section) -> AsyncIterator[list[ExportRecord]]:
    statement = section.statement()
    bounds = {"rows": PAGE_ROWS, "chars": PAGE_CHARS, "user_id": call.principal.user_id}
    last = None
    while rows := await tx.fetch(statement, {**bounds, **section.after(last)}):
        last = rows[-1]
        yield [section.record.model_validate(row, strict=False) for row in rows]
