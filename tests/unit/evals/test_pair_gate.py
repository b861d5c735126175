"""The gate of consolidation, and that it would notice."""

from dataclasses import replace

import pytest

from threengram.evals.pairs import floors, labelled
from threengram.evals.pairs.labelled import InvalidPairs
from threengram.evals.pairs.measure import Judged, Share, false, judge, precision, recall
from threengram.schema.enums import EdgeType

TEST = labelled.load("test")


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return judge(TEST)


def test_supersessions_on_the_test_pairs_hold_their_floors(judged: list[Judged]) -> None:
    held = floors.load()
    assert held.precision >= floors.LEAST_PRECISION
    assert held.recall >= floors.LEAST_RECALL
    problems = floors.breaches(held, labelled.digest("test"), precision=precision(judged), recall=recall(judged))
    assert problems == []


def test_no_trap_and_no_pair_that_rules_were_fitted_on_is_superseded_falsely() -> None:
    assert [one.pair.id for split in ("dev", "traps") for one in false(judge(labelled.load(split)))] == []


def test_there_are_enough_pairs_in_several_languages_and_none_is_in_both_splits() -> None:
    dev = labelled.load("dev")
    labelled.check([dev, TEST])
    assert len(dev) + len(TEST) >= 300
    assert {"en", "de", "fr", "es", "zh", "ja"} <= {pair.lang for pair in TEST}
    with pytest.raises(InvalidPairs):
        labelled.check([TEST, TEST[:1]])


def test_a_single_false_supersession_among_few_breaches_the_floor(judged: list[Judged]) -> None:
    unrelated = [one for one in judged if not one.wants_supersedes][:6]
    harmful = [*judged, *(replace(one, edge=EdgeType.SUPERSEDES) for one in unrelated)]
    held = floors.load()
    assert floors.breaches(held, held.digest, precision=precision(harmful), recall=recall(harmful))


def test_floors_never_fall_and_start_afresh_for_other_pairs() -> None:
    held = floors.Floors(digest="a", precision=0.99, recall=0.9)
    worse = {"precision": Share(96, 100), "recall": Share(80, 100)}
    assert floors.raised(held, "a", **worse) == held
    assert floors.raised(held, "b", **worse) == floors.Floors(digest="b", precision=0.95, recall=0.79)
