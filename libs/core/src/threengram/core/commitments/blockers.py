"""Blockers: resolving one archives it and ends its validity, opening it again undoes both."""

from threengram.core.call import Call
from threengram.core.commitments.transitions import EXPIRED, OPEN, RESOLVED, WAITING
from threengram.core.db.database import TenantTransaction
from threengram.core.errors import InvalidRequest, InvalidTransition
from threengram.core.facts import reopening
from threengram.core.facts.write import planned, reading
from threengram.core.lifetimes.events import event
from threengram.core.lifetimes.reopening import reopen
from threengram.core.lifetimes.standing import Standing, versioning
from threengram.schema.commitments import ResolvableKind, ResolveInput, ResolveOutput
from threengram.schema.enums import CommitmentStatus, EventKind, MemoryStatus


async def resolve(call: Call, tx: TenantTransaction, request: ResolveInput, memory: Standing) -> ResolveOutput:
    """Where the blocker stands. What no longer applies is resolved; a blocker that only waits is still open."""
    if request.due_at is not None:
        raise InvalidRequest("a blocker is never due", field="dueAt")
    present = OPEN if memory.is_live else RESOLVED
    wanted = RESOLVED if request.status is EXPIRED else request.status
    if wanted is WAITING:
        raise InvalidTransition(present, wanted, kind="blocker")
    if wanted is not present:
        await (_close if wanted is RESOLVED else _open)(call, tx, request, memory)
    return ResolveOutput(kind=ResolvableKind.BLOCKER, memory_id=memory.memory_id, status=wanted)


async def _close(call: Call, tx: TenantTransaction, request: ResolveInput, memory: Standing) -> None:
    rows = await tx.run(reading((), now=call.now, closing=memory.memory_id))
    plan = planned(rows, memory.memory_id, (), status=MemoryStatus.ARCHIVED)
    closed = versioning(memory, status=MemoryStatus.ARCHIVED, valid_to=plan.at, at=plan.at)
    moved = event(
        memory.memory_id,
        EventKind.RESOLVE,
        call.principal.actor,
        at=plan.at,
        details=_details(OPEN, RESOLVED),
    )
    await tx.run([closed, moved, *plan.steps], commit=True)


async def _open(call: Call, tx: TenantTransaction, request: ResolveInput, memory: Standing) -> None:
    at, steps = reopening.planned(await tx.run(reopening.reading(memory.memory_id, now=call.now)))
    moved = event(
        memory.memory_id,
        EventKind.UNRESOLVE,
        call.principal.actor,
        at=at,
        details=_details(RESOLVED, OPEN),
    )
    await reopen(call, tx, memory, [moved, *steps], at=at)


def _details(before: CommitmentStatus, after: CommitmentStatus) -> dict[str, str]:
    return {"from": before, "to": after}
