"""The ranking formula and what it promises about order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.core.lexical import document_terms, query_terms
from threengram.core.search.fusion import (
    Evidence,
    idf,
    mass,
    recency,
    relevance,
    saturation,
    score,
    topic_matches,
    topic_phrase,
)

EVIDENCE = st.builds(
    Evidence,
    cosine=st.none() | st.floats(-1, 1),
    lexical=st.floats(0, 2),
    topic_matches=st.booleans(),
    age_days=st.floats(-10, 10_000),
    superseded=st.booleans(),
)


def evidence(
    *, cosine: float | None = None, lexical: float = 0.0, topic: bool = False, age_days: float = 0.0
) -> Evidence:
    return Evidence(cosine=cosine, lexical=lexical, topic_matches=topic, age_days=age_days, superseded=False)


def test_a_rare_term_counts_more_and_no_term_counts_nothing() -> None:
    values = [idf(1000, frequency) for frequency in (1, 10, 100, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(math.log(2))
    assert idf(1000, 0) == idf(1000, 1)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_counts_that_lag_behind_each_other_give_a_positive_idf(documents: int, frequency: int) -> None:
    assert idf(documents, frequency) > 0


def test_one_occurrence_in_a_typical_text_is_not_damped() -> None:
    filler = " ".join(f"word{number}" for number in range(59))
    (word,) = query_terms("zebra")
    weights = {term.key: term.weight for term in document_terms("", f"zebra {filler}")}
    assert saturation(weights[word.key]) == 1.0


def test_the_mass_counts_each_group_once_by_its_rarest_known_alternative() -> None:
    stem, plain, other = query_terms("payments zebra")
    assert mass([stem, plain, other], {stem.key: 2.0, plain.key: 3.0, other.key: 5.0}, unknown=9.0) == 8.0
    assert mass([stem, plain, other], {stem.key: 2.0, other.key: 5.0}, unknown=9.0) == 7.0
    assert mass([], {}, unknown=9.0) == 0.0


def test_a_word_that_is_nowhere_counts_as_a_unique_one() -> None:
    terms = query_terms("payments zebra")
    assert mass(terms, {terms[0].key: 2.0}, unknown=9.0) == 11.0


@given(EVIDENCE, EVIDENCE)
def test_a_superseded_memory_ranks_below_every_live_one(first: Evidence, second: Evidence) -> None:
    if first.superseded and not second.superseded:
        assert score(first) < score(second)


def test_each_leg_adds_to_the_score() -> None:
    nothing = score(evidence())
    assert score(evidence(cosine=-0.2)) == nothing
    assert nothing < score(evidence(cosine=0.4)) < score(evidence(cosine=0.4, lexical=0.5))
    assert score(evidence(lexical=0.5)) < score(evidence(lexical=0.5, topic=True))


def test_a_memory_is_worth_half_of_what_it_replaced_unless_it_is_worth_more_itself() -> None:
    poor, good = evidence(cosine=0.2), evidence(cosine=0.9)
    assert score(poor, bequeathed=1.6) == pytest.approx(0.8)
    assert score(good, bequeathed=1.6) == score(good)
    assert score(poor, bequeathed=relevance(poor)) == score(poor)


@given(EVIDENCE, EVIDENCE, st.floats(0, 5))
def test_whatever_a_memory_replaced_it_ranks_above_all_that_is_superseded(
    first: Evidence, second: Evidence, bequeathed: float
) -> None:
    if first.superseded and not second.superseded:
        assert score(first, bequeathed=bequeathed) == score(first) < score(second, bequeathed=bequeathed)


def test_age_orders_equals_and_nothing_else() -> None:
    assert score(evidence(lexical=0.5, age_days=1)) > score(evidence(lexical=0.5, age_days=400))
    assert score(evidence(lexical=0.51, age_days=400)) > score(evidence(lexical=0.5, age_days=0))
    assert recency(90) == 0.5
    assert recency(-3) == 1.0


@pytest.mark.parametrize(
    ("query", "topic", "matches"),
    [
        ("auth gateway", "Auth  Gateway: Redis", False),
        ("AUTH gateway", "the Auth Gateway: Redis", True),
        (" auth ", "auth", True),
        ("auth gateway redis", "auth gateway redis", False),
        ("%", "anything", False),
        ("100%", "at 100% load", True),
        ("", "anything", False),
    ],
)
def test_a_query_of_one_or_two_words_matches_a_topic_that_holds_it(query: str, topic: str, matches: bool) -> None:
    assert topic_matches(topic_phrase(query), topic) is matches
