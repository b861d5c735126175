"""`delete_account`: the end of an account, asked for by its owner."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from threengram.schema.base import Input, Output


class DeleteAccountInput(Input):
    """Said on purpose, or not at all."""

    confirm: Literal[True] = Field(description="true: the account and everything in it, for good")


class DeleteAccountOutput(Output):
    """From now on nothing opens the account. `runId` is the job that overwrites every word in it."""

    deleted: Literal[True]
    already_deleted: bool = Field(description="somebody had asked before")
    run_id: UUID
