"""Pure: where a new fact stands among the generations of its subject and predicate.

Generations never overlap. A newer `valid_from` ends the one before it at that instant; an older one is inserted already
ended, at the start of the next. A claim that replaces another one of the memory under revision may begin at the very
instant at which the replaced one began: that one is then left without any duration, though still on record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Generation:
    """A stored fact's interval `[valid_from, valid_to)`; `is_replaceable` when its memory is being revised."""

    fact_id: UUID
    value: str
    valid_from: datetime
    valid_to: datetime | None
    is_replaceable: bool = False

    @property
    def has_duration(self) -> bool:
        """Whether it is valid at any instant at all."""
        return self.valid_to is None or self.valid_to > self.valid_from


@dataclass(frozen=True, slots=True)
class Placement:
    """The interval of the new fact, and the earlier generation that has to end at its start, if any."""

    valid_from: datetime
    valid_to: datetime | None
    ends: UUID | None


def place(
    generations: Sequence[Generation], *, value: str, valid_from: datetime, valid_to: datetime | None, field: str
) -> Placement:
    """The placement of a fact among `generations` (any order; its neighbours are enough).

    Raises `InvalidRequest` when a generation with a duration starts at the very same instant and is not to be
    replaced: two values cannot both begin then, and which of them was meant cannot be guessed.
    """
    standing = [item for item in generations if item.has_duration]
    for item in standing:
        if item.valid_from == valid_from and not item.is_replaceable:
            raise InvalidRequest(_same_instant(is_same_value=item.value == value), field=field)
    before = max((item for item in standing if item.valid_from <= valid_from), key=_start, default=None)
    after = min((item for item in standing if item.valid_from > valid_from), key=_start, default=None)
    if after is not None and (valid_to is None or valid_to > after.valid_from):
        valid_to = after.valid_from
    has_to_end = before is not None and (before.valid_to is None or before.valid_to > valid_from)
    return Placement(valid_from, valid_to, before.fact_id if before is not None and has_to_end else None)


def closed_at(generation: Generation, at: datetime) -> datetime | None:
    """The end of a generation that stops being valid at `at`: never before its start, never later than it was."""
    end = max(generation.valid_from, at)
    return end if generation.valid_to is None else min(end, generation.valid_to)


def _start(generation: Generation) -> datetime:
    return generation.valid_from


def _same_instant(*, is_same_value: bool) -> str:
    if is_same_value:
        return "this value is already recorded for this subject, predicate and validFrom"
    return (
        "another value starts at the same validFrom for this subject and predicate;"
        " put what differs into the subject or the predicate"
    )
