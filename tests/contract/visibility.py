"""Memories in every state of life, each with a word of its own, for tests of what a read path shows."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from threengram.core.principal import Principal

LIVE, SUPERSEDED, ARCHIVED, ERASED = "quokkaword", "superwombat", "archivbilby", "erasedpotoroo"
WORDS = (LIVE, SUPERSEDED, ARCHIVED, ERASED)

Write = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Calls a verb and returns its output."""


@dataclass(frozen=True)
class Lives:
    """The id of the memory in each state, by its word."""

    ids: dict[str, str]


async def lived(write: Write, archive: Callable[[str], Awaitable[None]], owner_url: str, who: Principal) -> Lives:
    """Write a memory for each state and bring it there; names of scopes and projects carry the word as well."""
    ids = {}
    for word in WORDS:
        written = await write("remember", memory(word))
        ids[word] = str(written["memory"]["id"])
    await write("revise", {**memory("successor"), "predecessorId": ids[SUPERSEDED]})
    await archive(ids[ARCHIVED])
    await archive(ids[ERASED])
    erase(owner_url, who, ids[ERASED])
    return Lives(ids)


def memory(word: str) -> dict[str, Any]:
    """A decision, which is in every section that a decision can be in, with a fact."""
    return {
        "memoryType": "decision",
        "topic": f"Topic {word}",
        "content": f"We decided on {word}.",
        "scope": f"scope-{word}",
        "project": f"project-{word}",
        "tags": [word],
        "facts": [{"subject": f"subject.{word}", "predicate": "count", "value": word}],
    }


def erase(owner_url: str, who: Principal, memory_id: str) -> None:
    """What the owner-side erasure of one memory leaves behind: its row, without a word of anybody."""
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(who.tenant_id),))
        (number,) = owner.execute(
            "UPDATE memories SET topic = '[erased]', content = '[erased]', content_chars = 8, tags = '{}',"
            " scope = 'personal', project = NULL WHERE id = %s RETURNING memory_no",
            (memory_id,),
        ).fetchone() or (None,)
        owner.execute("DELETE FROM memory_terms WHERE memory_no = %s", (number,))
        owner.execute("DELETE FROM memory_embeddings WHERE memory_id = %s", (memory_id,))
        owner.execute(
            "UPDATE facts SET subject = '[erased]', predicate = '[erased]', value = '[erased]' WHERE memory_id = %s",
            (memory_id,),
        )


def shown(text: str) -> set[str]:
    """Whose words a text holds."""
    return {word for word in WORDS if word in text.lower()}
