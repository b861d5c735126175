"""The requirements manifest: what the product promises, and the test that holds each promise.

`requirements.toml` is written by hand. Here it is read and held against the tree, without running anything: tests are
found in the source, by name, and a capability is found by the files that it brings.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / "tests" / "requirements.toml"
ID = re.compile(r"(product|reports|design\.(1|2|4|5|6|7|8|9|10|11|13|14))(\.[a-z0-9]+(-[a-z0-9]+)*)+")
STATES = ({"tests"}, {"due"}, {"tests", "deviation"}, {"due", "deviation"})
"""Proved, or left to a capability that is not there; either may be done otherwise than the description has it."""


@dataclass(frozen=True)
class Requirement:
    """One sentence that can be tested; `source` is where it stands, one of the manifest's."""

    id: str
    source: str
    says: str
    tests: tuple[str, ...] = ()
    deviation: str | None = None
    due: str | None = None


@dataclass(frozen=True)
class Capability:
    """What later work brings: it exists when a file matches one of `paths`, or a Python source holds one of `words`."""

    brings: str
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def exists(self, root: Path) -> bool:
        """Whether the tree below `root` has it."""
        if any(next(root.glob(pattern), None) is not None for pattern in self.paths):
            return True
        sources = (path for part in ("services", "libs") for path in (root / part).glob("*/src/**/*.py"))
        return bool(self.words) and any(word in path.read_text() for path in sources for word in self.words)


@dataclass(frozen=True)
class Manifest:
    """The whole file."""

    sources: tuple[str, ...]
    deviations: Mapping[str, str]
    capabilities: Mapping[str, Capability]
    requirements: tuple[Requirement, ...]


def read(text: str) -> Manifest:
    """The manifest in `text`; raises `TypeError` for a key that no requirement or capability has."""
    content = tomllib.loads(text)
    return Manifest(
        sources=tuple(content["sources"]),
        deviations=content["deviations"],
        capabilities={name: Capability(**_frozen(fields)) for name, fields in content["capabilities"].items()},
        requirements=tuple(Requirement(**_frozen(fields)) for fields in content["requirement"]),
    )


def _frozen(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def functions_of(path: Path) -> Iterator[str]:
    """The names of the test functions that a module defines at its top level."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name


def known_tests(root: Path) -> set[str]:
    """Every test below `tests`, as pytest names it, without parameters."""
    return {
        f"{path.relative_to(root)}::{name}"
        for path in (root / "tests").rglob("test_*.py")
        for name in functions_of(path)
    }


def problems(manifest: Manifest, tests: Set[str], existing: Set[str]) -> list[str]:
    """What keeps the manifest from being true, given the tests and the capabilities that exist."""
    ids = Counter(requirement.id for requirement in manifest.requirements)
    used = {requirement.deviation for requirement in manifest.requirements}
    told = {requirement.source for requirement in manifest.requirements}
    return [
        *(f"{name}: twice" for name, times in ids.items() if times > 1),
        *(f"no sentence of {source}" for source in manifest.sources if source not in told),
        *(f"deviation {name}: nothing deviates so" for name in manifest.deviations if name not in used),
        *(found for requirement in manifest.requirements for found in _faults(requirement, manifest, tests, existing)),
    ]


def _faults(requirement: Requirement, manifest: Manifest, tests: Set[str], existing: Set[str]) -> Iterable[str]:
    name = requirement.id
    state = {field for field in ("tests", "deviation", "due") if getattr(requirement, field)}
    if not ID.fullmatch(name):
        yield f"{name}: not an id"
    if requirement.source not in manifest.sources:
        yield f"{name}: unknown source {requirement.source}"
    if not requirement.says.endswith("."):
        yield f"{name}: says no sentence"
    if state not in STATES:
        yield f"{name}: needs tests or a capability that is due, and has {sorted(state)}"
    if len(set(requirement.tests)) < len(requirement.tests):
        yield f"{name}: names a test twice"
    yield from (f"{name}: no test {test}" for test in requirement.tests if test not in tests)
    if requirement.deviation is not None and requirement.deviation not in manifest.deviations:
        yield f"{name}: unknown deviation {requirement.deviation}"
    if requirement.due is not None and requirement.due not in manifest.capabilities:
        yield f"{name}: unknown capability {requirement.due}"
    if requirement.due in existing:
        yield f"{name}: {requirement.due} exists now, so this needs a test"
