"""Loaders of public sets read the layouts that their authors publish."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from threengram.evals.retrieval import golden, locomo, longmemeval, memoryagentbench
from threengram.evals.retrieval.golden import DATA
from threengram.evals.retrieval.haystack import CHUNK_CHARS, Session, chunks
from threengram.schema.bounds import MAX_CONTENT_CHARS

SAMPLES = DATA / "samples"
AT = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.integers(1, 600), max_size=12))
def test_chunks_hold_every_word_in_order_and_fit_into_memories(lengths: list[int]) -> None:
    lines = [" ".join(f"w{turn}.{word}" for word in range(length)) for turn, length in enumerate(lengths)]
    cut = chunks(Session("s", "t", lines, AT))
    assert all(0 < len(chunk.content) <= MAX_CONTENT_CHARS for chunk in cut)
    said = [word for chunk in cut for word in chunk.content.split()]
    assert list(dict.fromkeys(said)) == " ".join(lines).split()


def test_neighbouring_chunks_share_one_turn() -> None:
    lines = [f"{number} " + "x" * 300 for number in range(9)]
    first, second, *_ = chunks(Session("s", "t", lines, AT))
    assert len(first.content) <= CHUNK_CHARS
    assert first.content.split("\n")[-1] == second.content.split("\n")[0]


def test_locomo_sessions_keep_their_order_and_questions_their_evidence(tmp_path: Path) -> None:
    (tmp_path / "sessions.jsonl").write_text(
        '{"id":"c_1","conversation":"c","turns":[{"speaker":"Ada","text":"Hi","photo":"a cat"}],"meta":{}}\n'
        '{"id":"c_2","conversation":"c","turns":[{"speaker":"Bo","text":"Bye"}],"meta":{}}\n'
    )
    (tmp_path / "questions.jsonl").write_text(
        '{"id":"q1","conversation":"c","query":"Who?","gold_sessions":["c_2"],"category":"temporal"}\n'
        '{"id":"q2","conversation":"c","query":"What?","gold_sessions":[],"category":"temporal"}\n'
    )
    (conversation,) = locomo.load(tmp_path)
    first, second = conversation.sessions
    assert first.lines == ["Ada: Hi [shows a cat]"]
    assert second.at - first.at == timedelta(weeks=1)
    assert [(question.id, question.gold) for question in conversation.questions] == [("q1", frozenset({"c_2"}))]


def test_longmemeval_has_a_haystack_for_each_question_and_leaves_absent_answers_out() -> None:
    loaded = longmemeval.load(SAMPLES / "longmemeval.json")
    assert [haystack.name for haystack in loaded] == ["sample-1", "sample-2"]
    assert loaded[0].sessions[0].at == datetime(2024, 3, 2, 9, 15, tzinfo=UTC)
    assert loaded[1].questions[0].gold == {"s-swim-old", "s-swim-new"}


def test_memoryagentbench_finds_its_evidence_by_the_accepted_answers() -> None:
    (haystack,) = memoryagentbench.load(SAMPLES / "memoryagentbench.json")
    assert [question.query for question in haystack.questions] == [
        "Who is the harbour master of Ostrava-on-Sea?",
        "Where was the bell of the fish market cast?",
    ]
    evidence = {session.id: session.lines[0] for session in haystack.sessions}
    assert all("Dinant" in evidence[part] for part in haystack.questions[1].gold)


def test_the_originals_layout_accepts_the_head_of_a_chain() -> None:
    life = golden.load_original(SAMPLES / "original" / "golden-set.json", SAMPLES / "original" / "queries.json")
    assert [question.expected for question in life.questions] == [["g004"], ["g002", "g003"], []]
