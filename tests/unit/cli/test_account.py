import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from threengram.cli.account import Account, first_unreachable

STRANGER = Account("stranger", uid=54_321, gid=54_321)


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that every user can reach; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


def test_a_path_that_others_may_pass_and_read_is_reachable(open_directory: Path) -> None:
    program = open_directory / "program"
    program.write_text("")
    program.chmod(0o644)
    assert first_unreachable([program], STRANGER) is None


def test_the_directory_that_blocks_the_way_is_named(open_directory: Path) -> None:
    closed = open_directory / "closed"
    closed.mkdir()
    closed.chmod(0o700)
    assert first_unreachable([closed / "inner" / "program"], STRANGER) == closed


def test_a_file_that_others_may_not_read_is_named(open_directory: Path) -> None:
    secret = open_directory / "secret"
    secret.write_text("")
    secret.chmod(0o600)
    assert first_unreachable([open_directory, secret], STRANGER) == secret


def test_the_bits_of_owner_and_group_count_for_them(open_directory: Path) -> None:
    closed = open_directory / "closed"
    closed.mkdir()
    closed.chmod(0o750)
    status = closed.stat()
    assert first_unreachable([closed], Account("owner", status.st_uid, 54_321)) is None
    assert first_unreachable([closed], Account("member", 54_321, status.st_gid)) is None
    assert first_unreachable([closed], STRANGER) == closed


def test_without_an_account_everything_is_the_callers_own(tmp_path: Path) -> None:
    assert first_unreachable([tmp_path / "missing"], None) is None
