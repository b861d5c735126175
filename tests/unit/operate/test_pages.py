"""What README and guides name is there: commands and their options, targets, tools, pages."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from tests.rules import ROOT
from tests.unit.operate.test_runbooks import TARGETS, check, commands
from threengram.cli.main import app
from threengram.gateway.tools import TOOLS

README = ROOT / "README.md"
PARTS = ("libs", "services", "migrations", "evals", "tests")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def spans(path: Path) -> Iterator[list[str]]:
    """The words of commands in running text; `a|b` names two commands."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    for span in re.findall(r"`((?:threengram|make) [a-z][^`]*)`", text):
        words = shlex.split(span)
        for choice in words[-1].split("|"):
            yield [*words[:-1], choice]


def missing(words: list[str]) -> str | None:
    """The first command or option of ours that does not exist; what stands for a value is not looked at."""
    program, *rest = words
    if program == "make":
        return None if rest[0] in TARGETS else rest[0]
    command = typer.main.get_command(app)
    while isinstance(command, TyperGroup) and rest and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            return rest[0]
        command = command.commands[rest.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts}
    return next((word for word in rest if word.startswith("--") and word.partition("=")[0] not in known), None)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_command_in_running_text_exists(path: Path) -> None:
    assert {" ".join(words): found for words in spans(path) if (found := missing(words))} == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_that_is_linked_to_exists(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_every_file_of_ours_that_is_named_exists(path: Path) -> None:
    ours = [f"/{found.relative_to(ROOT)}" for part in PARTS for found in (ROOT / part).rglob("*.*")]
    named = re.findall(r"`((?:\w+/)*\w+\.(?:py|sql|toml))`", path.read_text())
    assert [name for name in named if not any(one.endswith(f"/{name}") for one in ours)] == []


def test_the_commands_of_the_readme_exist() -> None:
    for words in commands(README):
        check(words, others=True)


def test_the_readme_lists_the_tools_there_are() -> None:
    section = README.read_text().partition("## What an agent gets")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [tool.name for tool in TOOLS]


def test_what_does_not_exist_is_found() -> None:
    assert missing(["threengram", "mend"]) == "mend"
    assert missing(["threengram", "user", "mend"]) == "mend"
    assert missing(["threengram", "up", "--everything"]) == "--everything"
    assert missing(["make", "mend"]) == "mend"
