"""`remember`: append one memory with its facts, commitment, postings and vectors, all or nothing."""

from threengram.core.call import Call
from threengram.core.commitments import recurrence
from threengram.core.commitments.carry import opening
from threengram.core.db.database import TenantTransaction, UniqueViolated
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
    plan, first_steps = await _planned(call, tx, request, draft)
    state, steps = appending(call, admission, draft, vectors, at=plan.at)
    commitment_id = new_id() if request.memory_type is MemoryType.COMMITMENT else None
    if commitment_id is not None:
        steps.append(opening(commitment_id, draft.memory_id, request, at=plan.at))
    try:
        written = await tx.run([*first_steps, *steps, *plan.steps], commit=True)
    except UniqueViolated as error:
        raise await duplicate_of(call, draft) from error
    count_written(call, "remember", draft.memory_type, state)
    return RememberOutput(
        memory=draft.echo(written[len(first_steps)]),
        embedded=state,
        commitment_id=commitment_id,
        fact_ids=[fact.id for fact in plan.facts] or None,
        facts=plan.facts or None,
    )


async def _planned(
    call: Call, tx: TenantTransaction, request: RememberInput, draft: Draft
) -> tuple[PlannedFacts, list[Step]]:
    """The facts to write, and the first steps of the transaction where they can travel with the write.

    A call that brings facts or names a session has to read what it stands on first.
    """
    first = [*attributing(request.session_run_id, now=call.now, project=request.project), Step(FILING)]
    no_facts = PlannedFacts(call.now, [], [])
    if not request.facts:
        if request.session_run_id is None:
            return no_facts, first
        attributed(request.session_run_id, await tx.run(first))
        return no_facts, []
    read = await tx.run([*first, *reading(request.facts, now=call.now)])
    _, *facts = attributed(request.session_run_id, read)
    try:
        return planned(facts, draft.memory_id, request.facts), []
    except InvalidRequest as error:
        # A call that is sent again meets its own facts before its own content.
        repeated = await stored_already(tx, draft)
        if repeated is None:
            raise
        raise repeated from error
