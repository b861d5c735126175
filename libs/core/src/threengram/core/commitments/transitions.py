"""Pure: which way a commitment may go, and which occurrence of a recurring one a call means."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.commitments.recurrence import Recurrence
from threengram.core.errors import InvalidRequest, InvalidTransition
from threengram.schema.enums import CommitmentStatus, EventKind

OPEN, WAITING = CommitmentStatus.OPEN, CommitmentStatus.WAITING
RESOLVED, EXPIRED = CommitmentStatus.RESOLVED, CommitmentStatus.EXPIRED

ALLOWED = {
    OPEN: frozenset({WAITING, RESOLVED, EXPIRED}),
    WAITING: frozenset({OPEN, RESOLVED, EXPIRED}),
    RESOLVED: frozenset({OPEN}),
    EXPIRED: frozenset({OPEN}),
}
UNSETTLED = frozenset({OPEN, WAITING})
EVENTS = {
    OPEN: EventKind.UNRESOLVE,
    WAITING: EventKind.REVISE,
    RESOLVED: EventKind.RESOLVE,
    EXPIRED: EventKind.EXPIRE,
}


@dataclass(frozen=True, slots=True)
class Occurrence:
    """The occurrence behind the present one: how it ended, when, and which due instant came after it."""

    number: int
    due_at: datetime
    status: CommitmentStatus
    next_due_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Obligation:
    """A commitment as stored; `last` is the latest occurrence behind it, if it recurs and one is."""

    commitment_id: UUID
    memory_id: UUID
    status: CommitmentStatus
    due_at: datetime | None
    recurrence: Recurrence | None
    recurs_from: datetime | None
    next_surfacing_at: datetime | None
    updated_at: datetime
    last: Occurrence | None

    @property
    def has_just_moved_on(self) -> bool:
        """Whether the present occurrence is the one that followed `last`, and nothing has happened to it yet."""
        return self.last is not None and self.last.next_due_at == self.due_at and self.status is OPEN

    def repeats(self, now: datetime) -> bool:
        """Whether a call at `now` that names no occurrence still means the one before.

        That is so for half of the time between the end of the last occurrence and the next due instant: a repeated
        call must not settle what has not come yet.
        """
        if self.last is None or self.due_at is None or not self.has_just_moved_on or self.last.status is not RESOLVED:
            return False
        start = max(self.last.due_at, self.last.recorded_at)
        return now < start + (self.due_at - start) / 2


@dataclass(frozen=True, slots=True)
class Stay:
    """Nothing to write."""


@dataclass(frozen=True, slots=True)
class Change:
    """The commitment takes another status."""

    status: CommitmentStatus


@dataclass(frozen=True, slots=True)
class Advance:
    """The present occurrence ends as `status` and the next one opens."""

    status: CommitmentStatus
    due_at: datetime


@dataclass(frozen=True, slots=True)
class GoBack:
    """The last occurrence is the present one again."""

    to: Occurrence


Move = Stay | Change | Advance | GoBack


def decide(obligation: Obligation, wanted: CommitmentStatus, *, due_at: datetime | None, now: datetime) -> Move:
    """What a call for `wanted` changes; `due_at` names the occurrence when the caller does.

    Raises `InvalidTransition` for a way that is closed, `InvalidRequest` for an occurrence that is neither the present
    one nor the one before.
    """
    if _means_the_last(obligation, wanted, due_at, now):
        assert obligation.last is not None
        return _reconsider(obligation.last, wanted, can_go_back=obligation.has_just_moved_on)
    check(obligation.status, wanted)
    if wanted is obligation.status:
        return Stay()
    if wanted is RESOLVED and obligation.status in UNSETTLED:
        following = next_due(obligation, now)
        if following is not None:
            return Advance(RESOLVED, following)
    return Change(wanted)


def check(current: CommitmentStatus, wanted: CommitmentStatus) -> None:
    """Raises `InvalidTransition` unless the status may change so, or stays as it is."""
    if wanted is not current and wanted not in ALLOWED[current]:
        raise InvalidTransition(current, wanted)


def next_due(obligation: Obligation, now: datetime) -> datetime | None:
    """The due instant after both the present one and `now`; None when nothing follows."""
    if obligation.recurrence is None or obligation.due_at is None:
        return None
    start = obligation.recurs_from or obligation.due_at
    return obligation.recurrence.first_after(start, max(obligation.due_at, now))


def _means_the_last(obligation: Obligation, wanted: CommitmentStatus, due_at: datetime | None, now: datetime) -> bool:
    if due_at is None:
        return wanted in {OPEN, RESOLVED} and obligation.repeats(now)
    if due_at == obligation.due_at:
        return False
    if obligation.last is not None and due_at == obligation.last.due_at:
        return True
    raise InvalidRequest("neither the present occurrence nor the one before it is due then", field="dueAt")


def _reconsider(last: Occurrence, wanted: CommitmentStatus, *, can_go_back: bool) -> Move:
    check(last.status, wanted)
    if wanted is last.status:
        return Stay()
    if not can_go_back:
        raise InvalidTransition(last.status, wanted)
    return GoBack(last)
