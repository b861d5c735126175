"""`revise`: append a successor and close its predecessor, in one unit. Nothing is ever edited in place."""

from threengram.core.call import Call
from threengram.core.commitments import queries as commitment_queries
from threengram.core.commitments import recurrence
from threengram.core.commitments.carry import carried
from threengram.core.commitments.obligations import obligation
from threengram.core.db.database import UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.errors import Conflict
from threengram.core.facts.write import planned, reading
from threengram.core.identity.admission import Admission
from threengram.core.ids import new_id
from threengram.core.lifetimes.edges import Edge, drawing
from threengram.core.lifetimes.standing import Standing, locking, standing, versioning
from threengram.core.memories.append import Draft, appending, count_written, duplicate_of, first_window
from threengram.core.scopes.queries import FILING
from threengram.core.scopes.resolution import canonical
from threengram.core.sessions.attribution import attributed, attributing
from threengram.schema.enums import EdgeType
from threengram.schema.revisions import ReviseInput, ReviseOutput


async def revise(call: Call, request: ReviseInput) -> ReviseOutput:
    """The successor. An archived predecessor is allowed; its successor is active.

    Raises `NotFound` for an unknown or foreign predecessor, `Conflict` when it is superseded or resolved already,
    `DuplicateMemory` when another live memory says the same, `InvalidRequest` as `remember` does. The predecessor's own
    content may be asserted again.
    """
    if request.recurrence is not None:
        recurrence.parsed(request.recurrence)
    vectors = await first_window(call, request.topic, request.content)
    admission, tx = await call.admitted()
    read = await tx.run(
        [
            *attributing(
                request.session_run_id, now=call.now, project=request.project, memory_id=request.predecessor_id
            ),
            Step(FILING),
            *locking(request.predecessor_id),
            Step(commitment_queries.OBLIGATIONS, {"memory_ids": [request.predecessor_id]}),
            *reading(request.facts, now=call.now, closing=request.predecessor_id),
        ]
    )
    _, _, found, commitments, *facts = attributed(request.session_run_id, read)
    predecessor = _open(standing(request.predecessor_id, found))
    draft = _successor(admission, request, predecessor)
    plan = planned(facts, draft.memory_id, request.facts)
    former = obligation(commitments[0]) if commitments else None
    edge = Edge(new_id(), draft.memory_id, predecessor.memory_id, EdgeType(request.edge_intent))
    drawn = drawing(edge, call.principal.actor, at=plan.at)
    carry = carried(former, request, draft.memory_id, call.principal.actor, at=plan.at)
    state, appended = appending(call, admission, draft, vectors, at=plan.at)
    steps = [
        versioning(predecessor, status=predecessor.status, valid_to=plan.at, at=plan.at),
        *appended,
        *drawn,
        *carry.steps,
        *plan.steps,
    ]
    try:
        _, filed, *_ = await tx.run(steps, commit=True)
    except UniqueViolated as error:
        raise await duplicate_of(call, draft) from error
    count_written(call, "revise", draft.memory_type, state)
    return ReviseOutput(
        memory=draft.echo(filed),
        embedded=state,
        predecessor_id=predecessor.memory_id,
        edge_type=edge.edge_type,
        commitment_id=carry.commitment_id,
        fact_ids=[fact.id for fact in plan.facts] or None,
        facts=plan.facts or None,
    )


def _open(predecessor: Standing) -> Standing:
    if predecessor.successor_id is not None:
        raise Conflict(
            f"this memory is superseded already by {predecessor.successor_id}; revise that one",
            subject_id=str(predecessor.memory_id),
        )
    if predecessor.valid_to is not None:
        raise Conflict(
            "this memory is resolved and no longer valid; open it again first", subject_id=str(predecessor.memory_id)
        )
    return predecessor


def _successor(admission: Admission, request: ReviseInput, predecessor: Standing) -> Draft:
    return Draft(
        memory_id=new_id(),
        memory_type=request.memory_type,
        topic=request.topic,
        content=request.content,
        scope=predecessor.scope if request.scope is None else canonical(admission, request.scope),
        project=predecessor.project if request.project is None else request.project,
        tags=predecessor.tags if request.tags is None else request.tags,
    )
