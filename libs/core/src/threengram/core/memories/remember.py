"""`remember`: append one memory with its facts, commitment, postings and vectors, all or nothing."""

from threengram.core.call import Call
from threengram.core.commitments import recurrence
from threengram.core.commitments.carry import opening
from threengram.core.db.database import UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.facts.write import PlannedFacts, planned, reading
from threengram.core.ids import new_id
from threengram.core.lifetimes.sessions import check_session
from threengram.core.memories.append import Draft, appending, duplicate_of, first_window
from threengram.core.scopes.queries import FILING
from threengram.core.scopes.resolution import filed_under
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
        session_run_id=request.session_run_id,
    )
    await check_session(tx, request.session_run_id)
    holding, plan = [Step(FILING)], PlannedFacts(call.now, [], [])
    if request.facts:
        _, *rows = await tx.run([*holding, *reading(request.facts, now=call.now)])
        holding, plan = [], planned(rows, draft.memory_id, request.facts)
    state, steps = appending(call, admission, draft, vectors, at=plan.at)
    commitment_id = new_id() if request.memory_type is MemoryType.COMMITMENT else None
    if commitment_id is not None:
        steps.append(opening(commitment_id, draft.memory_id, request, at=plan.at))
    try:
        written = await tx.run([*holding, *steps, *plan.steps], commit=True)
    except UniqueViolated as error:
        raise await duplicate_of(call, draft) from error
    return RememberOutput(
        memory=draft.echo(written[len(holding)]),
        embedded=state,
        commitment_id=commitment_id,
        fact_ids=[fact.id for fact in plan.facts] or None,
        facts=plan.facts or None,
    )
