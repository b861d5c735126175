"""The account's own switch, and how far its consolidation has come."""

from threengram.core.call import Call
from threengram.core.consolidation import queries
from threengram.core.db.database import TenantTransaction
from threengram.schema.consolidation import ConsolidationOutput, GetConsolidationInput, SwitchConsolidationInput


async def get_consolidation(call: Call, _request: GetConsolidationInput) -> ConsolidationOutput:
    """Where consolidation of the caller's tenant stands."""
    _, tx = await call.admitted()
    return await _state(tx)


async def switch_consolidation(call: Call, request: SwitchConsolidationInput) -> ConsolidationOutput:
    """Switch it on or off; a batch that is under way when it goes off writes nothing any more.

    What came meanwhile is compared after it is on again. Switching twice is harmless.
    """
    _, tx = await call.admitted()
    await tx.fetch(queries.SWITCH, {"is_enabled": request.enabled, "now": call.now})
    return await _state(tx)


async def _state(tx: TenantTransaction) -> ConsolidationOutput:
    (row,) = await tx.fetch_last(queries.STANDING)
    return ConsolidationOutput(
        enabled=row["is_enabled"],
        remaining=row["memory_count"] - row["examined_no"],
        waiting=row["waiting"],
        open_edges=row["open_edges"],
        open_facts=row["open_facts"],
    )
