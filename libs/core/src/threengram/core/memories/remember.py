"""`remember`: append one memory with its facts, commitment, postings and vectors, all or nothing."""

from threengram.core.call import Call
from threengram.core.commitments import recurrence
from threengram.core.commitments.carry import opening
from threengram.core.db.database import UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.errors import InvalidRequest
from threengram.core.facts.write import PlannedFacts, planned, reading
from threengram.core.ids import new_id
from threengram.core.memories.append import (
    Draft,
    appending,
    count_written,
    duplicate_of,
    first_window,
    stored_already,
)
from threengram.core.scopes.queries import FILING
from threengram.core.scopes.resolution import filed_under
from threengram.core.sessions.attribution import attributed, attributing
from threengram.schema.enums import MemoryType
from threengram.schema.memories import RememberInput, RememberOutput


async def remember(call: Call, request: RememberInput) -> RememberOutput:
    """The memory as filed; its facts in the order given.

    Raises `DuplicateMemory` when the same content is live with this type, scope and project, `InvalidRequest` for a
    fact series given twice, a taken instant, an unknown session or a recurrence that is no supported RFC 5545 rule.
    """
    if request.recurrence is not None:
        recurrence.parsed(request.recurrence)
    vectors = await first_window(call, request.topic, request.content)
    admission, tx = await call.admitted()
    draft = Draft(
        memory_id=new_id(),
        memory_type=request.memory_type,
        topic=request.topic,
        content=request.content,
        scope=filed_under(admission, request.scope, request.project),
        project=request.project,
        tags=request.tags,
    )
    holding = [*attributing(request.session_run_id, now=call.now, project=request.project), Step(FILING)]
    plan = PlannedFacts(call.now, [], [])
    if request.facts:
        read = await tx.run([*holding, *reading(request.facts, now=call.now)])
        _, *facts = attributed(request.session_run_id, read)
        holding = []
        try:
            plan = planned(facts, draft.memory_id, request.facts)
        except InvalidRequest as error:
            # A call that is sent again meets its own facts before its own content.
            repeated = await stored_already(tx, draft)
            if repeated is None:
                raise
            raise repeated from error
    elif request.session_run_id is not None:
        attributed(request.session_run_id, await tx.run(holding))
        holding = []
    state, steps = appending(call, admission, draft, vectors, at=plan.at)
    commitment_id = new_id() if request.memory_type is MemoryType.COMMITMENT else None
    if commitment_id is not None:
        steps.append(opening(commitment_id, draft.memory_id, request, at=plan.at))
    try:
        written = await tx.run([*holding, *steps, *plan.steps], commit=True)
    except UniqueViolated as error:
        raise await duplicate_of(call, draft) from error
    count_written(call, "remember", draft.memory_type, state)
    return RememberOutput(
        memory=draft.echo(written[len(holding)]),
        embedded=state,
        commitment_id=commitment_id,
        fact_ids=[fact.id for fact in plan.facts] or None,
        facts=plan.facts or None,
    )
