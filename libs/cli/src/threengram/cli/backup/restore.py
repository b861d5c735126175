"""Back to a point in time: replay the archive onto a base backup beside the data directory, then change places."""

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import IO

import psycopg

from threengram.cli import secrets
from threengram.cli.account import Account, own
from threengram.cli.backup.archive import Archive, BaseBackup
from threengram.cli.binaries import postgres_installation
from threengram.cli.embedded_postgres import DATABASE, EmbeddedPostgres
from threengram.cli.errors import CannotRun
from threengram.cli.free_ports import free_port
from threengram.cli.layout import Layout

REPLAY_TIMEOUT_S = 6 * 3600
STOP_TIMEOUT_S = 300
POLL_S = 0.1


@dataclass(frozen=True)
class Restored:
    """What stands in the data directory now; `former` is where what stood there before was put."""

    base: BaseBackup
    last_commit: datetime | None
    memories: int
    former: Path | None


def restore(layout: Layout, archive: Archive, account: Account | None, *, target: datetime | None) -> Restored:
    """Replace cluster and secrets of a stopped data directory. Until the replay has succeeded nothing is touched.

    Raises `CannotRun` when no base was finished before `target`, or when the archive ends before it.
    """
    base = chosen(archive.list(), target)
    staging = layout.root / "restoring"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o711)
    own(staging, account)
    try:
        cluster = _copied(base, staging / "postgres", account)
        (staging / "secrets").mkdir(mode=0o700)
        for path in archive.secrets.iterdir():
            shutil.copy2(path, staging / "secrets" / path.name)
        (cluster / "recovery.signal").touch()
        server = _server(layout, archive, account, cluster, target)
        last_commit, memories = _replayed(server, target)
        former = _change_places(layout, staging)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Restored(base, last_commit, memories, former)


def chosen(bases: list[BaseBackup], target: datetime | None) -> BaseBackup:
    """The newest base that was finished by `target`."""
    fitting = [base for base in bases if target is None or base.finished_at <= target]
    if not bases:
        raise CannotRun("there is no base backup in the backup directory")
    if not fitting:
        raise CannotRun(f"--to: the oldest base backup was finished at {bases[0].finished_at.isoformat()}")
    return fitting[-1]


def _copied(base: BaseBackup, cluster: Path, account: Account | None) -> Path:
    shutil.copytree(base.directory, cluster, symlinks=True)
    cluster.chmod(0o700)
    for path in (cluster, *cluster.rglob("*")):
        own(path, account)
    return cluster


def _server(
    layout: Layout, archive: Archive, account: Account | None, cluster: Path, target: datetime | None
) -> EmbeddedPostgres:
    known = secrets.load(cluster.parent / "secrets")
    return EmbeddedPostgres(
        directory=cluster,
        installation=postgres_installation(layout.binaries, account),
        port=free_port(),
        superuser_password=known.postgres_password,
        owner_password=known.owner_password,
        account=account,
        # The end of the replay begins a timeline, whose history belongs into the archive.
        settings={**archive.settings(), **archive.recovery_settings(target)},
    )


def _replayed(server: EmbeddedPostgres, target: datetime | None) -> tuple[datetime | None, int]:
    command = server.command()
    with tempfile.TemporaryFile() as log:
        process = Popen(command.argv, stdin=DEVNULL, stdout=log, stderr=log, **command.popen_options())  # noqa: S603
        try:
            _await(lambda: _is_promoted(server), process, log, target)
            with psycopg.connect(server.superuser_url, dbname=DATABASE) as connection:
                row = connection.execute("SELECT pg_last_xact_replay_timestamp(), (SELECT count(*) FROM memories)")
                last_commit, memories = row.fetchone() or (None, 0)
                return last_commit, memories
        finally:
            process.send_signal(command.stop_signal)
            process.wait(STOP_TIMEOUT_S)


def _await(is_done: Callable[[], bool], process: Popen[bytes], log: IO[bytes], target: datetime | None) -> None:
    deadline = time.monotonic() + REPLAY_TIMEOUT_S
    while not is_done():
        if process.poll() is not None:
            log.seek(0)
            said = log.read().decode(errors="replace")
            if "before configured recovery target was reached" in said and target is not None:
                raise CannotRun(f"--to: the archive ends before {target.isoformat()}; without it all of it is replayed")
            raise CannotRun(f"the replay failed: {' '.join(said.strip().splitlines()[-1:])}", exit_code=1)
        if time.monotonic() > deadline:
            raise CannotRun("the replay takes too long", exit_code=1)
        time.sleep(POLL_S)


def _is_promoted(server: EmbeddedPostgres) -> bool:
    try:
        with psycopg.connect(server.superuser_url, connect_timeout=2) as connection:
            row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
    except psycopg.OperationalError:
        return False
    return row == (False,)


def _change_places(layout: Layout, staging: Path) -> Path | None:
    former = layout.root / time.strftime("before-restore-%Y%m%dT%H%M%SZ", time.gmtime())
    is_new = not layout.postgres.exists()
    if not is_new:
        former.mkdir(mode=0o700)
        layout.postgres.rename(former / "postgres")
        layout.secrets.rename(former / "secrets")
    elif layout.secrets.exists():
        shutil.rmtree(layout.secrets)
    (staging / "secrets").rename(layout.secrets)
    (staging / "postgres").rename(layout.postgres)
    return None if is_new else former
