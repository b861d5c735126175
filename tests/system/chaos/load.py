"""Parallel callers that write, search and read until told to stop, and remember what was acknowledged."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.system.agent import PATIENCE_S, PAUSE_S, Agent, Refused, eventually
from threengram.schema.bounds import MAX_GET_IDS

LONGEST_S = 300.0
TYPES = ("note", "decision", "fact", "commitment", "blocker")
GAP_S = 0.02
"""Between the calls of one caller, so that a load is bounded and leaves the machine to what is started again."""


@dataclass(frozen=True)
class Written:
    """A memory that its writer may revise."""

    memory_id: str
    memory_type: str


@dataclass
class Load:
    """What a number of callers did, by tenant.

    `acknowledged` maps the id of each acknowledged memory to its content, until its revision is asked for;
    `superseded` maps the predecessor of each acknowledged revision to its successor.
    """

    agents: Sequence[Agent]
    acknowledged: list[dict[str, str]] = field(init=False)
    superseded: list[dict[str, str]] = field(init=False)
    failures: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    last_answer_at: float = 0.0
    _latest: dict[int, Written] = field(default_factory=dict)
    _is_over: bool = False

    def __post_init__(self) -> None:
        self.acknowledged = [{} for _ in self.agents]
        self.superseded = [{} for _ in self.agents]

    @contextlib.asynccontextmanager
    async def running(self, callers: int) -> AsyncIterator[None]:
        """The load, for as long as the block runs."""
        try:
            async with asyncio.timeout(LONGEST_S), asyncio.TaskGroup() as group:
                for caller in range(callers):
                    group.create_task(self._go_on(caller))
                yield
                self._is_over = True
        finally:
            self._is_over = True

    async def answers(self, count: int) -> float:
        """Wait for that many further answers; the time of the first one."""
        before, first = self.answered, 0.0
        until = time.monotonic() + PATIENCE_S
        while self.answered < before + count:
            assert time.monotonic() < until, f"no answers: {self.failures}"
            if not first and self.answered > before:
                first = self.last_answer_at
            await asyncio.sleep(PAUSE_S / 5)
        return first or self.last_answer_at

    async def _go_on(self, caller: int) -> None:
        who = caller % len(self.agents)
        dice = random.Random(caller)
        number = 0
        while not self._is_over:
            number += 1
            try:
                await self._one_call(who, caller, number, dice)
            except (httpx2.HTTPError, Refused) as error:
                self.failures[error.code if isinstance(error, Refused) else type(error).__name__] += 1
                await asyncio.sleep(PAUSE_S)
            else:
                self.answered += 1
                self.last_answer_at = time.monotonic()
                await asyncio.sleep(GAP_S)

    async def _one_call(self, who: int, caller: int, number: int, dice: random.Random) -> None:
        agent, known = self.agents[who], self.acknowledged[who]
        match number % 6:
            case 0 if known:
                await agent.call("search", query="lines of the logbook", limit=3)
            case 1 if known:
                await agent.call("get_memories", ids=[dice.choice(list(known))])
            case 2 if caller in self._latest:
                await self._revise(who, caller, number)
            case _:
                written = await agent.call("remember", **line(caller, number))
                known[written["memory"]["id"]] = line(caller, number)["content"]
                self._latest[caller] = Written(written["memory"]["id"], line(caller, number)["memoryType"])

    async def _revise(self, who: int, caller: int, number: int) -> None:
        """Correct the caller's latest memory. Until that is acknowledged nobody knows which of the two is live."""
        old = self._latest.pop(caller)
        self.acknowledged[who].pop(old.memory_id)
        new = {**line(caller, number), "memoryType": old.memory_type}
        written = await self.agents[who].call("revise", predecessorId=old.memory_id, **new)
        self.superseded[who][old.memory_id] = written["memory"]["id"]
        self.acknowledged[who][written["memory"]["id"]] = new["content"]

    async def require_everything_once(self) -> None:
        """Each acknowledged memory is there once, each revision took effect, and nothing is there twice."""
        for agent, known, superseded in zip(self.agents, self.acknowledged, self.superseded, strict=True):
            listed = await agent.everything()
            contents = Counter(hit["content"] for hit in listed)
            assert known.items() <= {hit["id"]: hit["content"] for hit in listed}.items()
            assert set(contents.values()) == {1}
            assert await successors(agent, list(superseded)) == superseded

    async def require_all_vectors(self) -> None:
        """Nothing waits for a vector any more, in the end."""

        async def nothing_waits() -> bool:
            return not any([await agent.pending() for agent in self.agents])

        await eventually(nothing_waits)


async def successors(agent: Agent, ids: Sequence[str]) -> dict[str, str]:
    """What superseded each of these memories."""
    found: dict[str, str] = {}
    for start in range(0, len(ids), MAX_GET_IDS):
        read = await agent.call("get_memories", ids=ids[start : start + MAX_GET_IDS])
        found |= {memory["id"]: memory["supersededBy"]["id"] for memory in read["memories"]}
    return found


def line(caller: int, number: int) -> dict[str, Any]:
    """A memory that no other caller writes."""
    kind = TYPES[number % len(TYPES)]
    facts = [{"subject": f"caller {caller}", "predicate": "line", "value": str(number)}] if kind == "fact" else []
    content = f"Line {number} of caller {caller} in the logbook."
    return {"memoryType": kind, "topic": f"Logbook {caller}", "content": content, "facts": facts}
