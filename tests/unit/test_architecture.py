"""What the whole tree promises, checked in its source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from threengram.cli.reference import pages

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path for pattern in ("libs/*/src", "services/*/src", "migrations/src", "evals/src") for path in ROOT.glob(pattern)
)


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text())


def test_no_distribution_ships_the_namespace_itself() -> None:
    assert len(SOURCES) == 13
    assert [path for source in SOURCES for path in source.glob("threengram/__init__.py")] == []


def test_every_distribution_says_that_it_is_typed() -> None:
    packages = [path.parent for source in SOURCES for path in source.glob("threengram/*/__init__.py")]
    assert [package for package in packages if not (package / "py.typed").exists()] == []


def test_only_the_database_module_commits() -> None:
    committing = {
        str(path)
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value == "COMMIT" and path.parts[0] != "evals"
    }
    assert committing == {"libs/core/src/threengram/core/db/database.py"}


def test_every_module_says_what_it_is_for() -> None:
    assert [str(path) for path, tree in modules() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("page", sorted(pages()))
def test_the_generated_reference_is_up_to_date(page: str) -> None:
    assert (ROOT / "docs" / "reference" / page).read_text() == pages()[page]
