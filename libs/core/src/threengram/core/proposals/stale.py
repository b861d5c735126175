"""What is left of a proposal that has become pointless: a rejection on record, and an error for who accepts it."""

from uuid import UUID

from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row
from threengram.core.errors import Conflict
from threengram.schema.enums import RejectionReason

_SAID = {
    RejectionReason.SUPERSEDED: "a memory of this proposal has been superseded; the proposal is withdrawn",
    RejectionReason.NOT_LIVE: "a memory of this proposal is no longer in use; the proposal is withdrawn",
    RejectionReason.ALREADY_RECORDED: "this is on record already; the proposal is withdrawn",
}


async def check_fresh(tx: TenantTransaction, proposal_id: UUID, retired: list[Row]) -> None:
    """Raises `Conflict` when the step that retires has retired it, and commits that."""
    if retired:
        await tx.commit()
        raise Conflict(_SAID[RejectionReason(retired[0]["reason"])], subject_id=str(proposal_id))
