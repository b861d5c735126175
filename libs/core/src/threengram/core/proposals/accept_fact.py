"""Accept a proposed fact: written like a fact of its memory, ending the generation before it."""

from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.errors import Conflict, InvalidRequest
from threengram.core.facts.write import PlannedFacts, planned, reading
from threengram.core.lifetimes.events import event
from threengram.core.lifetimes.queries import TOUCH
from threengram.core.lifetimes.standing import locking
from threengram.core.proposals import queries
from threengram.core.proposals.records import fact_proposal, reading_fact
from threengram.core.proposals.stale import check_fresh
from threengram.schema.enums import EventKind
from threengram.schema.memories import NewFact
from threengram.schema.proposals import FactApplied


async def accept_fact(call: Call, tx: TenantTransaction, proposal_id: UUID, proposal: Row) -> FactApplied:
    """The fact as written; the transaction holds the lock on `proposal`.

    Raises `Conflict` when another fact of the series begins at the very same instant, or when the proposal is stale.
    """
    memory_id = proposal["memory_id"]
    claim = NewFact(
        subject=proposal["subject"],
        predicate=proposal["predicate"],
        value=proposal["value"],
        confidence=proposal["confidence"],
        valid_from=proposal["valid_from"],
        valid_to=proposal["valid_to"],
    )
    _, _, retired, *series = await tx.run(
        [
            *locking(memory_id),
            Step(queries.RETIRE_FACTS, {"proposal_id": proposal_id, "now": call.now}),
            *reading([claim], now=call.now),
        ]
    )
    await check_fresh(tx, proposal_id, retired)
    plan = _planned(series, memory_id, claim, proposal_id)
    (fact,) = plan.facts
    noted = event(
        memory_id,
        EventKind.ADD_FACT,
        call.principal.actor,
        at=plan.at,
        details={"factId": fact.id, "proposalId": proposal_id},
    )
    *_, rows = await tx.run(
        [
            *plan.steps,
            Step(TOUCH, {"memory_id": memory_id, "at": plan.at}),
            noted,
            Step(queries.APPLY_FACT, {"proposal_id": proposal_id, "fact_id": fact.id, "at": plan.at}),
            reading_fact(proposal_id),
        ],
        commit=True,
    )
    call.core.database.observer.count("proposal", kind="fact", outcome="accepted")
    return FactApplied(action="applied_fact", proposal=fact_proposal(rows[0]), fact_id=fact.id)


def _planned(series: list[list[Row]], memory_id: UUID, claim: NewFact, proposal_id: UUID) -> PlannedFacts:
    try:
        return planned(series, memory_id, [claim])
    except InvalidRequest as error:
        raise Conflict(
            "another fact of this subject and predicate begins at the same instant; reject this one",
            subject_id=str(proposal_id),
        ) from error
