"""Pure: how long a run waits after an attempt that did not succeed."""

from datetime import timedelta

FIRST_BACKOFF_S = 10.0
MAX_BACKOFF_S = 3_600.0
OUTAGE_BACKOFF_S = 10.0
_MAX_DOUBLINGS = 16


def after_failure(attempts: int, jitter: float) -> timedelta:
    """The wait after that many attempts: twice as long each time, and between half and all of that by `jitter` (0–1).

    Without the jitter, runs that failed together would come back together.
    """
    full_s = min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2 ** min(attempts - 1, _MAX_DOUBLINGS))
    return timedelta(seconds=full_s * (0.5 + jitter / 2))


def after_outage(jitter: float) -> timedelta:
    """The wait when the attempt doesn't count, because something that the job needs is away."""
    return timedelta(seconds=OUTAGE_BACKOFF_S * (0.5 + jitter / 2))
