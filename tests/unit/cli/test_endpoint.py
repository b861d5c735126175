"""Which memory a command uses; and that a key goes nowhere but to the address that it was written down with."""

from pathlib import Path

import pytest

from threengram.cli.errors import CannotRun
from threengram.cli.memory.endpoint import find
from threengram.cli.run_file import RunRecord

KEY, OTHER = "3ng_mine", "3ng_another"
HERE, THERE = "http://127.0.0.1:8301", "https://memory.example.org"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("THREENGRAM_API_KEY", raising=False)
    return tmp_path


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """Of a stack that runs."""
    directory = tmp_path / "data"
    directory.mkdir()
    record = RunRecord(
        HERE, "http://127.0.0.1:8300/mcp", "me@localhost", None, "a token", OTHER, {}, {}, str(directory)
    )
    record.write(directory / "run.json")
    return directory


def configure(home: Path, content: str, mode: int = 0o600) -> Path:
    file = home / ".config" / "threengram" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    file.chmod(mode)
    return file


def test_the_running_stack_is_found_without_configuration(data_dir: Path) -> None:
    assert find(None, None, data_dir) == (HERE, OTHER)
    assert find(f"{HERE}/", None, data_dir) == (f"{HERE}/", OTHER)


def test_what_is_configured_comes_before_what_runs(home: Path, data_dir: Path) -> None:
    configure(home, f'base_url = "{THERE}"\napi_key = "{KEY}"\n')
    assert find(None, None, data_dir) == (THERE, KEY)
    assert find(HERE, None, data_dir) == (HERE, OTHER)


def test_a_key_that_is_given_comes_before_one_that_is_written_down(
    home: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "key"
    file.write_text(f"{KEY}\n")
    file.chmod(0o600)
    monkeypatch.setenv("THREENGRAM_API_KEY", "3ng_of_the_environment")
    assert find(THERE, None, data_dir) == (THERE, "3ng_of_the_environment")
    assert find(THERE, file, data_dir) == (THERE, KEY)
    assert find(None, file, data_dir) == (HERE, KEY)


def test_a_key_is_never_sent_to_another_address(home: Path, data_dir: Path) -> None:
    configure(home, f'base_url = "{THERE}"\napi_key = "{KEY}"\n')
    for address in ("https://elsewhere.example.org", "http://memory.example.org", "http://127.0.0.1:8302"):
        with pytest.raises(CannotRun, match="no key for") as raised:
            find(address, None, data_dir)
        assert raised.value.exit_code == 2


def test_nothing_to_go_by_is_said_with_what_would_be(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="--base-url") as raised:
        find(None, None, tmp_path)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_can_read_is_not_used(home: Path, tmp_path: Path, mode: int) -> None:
    file = configure(home, f'base_url = "{THERE}"\napi_key = "{KEY}"\n', mode)
    with pytest.raises(CannotRun, match="chmod 600") as raised:
        find(None, None, tmp_path)
    assert KEY not in str(raised.value)
    with pytest.raises(CannotRun, match="chmod 600"):
        find(THERE, file, tmp_path)


@pytest.mark.parametrize(
    "content", ["base_url", 'api_key = "x"', "base_url = 1", 'base_url = "x"\napi_key = 2', 'base_url = "x"\nkey = "y"']
)
def test_a_configuration_that_says_something_else_is_refused(home: Path, tmp_path: Path, content: str) -> None:
    configure(home, content)
    with pytest.raises(CannotRun, match=r"config\.toml"):
        find(None, None, tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="can't read"):
        find(THERE, tmp_path / "missing", tmp_path)
