"""What an import is asked with, and what it says of every line."""

from typing import Final
from uuid import UUID

from pydantic import Field

from threengram.schema.base import Input, Output, present
from threengram.schema.reading import Vocabulary


class ImportInput(Input):
    """Arguments of `import_account`, beside the file."""

    dry_run: bool = Field(default=False, description="Say what would happen, and change nothing")


class ImportOutcome(Vocabulary):
    """What became of a record."""

    IMPORTED = "imported"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class SkipReason(Vocabulary):
    """Why a record was skipped. Whatever is here already stays as it is."""

    DUPLICATE = "duplicate"
    ID_TAKEN = "id_taken"
    CHANGED_HERE = "changed_here"
    REFERS_TO_MISSING = "refers_to_missing"
    DOES_NOT_FIT = "does_not_fit"
    OVERLAPS = "overlaps"
    NAME_TAKEN = "name_taken"
    LIMIT_REACHED = "limit_reached"


SKIP_MEANINGS: Final = {
    SkipReason.DUPLICATE: "The same is live here under another id, which `otherId` names",
    SkipReason.ID_TAKEN: "Its id belongs to something else here",
    SkipReason.CHANGED_HERE: "It is here, and has been changed here since",
    SkipReason.REFERS_TO_MISSING: "It refers to something that is not here, or that was skipped",
    SkipReason.DOES_NOT_FIT: (
        "It contradicts what it refers to: an end of a memory that is valid here, a second successor, a circle, "
        "an open fact of a memory that ended"
    ),
    SkipReason.OVERLAPS: "Another value holds a part of its time, in the fact that `otherId` names",
    SkipReason.NAME_TAKEN: "The name, alias, project or setting means something else here",
    SkipReason.LIMIT_REACHED: "The registry of scopes is full",
}
"""What each reason tells whoever meets it."""


class ImportCount(Output):
    """Records of one kind by what became of them."""

    record: str
    imported: int
    unchanged: int
    skipped: int


class SkippedRecord(Output):
    """A record that was skipped, by its line; `otherId` is what is in its way."""

    line: int
    record: str
    reason: SkipReason
    id: UUID | None = present()
    other_id: UUID | None = present()


class ImportReport(Output):
    """What became of every line. `isComplete` when the last one was there and had counted the others right.

    `counts` has an entry for each kind that came, `leftOut` the number of records of kinds that are not imported. Of
    what was skipped, `skips` holds the first 100.
    """

    dry_run: bool
    is_complete: bool
    lines: int
    counts: list[ImportCount]
    left_out: dict[str, int]
    skips: list[SkippedRecord]
