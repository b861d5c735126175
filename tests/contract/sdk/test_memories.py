"""The SDK and the API together: what goes wrong there is the right error here, and pages follow each other."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import UUID

import httpx2
import pytest

from tests.contract.mcp.stack import started
from tests.contract.rest.stack import BASE_URL, a_key, api_of
from tests.integration.core.proposing import propose_edge
from tests.people import Person
from threengram.api.gates import Limits
from threengram.core.call import Call, Core
from threengram.core.principal import Principal
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import OAuthScope
from threengram.sdk import (
    NO_RETRIES,
    ApiError,
    AsOf,
    AsyncThreengram,
    CommitmentStatus,
    DeadlineExceeded,
    DuplicateMemory,
    InsufficientScope,
    InvalidCursor,
    InvalidInput,
    InvalidTransition,
    MemoryType,
    NotFound,
    RateLimited,
    RetrievalMode,
    Threengram,
    TimedOut,
    Unauthenticated,
    UnscopedRetrieval,
)
from threengram.sdk.operation import Operation

NOTE = MemoryType.NOTE
NOBODY = UUID("0190d3a8-7c2e-7000-8000-000000000000")


async def kept(memory: AsyncThreengram, content: str, memory_type: MemoryType = NOTE) -> UUID:
    return (await memory.remember(memory_type=memory_type, topic="Shed", content=content)).memory.id


async def test_a_duplicate_names_the_memory_in_the_way(memory: AsyncThreengram) -> None:
    first = await kept(memory, "The shed is green.")
    with pytest.raises(DuplicateMemory) as raised:
        await kept(memory, "The shed is green.")
    assert (raised.value.status, raised.value.id, raised.value.retryable) == (409, str(first), False)


async def test_each_refusal_of_the_api_is_an_error_of_its_kind(memory: AsyncThreengram) -> None:
    with pytest.raises(NotFound):
        await memory.get_memory(id=NOBODY)
    with pytest.raises(InvalidCursor) as raised:
        await memory.search(query="q", cursor="bent")
    assert (raised.value.status, raised.value.field) == (400, "cursor")
    note = await kept(memory, "No commitment at all.")
    with pytest.raises(NotFound, match="no such commitment or blocker"):
        await memory.resolve(memory_id=note, status=CommitmentStatus.RESOLVED)
    promise = await kept(memory, "I will.", MemoryType.COMMITMENT)
    await memory.resolve(memory_id=promise, status=CommitmentStatus.RESOLVED)
    with pytest.raises(InvalidTransition) as moved:
        await memory.resolve(memory_id=promise, status=CommitmentStatus.EXPIRED)
    assert moved.value.field == "status"
    await memory.set_retrieval_default(mode=RetrievalMode.REQUIRE)
    with pytest.raises(UnscopedRetrieval) as unscoped:
        await memory.search(query="q")
    assert "personal" in unscoped.value.detail


async def test_a_credential_that_opens_nothing_or_too_little_is_told_apart(
    core: Core, transport: httpx2.AsyncBaseTransport, alice: Person
) -> None:
    reader = AsyncThreengram(BASE_URL, api_key=await a_key(core, alice, [OAuthScope.MEMORY_READ]), transport=transport)
    assert (await reader.stats()).active_memories == 0
    with pytest.raises(InsufficientScope, match="memory:write"):
        await kept(reader, "not allowed")
    stranger = AsyncThreengram(BASE_URL, token="3ng_nobody", transport=transport)
    with pytest.raises(Unauthenticated):
        await stranger.stats()


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (AsyncThreengram.search, {"query": "q", "limit": 99, "memoryType": "notion"}),
        (AsyncThreengram.remember, {"memoryType": "note", "topic": "", "content": "x" * 3_000}),
        (AsyncThreengram.list_memories, {"limit": 0, "colour": "green"}),
        (AsyncThreengram.revise, {"predecessorId": str(NOBODY), "memoryType": "note", "topic": "t"}),
        (AsyncThreengram.get_facts, {"range": {"from": "yesterday"}}),
        (AsyncThreengram.create_scope, {"name": "No Name"}),
    ],
)
async def test_arguments_are_refused_here_with_the_words_that_the_api_has_for_them(
    core: Core, transport: httpx2.AsyncBaseTransport, alice: Person, operation: Operation[..., object],
    arguments: dict[str, object],
) -> None:  # fmt: skip
    with pytest.raises(InvalidInput) as here:
        operation.request(**arguments)
    path = operation.path.format(predecessorId=NOBODY)
    sent = {name: value for name, value in arguments.items() if name != "predecessorId"}
    sent |= {"action": "create"} if operation.name == "create_scope" else {}
    async with httpx2.AsyncClient(transport=transport, headers={"x-api-key": await a_key(core, alice)}) as http:
        given: dict[str, Any] = {"params": sent} if operation.method == "GET" else {"json": sent}
        answer = await http.request(operation.method, f"{BASE_URL}/api/v1{path}", **given)
    assert answer.status_code == 400
    there = answer.json()
    assert (here.value.field, here.value.detail) == (there["field"], there["detail"])
    assert [issue.path for issue in here.value.issues] == [issue["path"] for issue in there["issues"]]


async def test_a_walk_reaches_the_end_while_others_write(memory: AsyncThreengram) -> None:
    before = [await kept(memory, f"number {number}") for number in range(7)]
    seen, meanwhile = [], []
    async for listed in memory.iter_memories(limit=2):
        seen.append(listed.id)
        meanwhile.append(await kept(memory, f"written while memory {len(seen)} was looked at"))
    assert seen == before[::-1]
    assert {listed.id async for listed in memory.iter_memories(limit=5)} == {*before, *meanwhile}


async def test_hits_and_facts_are_walked_to_the_end(memory: AsyncThreengram) -> None:
    for number in range(5):
        fact = {"subject": f"shed {number}", "predicate": "height.m", "value": str(number)}
        await memory.remember(memory_type=NOTE, topic="Shed", content=f"Shed {number}", facts=[fact])  # type: ignore[list-item]
    hits = [hit.id async for hit in memory.iter_hits(query="shed", limit=2)]
    assert (len(hits), len(set(hits))) == (5, 5)
    assert {fact.value async for fact in memory.iter_facts(limit=2)} == set("01234")


async def test_the_past_is_asked_for_by_instants(memory: AsyncThreengram) -> None:
    old = await memory.remember(memory_type=NOTE, topic="Shed", content="The shed is green.")
    then = (await memory.get_memory(id=old.memory.id)).recorded_at
    new = await memory.revise(predecessor_id=old.memory.id, memory_type=NOTE, topic="Shed", content="The shed is blue.")
    now = await memory.search(query="shed")
    past = await memory.search(query="shed", as_of=AsOf(as_known_at=then))
    assert now.hits[0].id == new.memory.id
    assert [hit.id for hit in past.hits] == [old.memory.id]


async def test_proposals_are_decided_and_taken_back(core: Core, memory: AsyncThreengram, alice: Person) -> None:
    older, newer = await kept(memory, "older"), await kept(memory, "newer")
    proposal_id = await propose_edge(core, alice, newer, older)
    assert [proposal.id async for proposal in memory.iter_proposals()] == [proposal_id]
    accepted = await memory.accept_proposal(proposal_id=proposal_id)
    assert (accepted.action, accepted.proposal.status) == ("applied", "applied")
    undone = await memory.undo_proposal(proposal_id=proposal_id)
    assert undone.proposal.reason == "undone"


async def test_a_limit_that_is_reached_says_when_to_come_back(core: Core, limiter: RateLimiter, alice: Person) -> None:
    app = api_of(core, limiter, a_minute=1)
    async with started(app):
        transport = httpx2.ASGITransport(app=app)
        memory = AsyncThreengram(BASE_URL, api_key=await a_key(core, alice), transport=transport, retries=NO_RETRIES)
        await memory.version()
        with pytest.raises(RateLimited) as raised:
            await memory.version()
    assert 1 <= (raised.value.retry_after_s or 0) <= 60


@contextlib.asynccontextmanager
async def _slow(_principal: Principal) -> AsyncIterator[Call]:
    await asyncio.Event().wait()
    yield cast(Call, None)


@pytest.mark.parametrize(("server_s", "client_s", "kind"), [(0.02, 20.0, DeadlineExceeded), (20.0, 0.02, TimedOut)])
async def test_whoever_waits_less_ends_the_call(
    core: Core, limiter: RateLimiter, alice: Person, server_s: float, client_s: float, kind: type[ApiError | TimedOut]
) -> None:
    app = api_of(core, limiter, limits=Limits(request_timeout_s=server_s), calls=_slow)
    async with started(app):
        transport = httpx2.ASGITransport(app=app)
        key = await a_key(core, alice)
        memory = AsyncThreengram(BASE_URL, api_key=key, transport=transport, timeout_s=client_s, retries=NO_RETRIES)
        with pytest.raises(kind) as raised:
            await memory.search(query="q")
    assert raised.value.retryable


def test_a_server_that_never_answers_is_not_waited_for_longer_than_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Threengram(url, api_key="k", timeout_s=0.5) as memory, pytest.raises(TimedOut) as raised:
            memory.search(query="q")
    assert raised.value.was_sent
