"""Every promise of the product has a test that exists, or says why not; and the check that says so works."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.requirements import (
    MANIFEST,
    ROOT,
    Capability,
    Manifest,
    Requirement,
    functions_of,
    known_tests,
    problems,
    read,
)

GOOD = Requirement("design.4.two-locks", "design 4", "Both locks hold.", tests=("tests/a/test_b.py::test_c",))
LATER = Requirement("product.registration.cimd", "product: OAuth", "It is fetched.", due="identity")
OTHERWISE = replace(GOOD, id="product.server.kernel", source="product: OAuth", deviation="sdk")
SMALL = Manifest(
    ("design 4", "product: OAuth"), {"sdk": "another one"}, {"identity": Capability("tokens")}, (GOOD, LATER, OTHERWISE)
)


def test_every_requirement_is_proved_or_says_what_it_waits_for() -> None:
    manifest = read(MANIFEST.read_text())
    existing = {name for name, capability in manifest.capabilities.items() if capability.exists(ROOT)}
    assert problems(manifest, known_tests(ROOT), existing) == []


def found(*requirements: Requirement, existing: tuple[str, ...] = ()) -> list[str]:
    manifest = replace(SMALL, requirements=(*SMALL.requirements, *requirements))
    return problems(manifest, set(GOOD.tests), set(existing))


def test_a_manifest_in_order_has_no_problems() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [
        (GOOD, "design.4.two-locks: twice"),
        (replace(GOOD, id="design.4.x", tests=()), "design.4.x: needs tests or a capability that is due, and has []"),
        (replace(GOOD, id="design.4.x", due="identity"), "design.4.x: needs tests"),
        (replace(GOOD, id="design.4.x", tests=(), deviation="sdk"), "design.4.x: needs tests"),
        (replace(GOOD, id="design.4.x", tests=("tests/a/test_b.py::test_d",)), "no test tests/a/test_b.py::test_d"),
        (replace(GOOD, id="design.4.x", tests=GOOD.tests * 2), "design.4.x: names a test twice"),
        (replace(GOOD, id="design.4.x", deviation="other"), "unknown deviation other"),
        (replace(GOOD, id="design.4.x", source="design 3"), "unknown source design 3"),
        (replace(GOOD, id="design.4.x", says="words"), "says no sentence"),
        (replace(GOOD, id="design.4.Two Locks"), "not an id"),
        (replace(GOOD, id="design.3.x"), "not an id"),
        (replace(LATER, id="product.x", due="magic"), "unknown capability magic"),
    ],
)
def test_a_requirement_that_does_not_hold_is_a_problem(requirement: Requirement, problem: str) -> None:
    (only,) = found(requirement)
    assert problem in only


def test_what_was_due_needs_a_test_once_its_capability_exists() -> None:
    assert found(existing=("identity",)) == ["product.registration.cimd: identity exists now, so this needs a test"]


def test_a_source_or_deviation_that_nothing_speaks_of_is_a_problem() -> None:
    manifest = replace(SMALL, requirements=(GOOD,))
    assert problems(manifest, set(GOOD.tests), set()) == [
        "no sentence of product: OAuth",
        "deviation sdk: nothing deviates so",
    ]


def test_a_capability_is_known_by_the_files_and_words_it_brings(tmp_path: Path) -> None:
    source = tmp_path / "services" / "api" / "src" / "threengram" / "api"
    source.mkdir(parents=True)
    capability = Capability("tokens", ("services/api/src/threengram/api/oauth*",), ("/oauth/token",))
    assert not capability.exists(tmp_path)
    (source / "routes.py").write_text("PATH = '/oauth/token'\n")
    assert capability.exists(tmp_path)
    (source / "routes.py").unlink()
    (source / "oauth.py").touch()
    assert capability.exists(tmp_path)


def test_a_test_stands_in_a_file_in_which_it_is_looked_for() -> None:
    elsewhere = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and [*functions_of(path)]
    ]
    assert elsewhere == []


def test_every_folder_of_tests_is_run_by_a_target() -> None:
    targets = re.findall(r"-m pytest (.*)\$\(ARGS\)", (ROOT / "Makefile").read_text())
    left_out = {folder for line in targets for folder in re.findall(r"--ignore=(\S+)", line)}
    run_alone = {word for line in targets for word in line.split() if word.startswith("tests/")}
    folders = {str(path.relative_to(ROOT).parent) for path in (ROOT / "tests").rglob("test_*.py")}
    assert left_out <= run_alone
    assert all(any(folder.startswith(alone) for folder in folders) for alone in run_alone)
    assert len([line for line in targets if "tests/" not in line.replace("--ignore=tests/", "")]) == 1
