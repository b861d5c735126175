"""When a write goes on record.

Nominally at the instant of its call. But clocks of several processes differ, and two calls may read the same instant:
a write that builds on rows recorded later than its own clock says goes on record a microsecond after the latest of
them. The instant is decided under the locks and is one for the whole transaction, so that at every point of the record
either all of a change is known or none of it.
"""

from datetime import datetime, timedelta

TICK = timedelta(microseconds=1)


def recorded_after(now: datetime, *earlier: datetime | None) -> datetime:
    """`now`, or just after the latest of what the write builds on."""
    return max(now, *(instant + TICK for instant in earlier if instant is not None), now)
