"""MemoryAgentBench (Hu et al., 2025) in its published layout, as JSON: an array of rows, or one row a line.

A row has one long `context`, `questions`, `answers` (for each question the accepted strings) and `metadata` with a
`source`. Nothing says where the evidence stands. So the context is cut into parts like any long text, and a part is
evidence for a question when it holds an accepted answer as written. Questions whose answer stands nowhere, or in more
than `MAX_GOLD_PARTS` parts, say nothing about retrieval and are left out.
"""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from threengram.evals.retrieval.haystack import Haystack, Session, SessionQuestion

PART_CHARS = 1_500
MAX_GOLD_PARTS = 5
_FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def load(path: Path, *, limit: int | None = None) -> list[Haystack]:
    """One haystack for each row that is left with questions, the first `limit` of them."""
    text = path.read_text()
    rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
    found = [_haystack(number, row) for number, row in enumerate(rows[:limit])]
    return [haystack for haystack in found if haystack.questions]


def _haystack(number: int, row: dict[str, Any]) -> Haystack:
    source = str(row["metadata"]["source"])
    name = f"{source}-{number}"
    parts = [
        Session(f"{name}:{index}", "Part of a long text", [text], _FIRST_DAY + timedelta(minutes=index))
        for index, text in enumerate(_parts(row["context"]))
    ]
    asked = zip(row["questions"], row["answers"], strict=True)
    questions = [
        SessionQuestion(f"{name}:q{index}", question, _gold(parts, answers), source)
        for index, (question, answers) in enumerate(asked)
    ]
    return Haystack(name, parts, [question for question in questions if 0 < len(question.gold) <= MAX_GOLD_PARTS])


def _parts(context: str) -> list[str]:
    """Whole sentences up to `PART_CHARS`."""
    parts, held = [], ""
    for sentence in filter(None, _SENTENCE.split(context)):
        if held and len(held) + len(sentence) >= PART_CHARS:
            parts.append(held)
            held = ""
        held = f"{held} {sentence}".strip()
    return [*parts, held] if held else parts


def _gold(parts: list[Session], answers: list[str]) -> frozenset[str]:
    accepted = [re.compile(rf"\b{re.escape(answer.strip())}\b", re.IGNORECASE) for answer in answers if answer.strip()]
    return frozenset(part.id for part in parts if any(answer.search(part.lines[0]) for answer in accepted))
