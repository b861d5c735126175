"""LoCoMo (Maharana et al., ACL 2024) as sessions, from `sessions.jsonl` and `questions.jsonl` in one directory.

Sessions carry `id`, `conversation`, `turns` (`speaker`, `text`, `photo`) and `meta`, questions `id`, `conversation`,
`query`, `gold_sessions` and `category`. Questions without a gold session are left out: nothing could be right.
"""

import json
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from threengram.evals.retrieval.haystack import Haystack, Session, SessionQuestion

_FIRST_DAY = datetime(2023, 1, 1, 9, 0, tzinfo=UTC)


def load(directory: Path) -> list[Haystack]:
    """One haystack for each conversation."""
    sessions = _by_conversation(directory / "sessions.jsonl")
    questions = _by_conversation(directory / "questions.jsonl")
    return [
        Haystack(
            name,
            [_session(number, row) for number, row in enumerate(rows)],
            [_question(row) for row in questions.get(name, []) if row["gold_sessions"]],
        )
        for name, rows in sessions.items()
    ]


def _by_conversation(path: Path) -> dict[str, list[dict[str, Any]]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {name: list(group) for name, group in groupby(rows, key=lambda row: str(row["conversation"]))}


def _session(number: int, row: dict[str, Any]) -> Session:
    """Sessions follow each other by a week: the order is in the file, what was said about dates is in the text."""
    speakers = " and ".join(dict.fromkeys(turn["speaker"] for turn in row["turns"]))
    return Session(row["id"], f"Conversation of {speakers}", [_line(turn) for turn in row["turns"]],
                   _FIRST_DAY + timedelta(weeks=number))  # fmt: skip


def _line(turn: dict[str, Any]) -> str:
    shown = f" [shows {turn['photo']}]" if turn.get("photo") else ""
    return f"{turn['speaker']}: {turn['text']}{shown}"


def _question(row: dict[str, Any]) -> SessionQuestion:
    return SessionQuestion(row["id"], row["query"], frozenset(row["gold_sessions"]), row["category"])
