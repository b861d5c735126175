"""`delete_account`: an erasure that is asked for with a credential of the account itself."""

from threengram.core.call import Call
from threengram.core.erasure.request import erasing
from threengram.schema.account import DeleteAccountInput, DeleteAccountOutput
from threengram.schema.enums import OAuthScope


async def delete_account(call: Call, _request: DeleteAccountInput) -> DeleteAccountOutput:
    """The account, shut in this unit of work. Raises `InsufficientScope`, and `Conflict` while it has other users."""
    call.require(OAuthScope.ACCOUNT)
    _, tx = await call.admitted(leaving=True)
    asked = await erasing(tx, call.principal, now=call.now)
    return DeleteAccountOutput(deleted=True, already_deleted=asked.was_requested, run_id=asked.run_id)
