"""A story told to the product stands there as written: dates, corrections, branches, merges, sessions."""

import pytest

from threengram.evals.retrieval import longmemeval
from threengram.evals.retrieval.ask import ask, ask_sessions
from threengram.evals.retrieval.golden import DATA
from threengram.evals.retrieval.metrics import misplaced
from threengram.evals.retrieval.stage import servers, stage
from threengram.evals.retrieval.stories import Life

pytestmark = pytest.mark.xdist_group("retrieval_stage")


def life(*questions: dict[str, object]) -> Life:
    memories = [
        ("old", "The ferry leaves at seven", "2025-03-01", None),
        ("new", "The ferry leaves at eight now", "2025-05-01", "old"),
        ("branch", "The car ferry has its own timetable and leaves at nine", "2025-05-02", "old"),
        ("one", "Oat milk is on the upper shelf", "2025-06-01", None),
        ("two", "The oat milk stands on the top shelf", "2025-06-02", None),
        ("merged", "Oat milk: top shelf, left", "2025-07-01", ["one", "two"]),
    ]
    return Life.model_validate(
        {
            "name": "harbour",
            "split": "dev",
            "language": "en",
            "memories": [
                {
                    "id": name,
                    "type": "fact",
                    "topic": text.split()[1],
                    "content": text,
                    "created": day,
                    "replaces": older,
                }
                for name, text, day, older in memories
            ],
            "questions": questions,
        }
    )


async def test_a_story_can_be_asked_about_as_of_any_of_its_days() -> None:
    asked = "when does the ferry leave"
    told_life = life(
        {"slice": "supersession", "query": asked, "expected": ["new"], "forbidden": ["old"]},
        {"slice": "temporal", "query": asked, "expected": ["old"], "as_of": {"valid_at": "2025-04-01"}},
        {"slice": "keyword", "query": "oat milk", "expected": ["merged"], "forbidden": ["one", "two"]},
        {"slice": "abstention", "query": "quantum chromodynamics lecture notes", "expected": []},
    )  # fmt: skip
    (haystack, _) = longmemeval.load(DATA / "samples" / "longmemeval.json")
    with servers(threads=1) as (owner_url, subject):
        async with stage(owner_url, subject) as built:
            now, then, milk, absent = await ask(told_life, await built.tell(told_life))
            (hedgehog,) = await ask_sessions(haystack, await built.tell_sessions(haystack))
    assert set(now.hits[:2]) == {"new", "branch"}
    assert set(now.hits[-3:]) == {"old", "one", "two"}
    assert then.hits == ["old"]
    assert milk.hits[0] == "merged"
    assert misplaced([now, milk], [told_life]) == []
    assert absent.is_confident is False
    assert hedgehog.sessions[0] == "s-garden"
