"""`memory_details`: what hangs on one memory, for whoever looks at it or is about to correct it."""

from threengram.core.browse import queries
from threengram.core.call import Call
from threengram.core.db.statement import Row, Step
from threengram.core.errors import NotFound
from threengram.schema.bounds import MAX_DETAILED_FACTS
from threengram.schema.browse import CommitmentDetails, MemoryDetailsInput, MemoryDetailsOutput
from threengram.schema.enums import CommitmentStatus
from threengram.schema.memories import Fact


async def memory_details(call: Call, request: MemoryDetailsInput) -> MemoryDetailsOutput:
    """Facts and commitment; raises `NotFound` for unknown and foreign ids alike.

    A commitment belongs to the latest version of its memory, and facts without any duration are left out.
    """
    _, tx = await call.admitted()
    parameters = {"memory_id": request.id, "max_facts": MAX_DETAILED_FACTS}
    wanted = (queries.IDENTITY, queries.STATED_FACTS, queries.COMMITMENT)
    found, facts, commitments = await tx.run([Step(statement, parameters) for statement in wanted], commit=True)
    if not found:
        raise NotFound("memory", str(request.id))
    return MemoryDetailsOutput(
        facts=[Fact(**row) for row in facts[:MAX_DETAILED_FACTS]],
        facts_truncated=len(facts) > MAX_DETAILED_FACTS,
        commitment=_commitment(commitments[0]) if commitments else None,
    )


def _commitment(row: Row) -> CommitmentDetails:
    return CommitmentDetails(**{**row, "status": CommitmentStatus(row["status"])})
