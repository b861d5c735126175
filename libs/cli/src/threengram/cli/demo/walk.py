"""The walk: remember, search in other words, page through everything, read one body in full, live a week."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from threengram.cli.demo.calls import content
from threengram.cli.demo.memories import MEMORIES, QUESTIONS
from threengram.cli.demo.week import Line, Week

TIMEOUT_S = 30.0
ERAS: Mapping[str, str] = {"2026-07-28": "auto", "2025-11-25": "legacy"}
"""Protocol revision by the client mode that speaks it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One question: what was found first, and whether that is what was meant."""

    question: str
    expected: str
    found: str
    rank: int | None
    score: float
    is_confident: bool | None


@dataclass(frozen=True, slots=True)
class Walk:
    """What one client saw. `body_chars` is the length of the longest body, read back in full."""

    revision: str
    written: int
    known: int
    findings: list[Finding]
    listed: int
    pages: int
    body_chars: int
    week: list[Line]


async def walk(mcp_url: str, token: str, revision: str) -> Walk:
    """Let the official client use the server in one protocol era; raises `CannotRun` when a call fails."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_S, trust_env=False) as http:
        (other,) = ERAS.keys() - {revision}
        first = Client(streamable_http_client(mcp_url, http_client=http), mode=ERAS[revision])
        second = Client(streamable_http_client(mcp_url, http_client=http), mode=ERAS[other])
        async with first as client, second as next_client:
            written = [await _remember(client, dict(memory)) for memory in MEMORIES]
            findings = [await _ask(client, question, topic) for question, topic in QUESTIONS]
            listed, pages = await _list_all(client)
            body_chars = await _read_longest(client)
            week = await Week(client, next_client, datetime.now(UTC)).live()
    return Walk(revision, sum(written), len(written) - sum(written), findings, listed, pages, body_chars, week)


async def _remember(client: Client, arguments: dict[str, object]) -> bool:
    """True when the memory is new, False when an earlier walk has left it there."""
    result = await client.call_tool("remember", arguments)
    if result.is_error and (result.meta or {}).get("code") == "duplicate_memory":
        return False
    content(result)
    return True


async def _ask(client: Client, question: str, topic: str) -> Finding:
    answer = content(await client.call_tool("search", {"query": question, "project": "meridian"}))
    topics = [hit["topic"] for hit in answer["hits"]]
    best: dict[str, Any] = answer["hits"][0] if answer["hits"] else {"topic": "(nothing)", "score": 0.0}
    rank = topics.index(topic) + 1 if topic in topics else None
    return Finding(question, topic, best["topic"], rank, best["score"], answer["coverage"].get("confident"))


async def _list_all(client: Client) -> tuple[int, int]:
    arguments: dict[str, object] = {"order": "chronological", "project": "meridian", "limit": 10}
    listed = pages = 0
    while True:
        page = content(await client.call_tool("search", {**arguments, "projection": "compact"}))
        listed, pages = listed + page["count"], pages + 1
        if not page["hasMore"]:
            return listed, pages
        arguments["cursor"] = page["nextCursor"]


async def _read_longest(client: Client) -> int:
    found = content(await client.call_tool("search", {"query": "quarterly review of the Meridian project"}))
    cut = next(hit for hit in found["hits"] if hit["truncated"])
    read = content(await client.call_tool("get_memories", {"ids": [cut["id"]]}))
    return len(read["memories"][0]["content"])
