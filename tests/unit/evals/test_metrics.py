"""Figures are what their formulas say."""

import numpy as np
import pytest

from threengram.core.search.confidence import Signs
from threengram.evals.retrieval.confidence_fit import Judged, fit, probabilities
from threengram.evals.retrieval.metrics import figure, ndcg, recall, reciprocal_rank, supersession_correct
from threengram.evals.retrieval.stories import Question, Slice, Split

ONE = Question(slice=Slice.KEYWORD, query="q", expected=["a", "b"])
ALL = Question(slice=Slice.MULTI_EVIDENCE, query="q", expected=["a", "b"])
HEAD = Question(slice=Slice.SUPERSESSION, query="q", expected=["new"], forbidden=["old", "older"])


def test_one_expected_memory_will_do_unless_all_are_wanted() -> None:
    hits = ["x", "b", "y"]
    assert [recall(hits, ONE, depth) for depth in (1, 5)] == [0.0, 1.0]
    assert [recall(hits, ALL, depth) for depth in (1, 5)] == [0.0, 0.5]


def test_the_reciprocal_rank_ends_at_five() -> None:
    assert reciprocal_rank(["x", "y", "b"], ONE) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"] * 5 + ["b"], ONE) == 0.0


def test_ndcg_is_one_for_the_best_order_and_discounts_by_rank() -> None:
    assert ndcg(["b", "a"], ALL) == pytest.approx(1.0)
    assert ndcg(["a", "b"], ONE) == pytest.approx(1.0)
    assert ndcg(["x", "a"], ONE) == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (["new", "old"], 1.0),
        (["x", "new"], 1.0),
        (["old", "new"], 0.0),
        (["new", "x", "old", "older"], 1.0),
        (["x"] * 5 + ["new"], 0.0),
        (["old"], 0.0),
    ],
)
def test_a_successor_has_to_be_found_and_to_stand_above(hits: list[str], expected: float) -> None:
    assert supersession_correct(hits, HEAD) == expected


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = figure([0.0, 1.0] * 10), figure([0.0, 1.0] * 1_000)
    assert few is not None
    assert many is not None
    assert few.low < few.value == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert figure([]) is None


def test_a_fit_learns_from_train_sets_its_threshold_on_dev_and_never_sees_test() -> None:
    def asked(split: Split, similarity: float, *, is_answerable: bool) -> Judged:
        return Judged(split, "en", Signs(similarity, 0.5, 0.1, 3), is_answerable)

    seen = [
        asked(split, 0.3 + 0.01 * step + 0.2 * present, is_answerable=present)
        for split in (Split.TRAIN, Split.DEV)
        for present in (False, True)
        for step in range(10)
    ]
    misleading = [asked(Split.TEST, 0.9, is_answerable=False)] * 100
    calibration = fit([*seen, *misleading])
    assert calibration == fit(seen)
    dev = [one for one in seen if one.split is Split.DEV]
    decided = probabilities(calibration, dev) >= calibration["threshold"]
    assert decided.tolist() == [one.is_answerable for one in dev]
