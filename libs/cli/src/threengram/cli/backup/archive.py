"""A backup directory: base backups by the second at which they were finished, the log archive, and the secrets."""

import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from threengram.cli.account import Account, first_unreachable, own
from threengram.cli.errors import CannotRun

ARCHIVE_TIMEOUT_S = 60
"""How much of the latest writes a lost disk can cost: a segment is archived at the latest after this."""

_LABEL = "%Y%m%dT%H%M%SZ"
_SEGMENT_NAME_CHARS = 24
_TIMELINE_CHARS = 8


@dataclass(frozen=True)
class BaseBackup:
    """One copy of the cluster. Restoring to an instant needs a base that was finished before it."""

    directory: Path
    finished_at: datetime

    @property
    def first_segment(self) -> str:
        """The oldest segment of the log that this base needs."""
        label = (self.directory / "backup_label").read_text()
        return label.split("(file ", 1)[1].split(")", 1)[0]


@dataclass(frozen=True)
class Archive:
    """The paths and the servers' settings of one backup directory."""

    root: Path

    @property
    def bases(self) -> Path:
        """Base backups, each a data directory."""
        return self.root / "base"

    @property
    def log(self) -> Path:
        """Segments of the write-ahead log."""
        return self.root / "wal"

    @property
    def secrets(self) -> Path:
        """Passwords and keys of the data directory: without them nobody can open what is restored."""
        return self.root / "secrets"

    @property
    def metrics(self) -> Path:
        """The newest backup's time, for the textfile collector of Prometheus' node exporter."""
        return self.root / "threengram_backup.prom"

    def create(self, account: Account | None) -> None:
        """Make the directories; the server writes to those of bases and log itself."""
        for directory, owner in (
            (self.root, account),
            (self.bases, account),
            (self.log, account),
            (self.secrets, None),
        ):
            if not directory.exists():
                directory.mkdir(parents=True)
                directory.chmod(0o700)
                own(directory, owner)
        blocked_at = first_unreachable([self.log], account)
        if blocked_at is not None and account is not None:
            raise CannotRun(f"the account {account.name} can't pass {blocked_at}; give another --backup-dir")

    def list(self) -> list[BaseBackup]:
        """Finished base backups, oldest first."""
        found = [path for path in self.bases.glob("*Z") if path.is_dir()]
        return [BaseBackup(path, datetime.strptime(path.name, _LABEL).replace(tzinfo=UTC)) for path in sorted(found)]

    def place_of(self, finished_at: datetime) -> Path:
        """Where a base belongs."""
        return self.bases / finished_at.strftime(_LABEL)

    def settings(self) -> dict[str, str]:
        """What makes a server archive its log here. A segment that is there already is never overwritten."""
        place = f"{_quoted(self.log)}/%f"
        part = f"{_quoted(self.log)}/.%f.part"
        copied = f"test ! -e {place} && cp %p {part} && sync {part} && mv {part} {place}"
        return {
            "archive_mode": "on",
            "archive_command": f"cmp -s %p {place} || {{ {copied}; }}",
            "archive_timeout": f"{ARCHIVE_TIMEOUT_S}s",
        }

    def recovery_settings(self, target: datetime | None) -> dict[str, str]:
        """What makes a server replay the archive up to and including `target`, or to its end."""
        settings = {"restore_command": f"cp {_quoted(self.log)}/%f %p", "recovery_target_action": "promote"}
        if target is not None:
            settings["recovery_target_time"] = target.astimezone(UTC).isoformat()
        return settings

    def prune(self, base: BaseBackup) -> int:
        """Remove segments that are older than `base` needs; how many there were. Histories of timelines stay."""
        first = base.first_segment[_TIMELINE_CHARS:]
        old = [
            path
            for path in self.log.iterdir()
            if len(path.name) >= _SEGMENT_NAME_CHARS and path.name[_TIMELINE_CHARS:_SEGMENT_NAME_CHARS] < first
        ]
        for path in old:
            path.unlink()
        return len(old)


def _quoted(path: Path) -> str:
    """For the shell, and with the percent sign that PostgreSQL's commands would take for a placeholder doubled."""
    return shlex.quote(str(path).replace("%", "%%"))
