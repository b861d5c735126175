"""The signs of a search, and what a calibration makes of them."""

import pytest

from threengram.core.identity.admission import ActiveModel
from threengram.core.search.confidence import Signs, is_confident, signs
from threengram.core.search.fusion import Evidence

CALIBRATION = {"bias": -1.0, "similarity": 2.0, "share": 1.0, "lift": 1.0, "words": 0.0, "threshold": 0.5}
MODEL = ActiveModel(1, "some-model", 384, CALIBRATION)


def evidence(cosine: float | None, lexical: float = 0.0) -> Evidence:
    return Evidence(cosine=cosine, lexical=lexical, topic_matches=False, age_days=0.0, superseded=False)


def test_the_lift_is_measured_against_the_crowd_and_not_against_other_good_hits() -> None:
    near, crowd = [evidence(0.6), evidence(0.58), evidence(0.5), evidence(0.5, 0.7)], [evidence(0.2)] * 16
    found = signs([*crowd, *near], words=3)
    assert found is not None
    assert (found.similarity, found.share, found.words) == (0.6, 0.7, 3)
    assert found.lift == pytest.approx(0.4)


def test_a_single_memory_does_not_stand_out_from_itself() -> None:
    assert signs([evidence(0.6)], words=1) == Signs(similarity=0.6, share=0.0, lift=0.0, words=1)


def test_without_vectors_there_is_no_judgement() -> None:
    assert signs([evidence(None, 0.9)], words=1) is None
    assert is_confident(MODEL, None) is None


def test_a_model_without_calibration_says_nothing() -> None:
    found = Signs(similarity=0.9, share=0.9, lift=0.5, words=2)
    assert is_confident(ActiveModel(1, "other", 384, None), found) is None
    assert is_confident(None, found) is None


@pytest.mark.parametrize(("similarity", "expected"), [(0.5, True), (0.499, False)])
def test_the_threshold_itself_counts_as_confident(similarity: float, expected: bool) -> None:
    assert is_confident(MODEL, Signs(similarity, 0.0, 0.0, 5)) is expected
