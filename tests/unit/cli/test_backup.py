"""Which base backup serves an instant, and which segments of the log nobody needs any more."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from threengram.cli.backup.archive import Archive, BaseBackup
from threengram.cli.backup.restore import chosen
from threengram.cli.commands.backup import instant
from threengram.cli.errors import CannotRun

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def base_of(archive: Archive, finished_at: datetime, first_segment: str) -> BaseBackup:
    directory = archive.place_of(finished_at)
    directory.mkdir(parents=True)
    (directory / "backup_label").write_text(f"START WAL LOCATION: 0/2000028 (file {first_segment})\nLABEL: base\n")
    return BaseBackup(directory, finished_at)


def test_the_newest_base_that_was_finished_by_the_instant_is_taken(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    old, new = (base_of(archive, NOON + timedelta(hours=hours), "0" * 24) for hours in (0, 2))
    assert archive.list() == [old, new]
    assert chosen(archive.list(), NOON + timedelta(hours=1)) == old
    assert chosen(archive.list(), NOON + timedelta(hours=2)) == new
    assert chosen(archive.list(), None) == new
    with pytest.raises(CannotRun, match="the oldest base backup was finished at 2026-03-02T12:00:00"):
        chosen(archive.list(), NOON - timedelta(seconds=1))
    with pytest.raises(CannotRun, match="there is no base backup"):
        chosen([], None)


def test_segments_before_the_oldest_base_go_whatever_their_timeline_and_histories_stay(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    base = base_of(archive, NOON, "000000020000000000000005")
    archive.log.mkdir()
    kept = {"00000002.history", "000000010000000000000005", "000000020000000000000006"}
    gone = {"000000010000000000000004", "000000020000000000000004.00000028.backup"}
    for name in kept | gone:
        (archive.log / name).touch()
    assert archive.prune(base) == len(gone)
    assert {path.name for path in archive.log.iterdir()} == kept


def test_the_log_is_never_overwritten_and_paths_are_quoted_for_shell_and_server(tmp_path: Path) -> None:
    command = Archive(tmp_path / "a b%c").settings()["archive_command"]
    assert f"'{tmp_path}/a b%%c/wal'/%f" in command
    assert "test ! -e" in command


@pytest.mark.parametrize("text", ["yesterday", "2026-03-02T09:00:00", "2026-03-02"])
def test_a_time_without_an_offset_is_refused(text: str) -> None:
    with pytest.raises(CannotRun, match="with its offset"):
        instant(text)


def test_a_time_of_any_offset_is_brought_to_utc() -> None:
    assert instant("2026-03-02T10:00:00+01:00") == datetime(2026, 3, 2, 9, tzinfo=UTC)
