"""`import_account`: bring in what an export holds, batch by batch, each in a unit of work of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction, UniqueViolated
from threengram.core.errors import Conflict
from threengram.core.imports import commitments, edges, facts, memories, proposals, registry
from threengram.core.imports.ledger import Entry, Ledger, Plan
from threengram.core.imports.lines import lines_of
from threengram.core.imports.reading import Batch, batches, family_of
from threengram.core.memories.append import count_written
from threengram.core.people.audit import Action, recorded
from threengram.schema.enums import EmbeddedState, OAuthScope
from threengram.schema.import_records import ImportedMemory
from threengram.schema.imports import ImportInput, ImportOutcome, ImportReport

OpenBatch = Callable[[], AbstractAsyncContextManager[Call]]
"""An authorised call for one batch: so a credential that ends, or an account that is shut, ends the import."""

Planner = Callable[[Call, TenantTransaction, Sequence[Entry[Any]], Ledger], Awaitable[Plan]]

_PLANNERS: Final[Mapping[str, Planner]] = {
    "registry": registry.planned,
    "memories": memories.planned,
    "edges": edges.planned,
    "facts": facts.planned,
    "commitments": commitments.planned,
    "occurrences": commitments.planned_occurrences,
    "proposals": proposals.planned,
}
_ATTEMPTS: Final = 3


async def import_account(open_batch: OpenBatch, request: ImportInput, pieces: AsyncIterator[bytes]) -> ImportReport:
    """What became of every line of the file in `pieces`. What is here already stays as it is.

    Raises `InsufficientScope`, and `InvalidLine` at a line that can't be understood: what stands before it is in, what
    stands after it is not. Whatever ends an import early, the same file sent again goes on with it.
    """
    ledger = Ledger(request.dry_run)
    async with open_batch() as call:
        call.require(OAuthScope.ACCOUNT)
    async for batch in batches(lines_of(pieces), ledger):
        await _taken(open_batch, batch, ledger)
    return ledger.report()


async def _taken(open_batch: OpenBatch, batch: Batch, ledger: Ledger) -> None:
    """Carry out one batch; again, when somebody has written the very same in the meantime."""
    for _ in range(_ATTEMPTS):
        try:
            async with open_batch() as call:
                await _written(call, batch, ledger)
        except UniqueViolated:
            continue
        return
    raise Conflict("the same is being written by others at this moment; send the file again")


async def _written(call: Call, batch: Batch, ledger: Ledger) -> None:
    _, tx = await call.admitted()
    family = family_of(batch)
    plan = await _PLANNERS[family](call, tx, batch, ledger)
    if not ledger.dry_run:
        await _commit(call, tx, plan, ledger)
        if family == "memories":
            _count(call, batch, plan)
    ledger.note(batch, plan.verdicts)


async def _commit(call: Call, tx: TenantTransaction, plan: Plan, ledger: Ledger) -> None:
    steps = list(plan.steps)
    if steps and not ledger.is_audited:
        steps.append(recorded(Action.IMPORTED, call.principal, call.now))
    if steps:
        await tx.run(steps, commit=True)
        ledger.is_audited = True


def _count(call: Call, batch: Batch, plan: Plan) -> None:
    state = EmbeddedState.OFF if call.core.embedder is None else EmbeddedState.PENDING
    for entry, verdict in zip(batch, plan.verdicts, strict=True):
        if verdict.outcome is ImportOutcome.IMPORTED and isinstance(entry.record, ImportedMemory):
            count_written(call, "import", entry.record.memory_type, state)
