"""Put a memory away, and bring it back. It stays valid on record; its facts close with it and return with it."""

from threengram.core.call import Call
from threengram.core.db.statement import Step
from threengram.core.errors import Conflict
from threengram.core.facts import reopening
from threengram.core.facts.write import planned, reading
from threengram.core.lifetimes.events import event
from threengram.core.lifetimes.reopening import reopen
from threengram.core.lifetimes.standing import Standing, locking, standing, versioning
from threengram.core.scopes.queries import FILING
from threengram.core.sessions.attribution import attributed, attributing
from threengram.schema.enums import EventKind, MemoryStatus, MemoryType
from threengram.schema.revisions import ArchiveInput, ArchiveOutput

ACTIVE, ARCHIVED = MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED


async def archive(call: Call, request: ArchiveInput) -> ArchiveOutput:
    """Archived, now or before. Raises `NotFound`, or `Conflict` for a blocker or a memory that is superseded."""
    _, tx = await call.admitted()
    read = await tx.run(
        [
            *attributing(request.session_run_id, now=call.now, memory_id=request.memory_id),
            *locking(request.memory_id),
            *reading((), now=call.now, closing=request.memory_id),
        ]
    )
    _, found, *facts = attributed(request.session_run_id, read)
    memory = _movable(standing(request.memory_id, found))
    if memory.status is ARCHIVED:
        return ArchiveOutput(memory_id=memory.memory_id, status=ARCHIVED)
    plan = planned(facts, memory.memory_id, (), status=ARCHIVED)
    moved = event(
        memory.memory_id,
        EventKind.ARCHIVE,
        call.principal.actor,
        at=plan.at,
        details={"from": ACTIVE, "to": ARCHIVED},
    )
    await tx.run([versioning(memory, status=ARCHIVED, valid_to=None, at=plan.at), moved, *plan.steps], commit=True)
    return ArchiveOutput(memory_id=memory.memory_id, status=ARCHIVED)


async def unarchive(call: Call, request: ArchiveInput) -> ArchiveOutput:
    """Active, now or before. Raises `Conflict` when the same content was stored live meanwhile, else as `archive`."""
    _, tx = await call.admitted()
    read = await tx.run(
        [
            *attributing(request.session_run_id, now=call.now, memory_id=request.memory_id),
            Step(FILING),
            *locking(request.memory_id),
            *reopening.reading(request.memory_id, now=call.now),
        ]
    )
    _, _, found, *facts = attributed(request.session_run_id, read)
    memory = _movable(standing(request.memory_id, found))
    if memory.status is ACTIVE:
        return ArchiveOutput(memory_id=memory.memory_id, status=ACTIVE)
    at, steps = reopening.planned(facts)
    moved = event(
        memory.memory_id,
        EventKind.UNARCHIVE,
        call.principal.actor,
        at=at,
        details={"from": ARCHIVED, "to": ACTIVE},
    )
    await reopen(call, tx, memory, [moved, *steps], at=at)
    return ArchiveOutput(memory_id=memory.memory_id, status=ACTIVE)


def _movable(memory: Standing) -> Standing:
    if memory.memory_type is MemoryType.BLOCKER:
        raise Conflict("a blocker is put away by resolving it", subject_id=str(memory.memory_id))
    if memory.valid_to is not None:
        raise Conflict("this memory is superseded; it stays as it is", subject_id=str(memory.memory_id))
    return memory
