"""Children of a supervisor that was killed: they were told to end by the kernel, and may still be at it."""

import json
from pathlib import Path

import psutil

from threengram.cli.errors import CannotRun

PROGRAMS = ("threengram", "postgres", "valkey-server")
WAIT_S = 30.0


def await_end(run_file: Path) -> None:
    """Wait for the processes in a stale run file, bounded. The caller holds the lock, so nobody supervises them."""
    try:
        recorded = json.loads(run_file.read_bytes())["pids"]
    except (FileNotFoundError, ValueError, KeyError):
        return
    pids = [pid for entry in recorded.values() for pid in (entry if isinstance(entry, list) else [entry])]
    still = [process for pid in pids if (process := _ours(pid)) is not None]
    _, alive = psutil.wait_procs(still, timeout=WAIT_S)
    if alive:
        names = ", ".join(f"{process.pid} ({process.name()})" for process in alive)
        raise CannotRun(f"processes of an earlier run are still there: {names}; end them first")
    run_file.unlink(missing_ok=True)


def _ours(pid: int) -> psutil.Process | None:
    """The process if it looks like one of ours; its number may belong to another by now."""
    try:
        process = psutil.Process(pid)
        line = " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
    return process if any(name in line for name in PROGRAMS) else None
