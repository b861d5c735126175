"""A server process before it runs: what is executed, as whom, with which environment."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threengram.cli.account import Account

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Command:
    """One program with its own environment only; nothing of the caller's environment is inherited."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    listen_fds: tuple[int, ...] = ()
    stdin: bytes = field(default=b"", repr=False)

    def popen_options(self) -> dict[str, Any]:
        """Keyword arguments for `subprocess.Popen` and `asyncio.create_subprocess_exec`."""
        options: dict[str, Any] = {
            "env": dict(self.environment),
            "cwd": self.directory,
            "pass_fds": self.listen_fds,
            # Ctrl-C in a terminal reaches a whole process group: children get one of their own, so that it is the
            # supervisor that stops them, in order.
            "start_new_session": True,
            "preexec_fn": die_with_parent(self.stop_signal),
        }
        if self.account is not None:
            options |= {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}
        return options


def die_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    """What the child calls before `exec` so that the kernel stops it when its parent is killed (prctl(2), Linux).

    Runs after the change of user, which would clear the setting. The kernel watches the thread that started the
    child, so children are started from the main thread. Elsewhere than on Linux there is no such call.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, int(stop_signal))
        if os.getppid() != parent:  # the parent died between fork and prctl
            os._exit(1)

    return arrange
