"""What is said about an exception."""

from threengram.runtime.failures import describe


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


def test_endless_causes_are_cut() -> None:
    error = ValueError()
    error.__cause__ = error

    assert len(describe(error)["caused_by"]) == 8
