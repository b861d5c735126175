"""Every alert has a page, and every command on it exists."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.core import TyperGroup
from typer.testing import CliRunner

from tests.rules import ROOT, RUNBOOKS, alerts
from threengram.cli.main import app

PAGES = sorted(path for path in RUNBOOKS.glob("*.md") if path.name != "README.md")
GUIDES = sorted((ROOT / "docs" / "operate").glob("*.md"))
HEADINGS = ["## What it means", "## How to see it", "## How to mend it"]
KUBECTL = frozenset("apply cnpg delete describe exec get logs patch port-forward rollout scale top".split())  # noqa: SIM905
HELM = frozenset("get history install repo rollback status template test uninstall upgrade".split())  # noqa: SIM905
OTHERS = frozenset({"curl", "grep", "openssl", "promtool"})
HEREDOC = re.compile(r" <<'EOF'\n(.*?)^EOF$", re.DOTALL | re.MULTILINE)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def commands(path: Path) -> Iterator[list[str]]:
    """The command lines in the page's blocks of shell, continued lines joined."""
    for block in re.findall(r"```sh\n(.*?)```", path.read_text(), re.DOTALL):
        for line in HEREDOC.sub("", block).replace("\\\n", " ").splitlines():
            if words := shlex.split(line, comments=True):
                yield words


def check_threengram(words: list[str]) -> None:
    """An `AssertionError` for a command or an option that `threengram` does not have; nothing is run."""
    command = typer.main.get_command(app)
    name = "threengram"
    while isinstance(command, TyperGroup):
        assert words, f"{name} needs a command"
        assert words[0] in command.commands, f"{name} has no command {words[0]}"
        name, command, words = f"{name} {words[0]}", command.commands[words[0]], words[1:]
    # `--help` last: whatever stands before it is parsed, and the command does not run.
    shown = CliRunner().invoke(app, [*name.split()[1:], *words, "--help"])
    assert shown.exit_code == 0, shown.output


def check(words: list[str], *, others: bool = False) -> None:
    """An `AssertionError` for what does not exist; with `others`, programs that are not ours pass unread."""
    program, *rest = words
    if program == "threengram":
        check_threengram(rest)
    elif program == "kubectl":
        assert rest[0] in KUBECTL, words
    elif program == "helm":
        assert rest[0] in HELM, words
    elif program == "make":
        assert rest[0] in TARGETS, words
    else:
        assert others or program in OTHERS, words


def unknown(given: object, known: object, place: str = "") -> Iterator[str]:
    """The keys of given values that the chart does not have; an empty map takes any."""
    if not isinstance(given, dict) or not isinstance(known, dict) or not known:
        return
    for key, value in given.items():
        if key not in known:
            yield f"{place}{key}"
        else:
            yield from unknown(value, known[key], f"{place}{key}.")


def nested(words: list[str]) -> dict[str, Any]:
    """What `--set a.b=c` gives, without its values."""
    values: dict[str, Any] = {}
    for option, setting in pairwise(words):
        if option == "--set":
            inner = values
            for key in setting.partition("=")[0].split("."):
                inner = inner.setdefault(key, {})
    return values


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_values_on_a_page_are_values_of_the_chart(path: Path) -> None:
    known = yaml.safe_load((ROOT / "charts" / "threengram" / "values.yaml").read_text())
    given = [yaml.safe_load(text) for text in HEREDOC.findall(path.read_text())]
    given += [nested(words) for words in commands(path) if words[0] == "helm"]
    assert [key for values in given for key in unknown(values, known)] == []


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_helm_on_a_page_keeps_values_that_the_chart_takes(path: Path) -> None:
    """Without `--output yaml` a heading comes first, which the schema refuses; `--reuse-values` hides new defaults."""
    for words in commands(path):
        if words[:3] == ["helm", "get", "values"]:
            assert words[words.index("--output") + 1] == "yaml", words
        assert "--reuse-values" not in words, words


def test_every_alert_names_its_own_page_and_every_page_belongs_to_an_alert() -> None:
    named = {rule["alert"]: rule["annotations"]["runbook_url"] for rule in alerts()}
    assert all(url == f"docs/runbooks/{alert}.md" for alert, url in named.items())
    assert {path.stem for path in PAGES} == set(named)


def test_every_alert_says_how_urgent_it_is_and_what_it_saw() -> None:
    for rule in alerts():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_what_it_means_how_to_see_it_and_how_to_mend_it(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines[0] == f"# {path.stem}"
    assert [line for line in lines if line.startswith("## ")] == HEADINGS


@pytest.mark.parametrize("path", PAGES + GUIDES, ids=lambda path: path.stem)
def test_every_command_on_a_page_exists(path: Path) -> None:
    for words in commands(path):
        check(words, others=path in GUIDES)


def test_a_command_that_does_not_exist_is_found() -> None:
    with pytest.raises(AssertionError):
        check(["threengram", "mend"])
    with pytest.raises(AssertionError):
        check(["threengram", "backup", "create", "--everything"])
    with pytest.raises(AssertionError):
        check(["kubectl", "mend", "pod"])
