"""The commands that use a memory, on the real service: what a person sees, what a program gets, how they end."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from threengram.cli.main import app

pytestmark = pytest.mark.xdist_group("sdk")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Run = Callable[..., str]


@pytest.fixture
def ended(
    api_url: str, api_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Exit code, output and complaint of a command line; the variables say where the memory is."""
    monkeypatch.setenv("THREENGRAM_BASE_URL", api_url)
    monkeypatch.setenv("THREENGRAM_API_KEY", api_key)
    monkeypatch.setenv("THREENGRAM_DATA_DIR", str(tmp_path))

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            app(list(words))
        out, err = capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), out, err

    return run


@pytest.fixture
def run(ended: Callable[..., tuple[int, str, str]]) -> Run:
    """The output of a command line that succeeds."""

    def output(*words: str) -> str:
        code, out, err = ended(*words)
        assert (code, err) == (0, "")
        return out

    return output


def id_in(output: str) -> str:
    found = UUID.search(output)
    assert found is not None, output
    return found.group()


def test_a_memory_is_written_found_corrected_and_put_away(run: Run) -> None:
    fact = "printer | location.room | 12"
    old = id_in(run("remember", "The printer is in room 12.", "--topic=Printer", "--type=fact", "--fact", fact))
    assert "1. Printer  fact  personal" in run("search", "where is the printer")
    assert "printer  location.room  12" in run("facts", "printer")
    new = id_in(run("revise", old, "The printer is in room 14.", "--intent=updates"))
    assert "The printer is in room 14." in run("show", new)
    assert f"updates: see {new}" in run("show", old)
    assert [line.split()[0] for line in run("list").splitlines()] == [new]
    assert [line.split()[0] for line in run("list", "--status=all").splitlines()] == [new, old]
    assert "supersede  by user_api" in run("history", old)
    assert run("facts", "printer") == "no facts\n"
    assert run("archive", new) == "archived\n"
    assert run("list") == "nothing found\n"
    assert run("unarchive", new) == "active\n"


def test_promises_are_seen_and_kept(run: Run) -> None:
    words = ["--topic=Report", "--type=commitment", "--due=2026-03-01T09:00:00+01:00", "--owner=Me", "--project=atlas"]
    promise = id_in(run("remember", "I send the report.", *words))
    briefing = run("briefing", "--full")
    assert "Overdue (1)\n    Report  open  due 2026-03-01T08:00:00Z  overdue" in briefing
    assert "Commitments (1)" in run("handoff", "--project=atlas")
    assert run("briefing", "--scope=personal", "--project=other") == "nothing is pending\n"
    assert run("resolve", promise) == "resolved\n"
    assert run("briefing") == "nothing is pending\n"


def test_scopes_are_arranged_and_proposals_listed(run: Run) -> None:
    assert run("scopes", "create", "garden") == "garden\n"
    assert run("scopes", "map", "atlas", "garden") == "atlas  garden\n"
    assert run("scopes", "alias", "garden", "job") == "garden  also job  projects atlas\n"
    assert run("scopes", "rename", "garden", "office") == "office  also job, garden  projects atlas\n"
    assert run("scopes", "default", "default", "office") == "default  office\n"
    assert "office  also job, garden  projects atlas" in run("scopes", "list")
    assert run("scopes", "delete", "office") == "office  deleted\n"
    assert run("proposals", "list") == "nothing to decide\n"


def test_a_program_gets_the_answer_of_the_api(run: Run) -> None:
    written = json.loads(run("remember", "Grüße aus Zürich", "--topic=Post", "--tag=a", "--tag=b", "--json"))
    found = json.loads(run("search", "Zürich", "--json"))
    assert found["hits"][0]["id"] == written["memory"]["id"]
    listed: list[dict[str, Any]] = json.loads(run("list", "--json"))["memories"]
    assert [(memory["topic"], memory["tags"]) for memory in listed] == [("Post", ["a", "b"])]
    assert "Grüße" in run("show", listed[0]["id"], "--json")


def test_the_text_may_come_from_the_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Two lines,\nboth kept.\n"))
    assert "both kept." in run("show", id_in(run("remember", "-", "--topic=Lines")))


def test_words_of_a_memory_never_command_the_terminal(run: Run) -> None:
    written = id_in(run("remember", "[red]bold[/red] \x1b]0;owned\x07 \x9b31m", "--topic=[link]Title"))
    shown = run("show", written)
    assert "[red]bold[/red] \ufffd]0;owned\ufffd \ufffd31m" in shown
    assert "[link]Title" in shown
    as_json = run("show", written, "--json")
    assert json.loads(as_json)["memories"][0]["content"].endswith("\x9b31m")
    assert not {"\x1b", "\x9b", "\x07"} & set(shown + as_json)


def test_an_account_is_taken_along_in_a_file_of_ones_own(run: Run, ended: Any, tmp_path: Path) -> None:
    run("remember", "The shed is green.", "--topic=Shed")
    file = tmp_path / "export.ndjson"
    assert run("export", str(file)).startswith(str(file))
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [record["content"] for record in records if record["record"] == "memory"] == ["The shed is green."]
    assert file.stat().st_mode & 0o777 == 0o600
    assert ended("export", str(file))[0] == 2
    assert "memory  1 there already" in run("import", str(file), "--dry-run")
    assert "memory  1 there already" in run("import", str(file))
    file.write_text(file.read_text().replace("The shed is green.", "The shed is blue."))
    assert "id_taken" in run("import", str(file))
    file.write_text("nonsense\n")
    code, _, complaint = ended("import", str(file))
    assert (code, "line 1: Not a JSON object in UTF-8" in complaint) == (1, True)
    assert ended("import", str(tmp_path / "none"))[0] == 2


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["show", "0190d3a8-7c2e-7000-8000-000000000000"], 1, "not_found"),
        (["search", "q", "--base-url=http://127.0.0.1:9", "--timeout-s=0.3"], 1, "no answer from the API"),
        (["remember", "x" * 2_001, "--topic=t"], 2, "content: String should have at most 2000 characters"),
        (["remember", "x", "--topic=t", "--fact=no bars"], 2, "SUBJECT|PREDICATE|VALUE"),
        (["search", "q", "--limit=26"], 2, "limit: Input should be less than or equal to 25"),
        (["briefing", "--scope=No Name"], 2, "scope: String should match pattern"),
        (["search", "q", "--valid-at=2026-03-01T09:00:00"], 2, "needs an offset"),
        (["search", "q", "--base-url=memory.test"], 2, "base_url has to be"),
        (["remember", "x"], 2, "topic"),
        (["show", "no-id"], 2, "UUID"),
    ],
)
def test_a_command_ends_with_one_where_the_memory_said_no_and_with_two_where_the_caller_has_to_change_something(
    ended: Any, words: list[str], code: int, complaint: str, api_key: str
) -> None:
    ended_with, out, err = ended(*words)
    assert (ended_with, out) == (code, "")
    assert complaint in " ".join(err.replace("│", " ").split())
    assert api_key not in err
