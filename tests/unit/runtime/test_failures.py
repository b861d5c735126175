"""What is said about an exception."""

import pytest

from threengram.runtime.failures import describe
from threengram.runtime.fields import admit


def test_a_failure_is_described_by_classes_and_frames_but_never_by_its_message() -> None:
    try:
        try:
            raise KeyError("canary")
        except KeyError as error:
            raise ValueError("canary") from error
    except ValueError as error:
        described = describe(error)

    assert described["error_class"] == "ValueError"
    assert described["caused_by"] == ["KeyError"]
    frames = described["frames"]
    assert len(frames) == 1
    assert "test_failures.py:" in frames[0]
    assert frames[0].endswith(":test_a_failure_is_described_by_classes_and_frames_but_never_by_its_message")
    assert "canary" not in str(described)


def test_the_members_of_an_exception_group_are_its_causes() -> None:
    described = describe(ExceptionGroup("canary", [ValueError("canary"), OSError("canary")]))

    assert described == {"error_class": "ExceptionGroup", "frames": [], "caused_by": ["ValueError", "OSError"]}


class CatalogueError(Exception):
    """As the guard of core raises it."""

    violations = ("row security is off on facts", "policy “x y” on memories is not expected")


def test_what_is_wrong_with_a_catalogue_is_said_in_terms_by_errors_of_ours_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "violations" not in describe(CatalogueError("canary"))
    monkeypatch.setattr(CatalogueError, "__module__", "threengram.core.db.guard")
    violations = describe(CatalogueError("canary"))["violations"]
    assert violations == ["row_security_is_off_on_facts", "policy__x_y__on_memories_is_not_expected"]
    assert admit("violations", violations) == violations


def test_endless_causes_are_cut() -> None:
    error = ValueError()
    error.__cause__ = error

    assert len(describe(error)["caused_by"]) == 8
