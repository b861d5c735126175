"""The golden set is what the gate says it is: enough, varied, and split by life."""

from collections import Counter

import pytest

from threengram.evals.retrieval import golden
from threengram.evals.retrieval.stories import Life, Slice, Split

LIVES = golden.load()
QUESTIONS = [(life, question) for life in LIVES for question in life.questions]


def test_the_set_is_large_enough_for_its_figures() -> None:
    absent = Counter(life.split for life, question in QUESTIONS if not question.is_answerable)
    assert sum(len(life.memories) for life in LIVES) >= 300
    assert len(QUESTIONS) >= 300
    assert absent.total() >= 120
    assert absent[Split.TEST] >= 60


def test_every_slice_is_asked_on_both_sides_of_the_fence() -> None:
    for splits in ({Split.TRAIN, Split.DEV}, {Split.TEST}):
        assert {question.slice for life, question in QUESTIONS if life.split in splits} == set(Slice) - {
            Slice.RETRIEVAL
        }


def test_the_test_lives_speak_five_languages() -> None:
    assert {life.language for life in LIVES if life.split is Split.TEST} == {"en", "de", "es", "ja", "zh"}


def test_chains_reach_five_links_and_some_memories_branch_and_merge() -> None:
    lengths = {1 + _depth(life, memory.id) for life in LIVES for memory in life.memories}
    replaced = Counter(older for life in LIVES for memory in life.memories for older in memory.replaces)
    assert lengths >= {1, 2, 3, 4, 5}
    assert max(replaced.values()) > 1
    assert any(len(memory.replaces) > 1 for life in LIVES for memory in life.memories)


def test_long_bodies_nearly_fill_a_memory() -> None:
    assert sum(1_500 <= len(memory.content) <= 2_000 for life in LIVES for memory in life.memories) >= 6


def test_no_content_and_no_question_stands_twice_in_a_life() -> None:
    for life in LIVES:
        assert max(Counter(memory.content for memory in life.memories).values()) == 1
        assert (
            max(Counter((question.query, question.as_of, question.filter) for question in life.questions).values()) == 1
        )


@pytest.mark.parametrize(
    ("asked", "eligible"),
    [
        ({}, "old new note"),
        ({"filter": {"memory_type": "note"}}, "note"),
        ({"filter": {"project": "ferry"}}, "old new"),
        ({"filter": {"scope": "personal"}}, "old new"),
        ({"filter": {"recorded_after": "2026-01-01"}}, "new note"),
        ({"filter": {"recorded_before": "2026-01-01"}}, "old"),
        ({"as_of": {"valid_at": "2026-01-15"}}, "old"),
        ({"as_of": {"valid_at": "2026-02-01"}}, "new"),
        ({"as_of": {"as_known_at": "2026-02-01"}}, "old new"),
    ],
)
def test_a_filter_and_an_instant_say_what_may_come_back(asked: dict[str, object], eligible: str) -> None:
    memories = [
        {"id": "old", "type": "fact", "created": "2026-01-01", "project": "ferry"},
        {"id": "new", "type": "fact", "created": "2026-02-01", "project": "ferry", "replaces": "old"},
        {"id": "note", "type": "note", "created": "2026-03-01", "scope": "work"},
    ]
    written = [{"topic": "t", "content": memory["id"], **memory} for memory in memories]
    question = {"slice": "abstention", "query": "x", "expected": [], **asked}
    life = Life.model_validate(
        {"name": "n", "split": "test", "language": "en", "memories": written, "questions": [question]}
    )
    assert life.eligible(life.questions[0]) == set(eligible.split())


def test_a_question_whose_answer_was_replaced_is_refused() -> None:
    memory = {"type": "fact", "topic": "t", "created": "2026-01-01"}
    written = [{**memory, "id": "a", "content": "x"}, {**memory, "id": "b", "content": "y", "replaces": "a"}]
    question = {"slice": "keyword", "query": "x", "expected": ["a"]}
    with pytest.raises(ValueError, match="has been replaced"):
        Life.model_validate(
            {"name": "n", "split": "test", "language": "en", "memories": written, "questions": [question]}
        )


def _depth(life: Life, name: str) -> int:
    replaces = {memory.id: memory.replaces for memory in life.memories}
    return max((1 + _depth(life, older) for older in replaces[name]), default=0)
