"""Take a base backup of a running cluster, check it, and forget what is older than asked for."""

import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from threengram.cli.account import own
from threengram.cli.backup.archive import Archive, BaseBackup
from threengram.cli.command import Command
from threengram.cli.embedded_postgres import SUPERUSER, EmbeddedPostgres
from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private

TIMEOUT_S = 6 * 3600
ARCHIVED_WITHIN_S = 60.0
POLL_S = 0.1


def create(server: EmbeddedPostgres, archive: Archive, secrets: Path, *, keep: int, now: Callable[[], datetime]) -> str:
    """One line about a new, verified base backup. Blocks for as long as copying takes; writers go on meanwhile."""
    staging = archive.bases / "in-progress"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    own(staging, server.account)
    _run(server, "pg_basebackup", f"--pgdata={staging}", "--checkpoint=fast", "--wal-method=stream", *_address(server))
    _run(server, "pg_verifybackup", "--no-parse-wal", "--quiet", str(staging))
    _await_archived(archive, BaseBackup(staging, now()))
    finished_at = now().astimezone(UTC).replace(microsecond=0)
    base = BaseBackup(staging.rename(archive.place_of(finished_at)), finished_at)
    for path in secrets.iterdir():
        write_private(archive.secrets / path.name, path.read_bytes())
    removed = _forget(archive, keep)
    _publish(archive, finished_at)
    return f"{base.directory} ({removed} older removed)"


def _forget(archive: Archive, keep: int) -> int:
    bases = archive.list()
    old = bases[:-keep]
    for base in old:
        shutil.rmtree(base.directory)
    archive.prune(bases[-keep:][0])
    return len(old)


def _await_archived(archive: Archive, base: BaseBackup) -> None:
    """Return once the server has archived its note about this backup, which proves that archiving works."""
    deadline = time.monotonic() + ARCHIVED_WITHIN_S
    while not any(archive.log.glob(f"{base.first_segment}.*.backup")):
        if time.monotonic() > deadline:
            raise CannotRun("the write-ahead log can't be archived; is the backup directory full?", exit_code=1)
        time.sleep(POLL_S)


def _address(server: EmbeddedPostgres) -> tuple[str, ...]:
    return ("--host=127.0.0.1", f"--port={server.port}", f"--username={SUPERUSER}", "--no-password")


def _run(server: EmbeddedPostgres, program: str, *arguments: str) -> None:
    command = Command(
        argv=(str(server.installation / "bin" / program), *arguments),
        # In the environment, which only its own account can read, and not on the command line.
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGPASSWORD": server.superuser_password},
        directory=Path("/"),
        account=server.account,
    )
    finished = subprocess.run(  # noqa: S603 (our own program and options)
        command.argv,
        **command.popen_options(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if finished.returncode != 0:
        raise CannotRun(f"{program} failed: {' '.join(finished.stderr.strip().splitlines()[-1:])}", exit_code=1)


def _publish(archive: Archive, finished_at: datetime) -> None:
    archive.metrics.write_text(
        "# HELP threengram_backup_last_success_timestamp_seconds When the newest base backup was finished.\n"
        "# TYPE threengram_backup_last_success_timestamp_seconds gauge\n"
        f"threengram_backup_last_success_timestamp_seconds {finished_at.timestamp():.0f}\n"
    )
    archive.metrics.chmod(0o644)
