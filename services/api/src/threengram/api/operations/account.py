"""The account as a whole: taken along, brought in, and taken away."""

from threengram.api.operations.operation import DownloadOperation, Operation, UploadOperation
from threengram.core.erasure.delete_account import delete_account
from threengram.schema.account import DeleteAccountInput, DeleteAccountOutput
from threengram.schema.enums import OAuthScope
from threengram.schema.export import ExportInput, ExportRecord
from threengram.schema.imports import ImportInput, ImportReport

EXPORT = DownloadOperation(
    name="export",
    method="GET",
    path="/export",
    title="Export the account",
    description=(
        "Everything that the account holds, of one snapshot, one JSON object a line. The last line counts all lines; a "
        "file without it was cut off. One at a time for each user. docs/reference/export.md describes the records."
    ),
    tag="account",
    scope=OAuthScope.ACCOUNT,
    input=ExportInput,
    output=ExportRecord,
    can_conflict=True,
)

IMPORT = UploadOperation(
    name="import_account",
    method="POST",
    path="/import",
    title="Import an export",
    description=(
        "Bring in the lines of an export, of this installation or another one. Nothing that is here is changed, and "
        "the same file a second time changes nothing. A line that can't be understood ends it with its number: what "
        "stands before it is in. docs/reference/export.md says what is brought in, and what is not."
    ),
    tag="account",
    scope=OAuthScope.ACCOUNT,
    input=ImportInput,
    line=ExportRecord,
    output=ImportReport,
    can_conflict=True,
)

DELETE_ACCOUNT = Operation(
    name="delete_account",
    method="DELETE",
    path="/account",
    title="Delete the account",
    description=(
        "For good: from the answer on nothing opens the account, this credential included, and a job overwrites every "
        "word in it. Refused while the account has other users."
    ),
    tag="account",
    scope=OAuthScope.ACCOUNT,
    input=DeleteAccountInput,
    output=DeleteAccountOutput,
    handler=delete_account,
    is_tool=False,
    can_conflict=True,
)
