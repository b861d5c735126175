"""Corrections, commitments, facts and scopes over MCP, in both eras, on the real stack."""

from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest

from tests.contract.mcp.stack import Wire
from tests.integration.core.writing import rows
from tests.people import Person, a_person
from threengram.core.call import Call, Core, open_call
from threengram.core.ids import new_id
from threengram.core.scopes.queries import INSERT_SCOPE
from threengram.gateway.dispatch import Dispatcher
from threengram.gateway.tools.remember import REMEMBER
from threengram.schema.enums import OAuthScope
from threengram.schema.memories import RememberInput, RememberOutput

ERAS = pytest.mark.parametrize("era", ["modern", "2025-06-18"])


async def call(real: Wire, era: str, person: Person, tool: str, **arguments: Any) -> dict[str, Any]:
    response = await real.call(era, tool, arguments, token=person.token)
    result: dict[str, Any] = response.json()["result"]
    return result


async def done(real: Wire, era: str, person: Person, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await call(real, era, person, tool, **arguments)
    assert result["isError"] is False, result
    content: dict[str, Any] = result["structuredContent"]
    return content


@ERAS
async def test_a_revised_memory_ranks_below_its_successor_and_stays_readable(
    real: Wire, alice: Person, era: str
) -> None:
    first = await done(
        real, era, alice, "remember", memoryType="decision", topic="Cache", content="We cache sessions in Redis.",
        facts=[{"subject": "cache", "predicate": "ttl.s", "value": "60"}],
    )  # fmt: skip
    old = first["memory"]["id"]
    revised = await done(
        real, era, alice, "revise", predecessorId=old, memoryType="decision", topic="Cache",
        content="We cache sessions in Valkey.", facts=[{"subject": "cache", "predicate": "ttl.s", "value": "90"}],
    )  # fmt: skip
    found = await done(real, era, alice, "search", query="where do we cache sessions")
    assert [(hit["id"], hit["superseded"]) for hit in found["hits"]] == [(revised["memory"]["id"], False), (old, True)]
    read = await done(real, era, alice, "get_memories", ids=[old])
    assert read["memories"][0]["supersededBy"]["id"] == revised["memory"]["id"]
    now = await done(real, era, alice, "get_facts", subject="cache", predicate="ttl.s")
    series = await done(real, era, alice, "get_facts", subject="cache", range={"from": "2020-01-01T00:00:00Z"})
    assert [fact["value"] for fact in now["facts"]] == ["90"]
    assert [fact["value"] for fact in series["facts"]] == ["60", "90"]


@ERAS
async def test_a_blocker_is_resolved_once_and_for_all_until_it_is_reopened(real: Wire, alice: Person, era: str) -> None:
    blocker = await done(real, era, alice, "remember", memoryType="blocker", topic="Lab", content="No key to the lab.")
    memory_id = blocker["memory"]["id"]
    for status in ("resolved", "resolved", "open"):
        moved = await done(real, era, alice, "resolve", memoryId=memory_id, status=status)
        assert (moved["kind"], moved["memoryId"], moved["status"]) == ("blocker", memory_id, status)
        assert "commitmentId" not in moved


@ERAS
async def test_a_scope_answers_to_its_old_name_after_a_rename(real: Wire, alice: Person, era: str) -> None:
    await done(real, era, alice, "remember", memoryType="note", topic="Plan", content="Paint it blue.", scope="work")
    renamed = await done(real, era, alice, "configure_scope", action="rename", name="work", newName="job")
    assert renamed["scope"]["aliases"] == ["work"]
    for name in ("work", "job"):
        found = await done(real, era, alice, "search", query="paint", scope=name)
        assert [hit["scope"] for hit in found["hits"]] == ["job"]


@ERAS
async def test_a_required_scope_is_asked_for_and_the_default_is_echoed(real: Wire, alice: Person, era: str) -> None:
    await done(real, era, alice, "configure_scope", action="set_retrieval_default", mode="require")
    refused = await call(real, era, alice, "search", query="anything")
    assert refused["_meta"]["code"] == "unscoped_retrieval"
    assert "personal" in refused["content"][0]["text"]
    await done(real, era, alice, "configure_scope", action="set_retrieval_default", mode="default", scope="work")
    assert (await done(real, era, alice, "search", query="anything"))["appliedScope"] == "work"


@ERAS
async def test_a_reader_lists_scopes_and_changes_none(real: Wire, core: Core, era: str) -> None:
    reader = await a_person(core.database, scopes=(OAuthScope.MEMORY_READ,), now=core.clock())
    writer = await a_person(core.database, scopes=(OAuthScope.MEMORY_WRITE,), now=core.clock())
    assert (await done(real, era, reader, "configure_scope", action="list"))["count"] == 2
    refused = await call(real, era, reader, "configure_scope", action="delete", name="work")
    assert refused["_meta"]["code"] == "insufficient_scope"
    assert (await done(real, era, writer, "configure_scope", action="create", name="garden"))["action"] == "upserted"
    refused = await call(real, era, writer, "configure_scope", action="list")
    assert refused["_meta"]["code"] == "insufficient_scope"


@ERAS
async def test_a_reader_sees_proposals_and_decides_none(real: Wire, core: Core, era: str) -> None:
    reader = await a_person(core.database, scopes=(OAuthScope.MEMORY_READ,), now=core.clock())
    writer = await a_person(core.database, scopes=(OAuthScope.MEMORY_WRITE,), now=core.clock())
    listed = await done(real, era, reader, "review_proposals", action="list")
    assert (listed["count"], listed["hasMore"], "factProposals" in listed) == (0, False, False)
    unknown = {"proposalId": "0190d3a8-7c2e-7000-8000-000000000000"}
    refused = await call(real, era, reader, "review_proposals", action="accept", **unknown)
    assert refused["_meta"]["code"] == "insufficient_scope"
    assert (await call(real, era, writer, "review_proposals", action="reject", **unknown))["_meta"][
        "code"
    ] == "not_found"
    assert (await call(real, era, writer, "review_proposals", action="list"))["_meta"]["code"] == "insufficient_scope"


async def test_what_an_answer_cannot_tell_has_not_happened(core: Core, alice: Person) -> None:
    async def create_half(call: Call, _request: RememberInput) -> RememberOutput:
        _, tx = await call.admitted()
        scope = {"id": new_id(), "name": "half", "aliases": [], "created_at": call.now}
        await tx.fetch(INSERT_SCOPE, scope)
        return cast(RememberOutput, {"memory": "of the wrong shape"})

    dispatcher = Dispatcher([replace(REMEMBER, handler=create_half)], partial(open_call, core), timeout_s=14)
    arguments = {"memoryType": "note", "topic": "t", "content": "c"}
    answer = await dispatcher.call_tool(alice.principal, "remember", arguments)
    assert answer.failure is not None
    assert answer.failure.meta["code"] == "invalid_output"
    assert await rows(core, alice, "SELECT id FROM scopes WHERE name = 'half'") == []


async def test_the_scope_of_a_tool_is_checked_at_its_call_too(core: Core, alice: Person) -> None:
    reader = replace(alice.principal, scopes=frozenset({OAuthScope.MEMORY_READ}))
    dispatcher = Dispatcher([REMEMBER], partial(open_call, core), timeout_s=14)
    answer = await dispatcher.call_tool(reader, "remember", {"memoryType": "note", "topic": "t", "content": "c"})
    assert answer.failure is not None
    assert answer.failure.meta["code"] == "insufficient_scope"
    assert await rows(core, alice, "SELECT id FROM memories") == []
