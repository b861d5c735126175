"""The unprivileged account that servers run under when the command was started as root."""

import os
import pwd
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from threengram.cli.errors import CannotRun

PREFERRED_ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """A user and its primary group, by number."""

    name: str
    uid: int
    gid: int


def service_account() -> Account | None:
    """The account to drop to, or None when the process is not root and runs everything as itself.

    PostgreSQL refuses to run as root. Accounts are only looked up, never created.
    """
    if os.geteuid() != 0:
        return None
    for name in PREFERRED_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise CannotRun(f"started as root, and none of the accounts {', '.join(PREFERRED_ACCOUNTS)} exists to drop to")


def own(path: Path, account: Account | None) -> None:
    """Give `path` to `account`; without one it stays the caller's."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def first_unreachable(paths: Iterable[Path], account: Account | None) -> Path | None:
    """The first of `paths`, or of the directories above them, that `account` may not pass or read."""
    if account is None:
        return None
    for path in paths:
        resolved = path.resolve()
        for ancestor in reversed(resolved.parents):
            if not _permits(ancestor, account, execute=True):
                return ancestor
        if resolved.exists() and not _permits(resolved, account, execute=resolved.is_dir()):
            return resolved
    return None


def _permits(path: Path, account: Account, *, execute: bool) -> bool:
    """Whether the mode bits of `path` let `account` read it, or pass it when `execute` is asked for."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return True
    if status.st_uid == account.uid:
        shift = 6
    elif status.st_gid == account.gid:
        shift = 3
    else:
        shift = 0
    wanted = stat.S_IXOTH if execute else stat.S_IROTH
    return bool((status.st_mode >> shift) & wanted)
