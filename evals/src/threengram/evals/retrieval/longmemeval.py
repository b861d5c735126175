"""LongMemEval (Wu et al., ICLR 2025) in its published layout: a JSON array of instances, each with its own haystack.

An instance has `question_id` (with `_abs` at its end where the answer is absent), `question_type`, `question`,
`haystack_session_ids`, `haystack_dates` (`2023/05/20 (Sat) 02:21`), `haystack_sessions` (lists of turns with `role` and
`content`) and `answer_session_ids`. Absent ones are left out: they have no session to find.
"""

import json
from pathlib import Path
from typing import Any

from threengram.evals.retrieval.haystack import Haystack, Session, SessionQuestion, utc

ABSENT = "_abs"
_DATE = "%Y/%m/%d %H:%M"


def load(path: Path, *, limit: int | None = None) -> list[Haystack]:
    """One haystack for each instance, the first `limit` of them."""
    instances = [row for row in json.loads(path.read_text()) if not row["question_id"].endswith(ABSENT)]
    return [_haystack(row) for row in instances[:limit]]


def _haystack(row: dict[str, Any]) -> Haystack:
    told = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    question = SessionQuestion(
        row["question_id"], row["question"], frozenset(row["answer_session_ids"]), row["question_type"]
    )
    return Haystack(row["question_id"], [_session(*parts) for parts in told], [question])


def _session(session_id: str, date: str, turns: list[dict[str, Any]]) -> Session:
    day, _weekday, time = date.split(" ")
    lines = [f"{turn['role']}: {turn['content']}" for turn in turns]
    return Session(session_id, f"Conversation of {day}", lines, utc(f"{day} {time}", _DATE))
