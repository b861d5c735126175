"""The gate of consolidation, and that it would notice."""

from dataclasses import replace

import pytest

from threengram.core.consolidation.claims import Claim
from threengram.evals.pairs import floors, held, labelled, prose
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


@pytest.mark.parametrize("name", held.SETS)
def test_the_held_sets_hold_their_floors(name: str) -> None:
    judged = held.Held.judged(name)
    assert judged.wrong == []
    assert held.breaches(judged, held.load_floors()[name]) == []


def test_a_wrong_fact_or_another_set_breaches_the_floors() -> None:
    judged, floors_of = held.Held.judged("third"), held.load_floors()["third"]
    claim = Claim("hall", "capacity", "300", 0.8)
    hedged = next(one for one in judged.prose if not one.prose.claims)
    harmful = replace(judged, prose=[*judged.prose, replace(hedged, proposed=(claim,))])
    assert harmful.wrong == [hedged.prose.id]
    assert held.breaches(harmful, floors_of)
    assert held.breaches(judged, floors_of.model_copy(update={"digest": "another"}))
    assert held.raised(judged, None).digest == judged.digest


def test_a_fact_is_right_when_it_says_what_a_person_would_note_down() -> None:
    claim = prose.SaidClaim(subject=("hall",), measure=("capacity",), unit=("people",), unitless=False, value=("80",))
    assert claim.admits(Claim("the hall", "capacity_people", "80", 0.8))
    for other in (("kitchen", "capacity_people", "80"), ("hall", "capacity", "80"), ("hall", "capacity_people", "90")):
        assert not claim.admits(Claim(*other, 0.8))
