"""Golden sets from files: our own, and any in the layout of the product's original."""

import hashlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from threengram.evals.retrieval.stories import Life, Split

DATA = Path(__file__).parents[4] / "data"
GOLDEN = DATA / "golden"


def load(directory: Path = GOLDEN) -> list[Life]:
    """The lives of `lives.toml`, memories in the order of their days."""
    described = tomllib.loads((directory / "lives.toml").read_text())
    return [_life(directory, name, about) for name, about in described.items()]


def digest(directory: Path = GOLDEN) -> str:
    """SHA-256 over the names and bytes of all files of the set, so that a floor says what it was measured on."""
    seen = hashlib.sha256()
    for path in sorted(directory.iterdir()):
        seen.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        seen.update(path.read_bytes())
    return seen.hexdigest()


def load_original(memories: Path, queries: Path, *, name: str = "original") -> Life:
    """One life from the original's `golden-set.json` and `queries.json`, both JSON arrays.

    Memories carry `id`, `type`, `topic`, `content`, `replaces` and `created`; queries `slice` (retrieval, supersession
    or abstention), `query`, `expected` and `forbidden`. Where an expected memory was replaced later itself, whatever
    took over answers the question too: only the head of a chain is live.
    """
    written = sorted(json.loads(memories.read_text()), key=lambda memory: str(memory["created"]))
    successors: dict[str, set[str]] = {}
    for memory in written:
        for older in _named(memory):
            successors.setdefault(older, set()).add(memory["id"])
    asked = [
        {**question, "expected": [*question["expected"], *_later(question["expected"], successors)]}
        for question in json.loads(queries.read_text())
    ]
    return Life.model_validate(
        {
            "name": name,
            "split": Split.TEST,
            "language": "en",
            "memories": _after_their_predecessors(written),
            "questions": asked,
        }
    )


def _life(directory: Path, name: str, about: dict[str, Any]) -> Life:
    memories = sorted(_lines(directory / f"{name}.memories.jsonl"), key=lambda memory: str(memory["created"]))
    return Life.model_validate(
        {
            "name": name,
            "split": about["split"],
            "language": about["language"],
            "memories": _after_their_predecessors(memories),
            "questions": _lines(directory / f"{name}.queries.jsonl"),
        }
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _after_their_predecessors(memories: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same memories; one of the same day as its predecessor stands behind it whatever the file's order."""
    waiting, placed = list(memories), []
    ids: set[str] = set()
    while waiting:
        ready = next((memory for memory in waiting if _named(memory) <= ids), None)
        if ready is None:
            raise ValueError("memories replace each other in a circle, or one that is not there")
        waiting.remove(ready)
        placed.append(ready)
        ids.add(ready["id"])
    return placed


def _later(names: Iterable[str], successors: dict[str, set[str]]) -> list[str]:
    """Everything that has taken over from `names`, directly or through others."""
    found = list(names)
    for name in found:
        found += sorted(successors.get(name, set()).difference(found))
    return found[len(list(names)) :]


def _named(memory: dict[str, Any]) -> set[str]:
    replaced = memory.get("replaces") or []
    return {replaced} if isinstance(replaced, str) else set(replaced)
