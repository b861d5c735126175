"""What pages name is there: files of the repository, panels of dashboards, variables, events of the log, counts."""

import re
from itertools import chain
from pathlib import Path

import pytest
import yaml

from tests.rules import ROOT
from tests.unit.operate.test_pages import PAGES

TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text() for path in PAGES}
GUIDES = {name: text for name, text in TEXTS.items() if name.startswith(("docs/operate/", "docs/runbooks/"))}
IMPORTED = [*ROOT.glob("libs/*/src/threengram"), *ROOT.glob("services/*/src/threengram")]
IMPORTED += [ROOT / part / "src" / "threengram" for part in ("migrations", "evals")]
FOLDERS = frozenset(path.name for root in [ROOT, *IMPORTED] for path in root.iterdir() if path.is_dir()) - {"build"}
"""Without what is built."""
SOURCES = [path for part in ("libs", "services", "migrations") for path in (ROOT / part).glob("**/*.py")]
SOURCES += [ROOT / "compose.yaml", ROOT / "compose.env.template", ROOT / "docs" / "reference" / "settings.md"]
CODE = "".join(path.read_text() for path in SOURCES)


def paths(text: str) -> list[str]:
    """Paths in code spans that begin with a folder of the repository or of a package; those with gaps are left out."""
    spans = re.findall(r"`([\w.-]+(?:/[\w.-]+)+)(?:::\w+)?`", text)
    return [span for span in spans if span.partition("/")[0] in FOLDERS and "..." not in span]


def exists(path: str) -> bool:
    return any((root / f"{path}{suffix}").exists() for root in [ROOT, *IMPORTED] for suffix in ("", ".py"))


@pytest.mark.parametrize("page", TEXTS)
def test_every_file_that_a_page_names_exists(page: str) -> None:
    assert [path for path in paths(TEXTS[page]) if not exists(path)] == []


def test_a_file_that_does_not_exist_is_found() -> None:
    assert [exists(path) for path in paths("`docs/runbooks/Nothing.md` `core/db/guard.py` `core/nothing`")] == [
        False,
        True,
        False,
    ]


def panels() -> dict[str, list[str]]:
    """The titles of the panels by the title of their dashboard."""
    boards = [yaml.safe_load(path.read_text()) for path in (ROOT / "charts" / "dashboards").glob("*.yaml")]
    return {str(board["title"]): [str(panel["title"]) for panel in titled(board)] for board in boards}


def titled(node: object) -> list[dict[str, object]]:
    """Every map below the root of a dashboard that has a title."""
    if isinstance(node, list):
        return [*chain.from_iterable(map(titled, node))]
    if not isinstance(node, dict):
        return []
    below = [*chain.from_iterable(map(titled, [child for key, child in node.items() if key != "title"]))]
    return [node, *below] if "title" in node else below


@pytest.mark.parametrize("page", [name for name in GUIDES if name.startswith("docs/runbooks/Threengram")])
def test_every_panel_that_a_runbook_names_is_on_the_dashboard_before_it(page: str) -> None:
    boards = panels()
    board = None
    for name in re.findall(r"\*([A-Z][^*]+)\*", GUIDES[page].replace("\n", " ")):
        if name in boards:
            board = name
        else:
            assert board is not None, name
            assert any(title.startswith(name) for title in boards[board]), (board, name)


@pytest.mark.parametrize("page", TEXTS)
def test_every_variable_that_a_page_names_is_read_somewhere(page: str) -> None:
    named = re.findall(r"THREENGRAM(?:_[A-Z]+)+\b", TEXTS[page])
    assert [name for name in named if name not in CODE] == []


def test_every_event_of_the_log_that_a_page_names_is_written() -> None:
    events = set(re.findall(r"`([a-z]+(?:_[a-z]+)*_(?:failed|finished|ended|crashed|stuck|off|started|recovered))`",
                            "".join(GUIDES.values())))  # fmt: skip
    assert len(events) > 5
    assert [event for event in events if f'"{event}"' not in CODE] == []


def test_what_is_counted_in_words_is_as_many() -> None:
    words = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905
    journeys = len(re.findall(r"^## Journey \d+:", TEXTS["ARCHITECTURE.md"], re.MULTILINE))
    assert f"{words[journeys]} journeys" in TEXTS["README.md"]
    members = re.search(r"^MEMBERS := (.*?[^\\])$", (ROOT / "Makefile").read_text(), re.MULTILINE | re.DOTALL)
    assert members is not None
    assert f"{words[len(members[1].replace(chr(92), '').split())]} distributions" in TEXTS["ARCHITECTURE.md"]
    dashboards = len([*Path(ROOT / "charts" / "dashboards").glob("*.yaml")])
    assert (
        f"{words[dashboards].capitalize()}, from `charts/dashboards/*.yaml`" in GUIDES["docs/operate/observability.md"]
    )
