import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from threengram.cli import run_file, summary
from threengram.cli.errors import CannotRun
from threengram.cli.run_file import RunRecord

RECORD = RunRecord(
    api_url="http://127.0.0.1:8301",
    mcp_url="http://127.0.0.1:8300/mcp",
    email="me@localhost",
    password_file=None,
    token="a.b.c" * 100,
    api_key="3ng_key",
    admin_urls={"gateway": ["http://127.0.0.1:8320", "http://127.0.0.1:8330"], "api": "http://127.0.0.1:8321"},
    pids={"supervisor": 1, "gateway": [2, 3], "api": 4},
    data_dir="/data",
)


def test_the_file_says_what_runs_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    RECORD.write(path)
    assert json.loads(path.read_text()) == {
        "apiUrl": "http://127.0.0.1:8301",
        "mcpUrl": "http://127.0.0.1:8300/mcp",
        "email": "me@localhost",
        "passwordFile": None,
        "token": "a.b.c" * 100,
        "apiKey": "3ng_key",
        "adminUrls": {"gateway": ["http://127.0.0.1:8320", "http://127.0.0.1:8330"], "api": "http://127.0.0.1:8321"},
        "pids": {"supervisor": 1, "gateway": [2, 3], "api": 4},
        "dataDir": "/data",
    }
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["ready.json"]
    assert run_file.read(path) == RECORD


def test_reading_where_nothing_runs_points_to_up(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="start it with `threengram up`, or say by --data-dir where it runs"):
        run_file.read(tmp_path / "run.json")


def test_the_configuration_can_be_copied_from_a_narrow_terminal() -> None:
    text = io.StringIO()
    summary.show(Console(file=text, width=60), RECORD, seconds=3.21)
    shown = text.getvalue()
    assert "threengram is ready after 3.2 s" in shown
    by_browser, by_token = re.findall(r"^\{.*?^\}", shown, flags=re.MULTILINE | re.DOTALL)
    server: dict[str, object] = {"type": "http", "url": "http://127.0.0.1:8300/mcp"}
    assert json.loads(by_browser) == {"mcpServers": {"threengram": server}}
    server["headers"] = {"Authorization": "Bearer " + "a.b.c" * 100}
    assert json.loads(by_token) == {"mcpServers": {"threengram": server}}


def test_the_password_is_shown_to_a_person_and_its_file_to_a_log(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("pass-word\n")
    record = replace(RECORD, password_file=str(file))
    shown = {}
    for is_terminal in (True, False):
        text = io.StringIO()
        summary.show(Console(file=text, width=200, force_terminal=is_terminal), record, seconds=3)
        shown[is_terminal] = text.getvalue()
    assert "pass-word" in shown[True]
    assert "pass-word" not in shown[False]
    assert str(file) in shown[False]


def test_the_box_names_a_data_directory_that_commands_have_to_be_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(data_dir: Path) -> str:
        text = io.StringIO()
        summary.show(Console(file=text, width=200), replace(RECORD, data_dir=str(data_dir)), seconds=3)
        return text.getvalue()

    assert 'make demo ARGS="--data-dir /data" lets' in shown(Path("/data"))
    monkeypatch.setattr(summary, "default_data_directory", lambda: Path("/data"))
    assert "make demo lets" in shown(Path("/data"))
