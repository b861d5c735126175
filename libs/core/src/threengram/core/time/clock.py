"""Where instants come from: a process reads its clock once a call, and no rule asks it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Says what time it is, aware."""


def system_clock() -> datetime:
    """The clock of the host, in UTC."""
    return datetime.now(UTC)
