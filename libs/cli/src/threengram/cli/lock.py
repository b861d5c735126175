"""One `threengram up` per data directory."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from threengram.cli.errors import CannotRun


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file; the kernel lets go of it however the process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode() or "unknown"
            raise CannotRun(
                f"pid {holder} already runs on {path.parent}; "
                f"stop it with `threengram stop --data-dir {path.parent}`, or give another --data-dir"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def holder(path: Path) -> int | None:
    """The process that holds the lock, or None if nobody does."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return int(os.read(descriptor, 32) or b"0")
    finally:
        os.close(descriptor)
    return None
