"""`threengram backup`: for an installation on one host with the embedded PostgreSQL."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from threengram.cli import control, lock
from threengram.cli.account import service_account
from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.errors import CannotRun

CREATE_TIMEOUT_S = 6 * 3600.0

app = typer.Typer(help="Base backups, and restoring to a point in time.", no_args_is_help=True)
BackupDir = Annotated[
    Path, typer.Option(envvar="THREENGRAM_BACKUP_DIR", help="As given to `threengram up --backup-dir`.")
]


@app.command()
def create(
    keep: Annotated[int, typer.Option(min=1, help="Base backups to keep, this one included.")] = 7,
    data_dir: DataDir = None,
) -> None:
    """Copy and verify the database of the running `threengram up --backup-dir`, while it goes on serving."""
    request = {"command": "backup", "keep": keep}
    typer.echo(control.ask(layout_of(data_dir).control_socket, request, timeout_s=CREATE_TIMEOUT_S)["created"])


@app.command("list")
def list_backups(backup_dir: BackupDir) -> None:
    """One line a base backup, oldest first. Any instant after the first of them can be restored."""
    from threengram.cli.backup.archive import Archive

    for base in Archive(backup_dir.absolute()).list():
        size_bytes = sum(path.stat().st_size for path in base.directory.rglob("*") if path.is_file())
        typer.echo(f"{base.finished_at.isoformat()}  {size_bytes / 1e6:10.1f} MB  {base.directory}")


@app.command()
def restore(
    backup_dir: BackupDir,
    to: Annotated[
        str | None, typer.Option(metavar="TIME", help="RFC 3339 with an offset; the end of the archive if not given.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Put the data directory back to an instant, after `threengram stop`. What it held is kept beside it."""
    # Brings the database driver, which no other command should wait for.
    from threengram.cli.backup.archive import Archive
    from threengram.cli.backup.restore import restore as replay

    layout, account = layout_of(data_dir), service_account()
    target = None if to is None else instant(to)
    layout.create(account)
    with lock.exclusive(layout.lock):
        restored = replay(layout, Archive(backup_dir.absolute()), account, target=target)
    reached = "nothing" if restored.last_commit is None else f"commits until {restored.last_commit.isoformat()}"
    typer.echo(f"base of {restored.base.finished_at.isoformat()}, replayed {reached}: {restored.memories} memories")
    if restored.former is not None:
        typer.echo(f"the former data is in {restored.former}")


def instant(text: str) -> datetime:
    """The instant, in UTC. Raises `CannotRun` for one without an offset."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise CannotRun("--to: give a time with its offset, such as 2026-03-02T09:00:00Z")
    return parsed.astimezone(UTC)
