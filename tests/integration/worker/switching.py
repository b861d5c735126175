"""Constant load over MCP: several people's agents search and write side by side, and every call has to succeed."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.contract.mcp.stack import ISSUER_URL, PUBLIC_URL, Wire, wire
from tests.people import AUDIENCE, ISSUER, SIGNING_KEY, Person
from tests.waiting import eventually
from threengram.core.call import Core, open_call
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.gateway.build import Collaborators, Limits, build_app
from threengram.gateway.tools import TOOLS
from threengram.runtime.ratelimit import RateLimiter

SEARCHERS, WRITERS = 4, 3
LONGEST_S = 240.0
ROUNDS = 4
GAP_S = 0.05
"""Between the calls of one caller, so that the load leaves the machine to what it is a load for."""

Ranking = tuple[tuple[tuple[str, float], ...], str, float | None]
"""Ids with their scores, whether vectors took part, and the best similarity."""


@dataclass(frozen=True)
class Search:
    """One answered search; when it began and ended by the monotonic clock."""

    query: str
    began_at: float
    ended_at: float
    ranking: Ranking


@dataclass
class Load:
    """Searchers ask a corpus that stays as it is; writers add to another one, and search that.

    Any call that is not answered as it should be ends the load with an error. `written` holds the id of each
    acknowledged memory.
    """

    door: Wire
    reader: Person
    writer: Person
    queries: Sequence[str]
    searches: list[Search] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    _rounds: Counter[str] = field(default_factory=Counter)
    _is_over: bool = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The load, for as long as the block runs."""
        try:
            async with asyncio.timeout(LONGEST_S), asyncio.TaskGroup() as group:
                for caller in range(SEARCHERS):
                    group.create_task(self._repeat(f"searcher {caller}", partial(self._search, caller)))
                for caller in range(WRITERS):
                    group.create_task(self._repeat(f"writer {caller}", partial(self._write, caller)))
                yield
                self._is_over = True
        finally:
            self._is_over = True

    async def goes_on(self) -> None:
        """Wait until every caller has had several further answers."""
        before = self._rounds.copy()

        def is_on() -> bool:
            return len(self._rounds) == SEARCHERS + WRITERS and all(
                rounds >= before[caller] + ROUNDS for caller, rounds in self._rounds.items()
            )

        await eventually(is_on)

    async def rankings(self) -> dict[str, Ranking]:
        """What each query is answered with now."""
        return {query: (await self.search(query)).ranking for query in self.queries}

    async def search(self, query: str) -> Search:
        began_at = time.monotonic()
        found = await self._call(self.reader, "search", query=query)
        hits = tuple((hit["id"], round(hit["score"], 6)) for hit in found["hits"])
        coverage = found["coverage"]
        similarity = None if "topSimilarity" not in coverage else round(coverage["topSimilarity"], 6)
        return Search(query, began_at, time.monotonic(), (hits, coverage["vector"], similarity))

    async def _repeat(self, caller: str, act: Any) -> None:
        while not self._is_over:
            await act(self._rounds[caller])
            self._rounds[caller] += 1
            await asyncio.sleep(GAP_S)

    async def _search(self, caller: int, number: int) -> None:
        self.searches.append(await self.search(self.queries[(caller + number) % len(self.queries)]))

    async def _write(self, caller: int, number: int) -> None:
        content = f"line {number} of caller {caller} in the logbook"
        written = await self._call(self.writer, "remember", memoryType="note", topic="logbook", content=content)
        self.written.append(written["memory"]["id"])
        await self._call(self.writer, "search", query=content, limit=5)

    async def _call(self, person: Person, tool: str, **arguments: object) -> dict[str, Any]:
        answer = await self.door.call("modern", tool, arguments, token=person.token)
        body = answer.json()
        assert answer.status_code == 200, answer.text
        assert "error" not in body, body
        assert not body["result"].get("isError"), body
        content: dict[str, Any] = body["result"]["structuredContent"]
        return content


@asynccontextmanager
async def gateway(core: Core, redis_url: str) -> AsyncIterator[Wire]:
    """The product's tools, with a rate limit that no load of a test meets."""
    limiter = RateLimiter(redis_url, timeout_s=30)
    collaborators = Collaborators(
        tools=TOOLS,
        verifier=AccessTokenVerifier(issuer=ISSUER, audience=AUDIENCE, keys=PublishedKeys(core.database)),
        limiter=limiter,
        open_call=partial(open_call, core),
        clock=core.clock,
    )
    limits = Limits(calls_per_minute=1_000_000)
    app = build_app(collaborators, public_url=PUBLIC_URL, issuer_url=ISSUER_URL, allowed_origins=(), limits=limits)
    try:
        async with wire(app) as door:
            yield door
    finally:
        await limiter.aclose()


def publish_key(owner_url: str) -> None:
    """Let tokens of the tests be verified in this database."""
    with psycopg.connect(owner_url) as owner:
        owner.execute(
            "INSERT INTO signing_keys (kid, public_jwk, state, created_at) VALUES (%s, %s, 'active', now())",
            (SIGNING_KEY.kid, Jsonb(SIGNING_KEY.as_dict(private=False))),
        )
