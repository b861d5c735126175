"""A series as a picture."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from threengram.api.browsing.curve import HEIGHT, WIDTH, curve_of
from threengram.schema.memories import Fact

START = datetime(2026, 3, 1, tzinfo=UTC)


def series(*values: str, predicate: str = "weight_kg") -> list[Fact]:
    return [
        Fact(
            id=uuid4(), memory_id=uuid4(), subject="lift", predicate=predicate, value=value, confidence=None,
            valid_from=START + timedelta(days=day), valid_to=None, recorded_at=START,
        )
        for day, value in enumerate(values)
    ]  # fmt: skip


def test_a_curve_goes_from_left_to_right_and_up_with_the_value() -> None:
    curve = curve_of(series("90", "95", "92.5"))
    assert curve is not None
    assert curve.points == [(6.0, 90.0), (320.0, 6.0), (634.0, 48.0)]
    assert (curve.lowest, curve.highest) == ("90", "95")


def test_equal_values_lie_in_the_middle() -> None:
    curve = curve_of(series("-1", "-1"))
    assert curve is not None
    assert [y for _, y in curve.points] == [HEIGHT / 2] * 2
    assert all(0 <= x <= WIDTH for x, _ in curve.points)


def test_what_is_no_series_of_numbers_has_no_curve() -> None:
    for facts in (
        [], series("1"), series("1", "two"), series("1", "nan"), series("1", "1e999"),
        series("1", "9" * 400), [*series("1"), *series("2", predicate="reps")],
    ):  # fmt: skip
        assert curve_of(facts) is None
