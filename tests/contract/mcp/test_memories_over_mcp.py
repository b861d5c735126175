"""The four tools and the resource on real PostgreSQL and Valkey, behind verified tokens."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest

from tests.contract.mcp.stack import Wire
from tests.people import Person, a_person, revoke_token
from threengram.core.call import Core
from threengram.gateway.tools import TOOLS
from threengram.schema.enums import OAuthScope

DECISION = {
    "memoryType": "decision",
    "topic": "Queue of the importer",
    "content": "We use PostgreSQL rows as the queue, because a lost broker must lose nothing. Größe: 漢字.",
    "project": "importer",
    "tags": ["queue"],
    "facts": [{"subject": "importer.queue", "predicate": "depth.rows", "value": "12"}],
}
ERAS = pytest.mark.parametrize("era", ["modern", "2025-06-18"])


async def _result(real: Wire, era: str, person: Person, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    response = await real.call(era, tool, arguments, token=person.token)
    result: dict[str, Any] = response.json()["result"]
    return result


async def _structured(real: Wire, era: str, person: Person, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await _result(real, era, person, tool, arguments)
    assert result["isError"] is False, result
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    structured: dict[str, Any] = result["structuredContent"]
    return structured


@ERAS
async def test_what_is_remembered_is_found_and_read(real: Wire, alice: Person, era: str) -> None:
    written = await _structured(real, era, alice, "remember", DECISION)
    found = await _structured(real, era, alice, "search", {"query": "which queue does the importer use?"})
    read = await _structured(real, era, alice, "get_memories", {"ids": [written["memory"]["id"]]})

    assert written["memory"]["scope"] == "personal"
    assert len(written["factIds"]) == 1
    assert [hit["id"] for hit in found["hits"]] == [written["memory"]["id"]]
    assert read["memories"][0]["content"] == DECISION["content"]


@ERAS
async def test_a_memory_is_a_resource(real: Wire, alice: Person, era: str) -> None:
    written = await _structured(real, era, alice, "remember", DECISION)
    uri = f"threengram://memory/{written['memory']['id']}"
    request = real.modern if era == "modern" else real.legacy
    content = (await request("resources/read", {"uri": uri}, token=alice.token)).json()["result"]["contents"][0]

    body = json.loads(content["text"])
    assert set(body) == {"id", "memoryType", "topic", "content", "contentLength", "project", "recordedAt"}
    assert body["content"] == DECISION["content"]


async def test_a_foreign_memory_answers_as_an_unknown_one(real: Wire, alice: Person, bob: Person) -> None:
    written = await _structured(real, "modern", alice, "remember", DECISION)
    memory_id, unknown = written["memory"]["id"], str(uuid4())

    read = await _structured(real, "modern", bob, "get_memories", {"ids": [memory_id, unknown]})
    found = await _structured(real, "modern", bob, "search", {"query": "queue importer"})
    answers = [
        (await real.modern("resources/read", {"uri": f"threengram://memory/{asked}"}, token=bob.token)).json()["error"]
        for asked in (memory_id, unknown)
    ]

    assert (read["memories"], read["notFound"]) == ([], [memory_id, unknown])
    assert found["hits"] == []
    assert [(answer["code"], answer["message"]) for answer in answers] == [(-32602, "Resource not found")] * 2


async def test_the_environment_names_the_tools_that_are_published(real: Wire, alice: Person) -> None:
    described = await _structured(real, "modern", alice, "describe_environment", {})
    listed = (await real.modern("tools/list", token=alice.token)).json()["result"]["tools"]

    assert described["capabilities"]["tools"] == [tool["name"] for tool in listed] == [tool.name for tool in TOOLS]
    assert described["capabilities"]["toolCount"] == len(TOOLS)


async def test_a_duplicate_names_the_memory_that_is_there(real: Wire, alice: Person) -> None:
    written = await _structured(real, "modern", alice, "remember", DECISION)
    refused = await _result(real, "modern", alice, "remember", DECISION)

    assert refused["isError"] is True
    assert refused["_meta"]["code"] == "duplicate_memory"
    assert refused["_meta"]["id"] == written["memory"]["id"]


@pytest.mark.parametrize("text", ["\x00", "a\x00b"])
async def test_a_nul_character_is_refused_by_path(real: Wire, alice: Person, text: str) -> None:
    refused = await _result(real, "modern", alice, "remember", {**DECISION, "topic": text})

    assert refused["_meta"]["issues"] == [
        {"path": "topic", "code": "text_nul", "message": "Text must not contain the NUL character"}
    ]


async def test_a_cursor_of_another_query_is_refused(real: Wire, alice: Person) -> None:
    refused = await _result(real, "modern", alice, "search", {"query": "queue", "cursor": "forged"})

    assert (refused["_meta"]["code"], refused["_meta"]["field"]) == ("invalid_cursor", "cursor")


async def test_a_token_of_another_key_or_audience_is_invalid(real: Wire, alice: Person) -> None:
    tampered = alice.token[:-4] + ("AAAA" if not alice.token.endswith("AAAA") else "BBBB")

    assert (await real.legacy("ping", token=tampered)).status_code == 401


async def test_a_withdrawn_token_opens_nothing_any_more(real: Wire, core: Core, alice: Person) -> None:
    assert (await real.modern("tools/list", token=alice.token)).status_code == 200
    await revoke_token(core.database, alice, now=core.clock())

    answers = [
        await real.modern("tools/list", token=alice.token),
        await real.legacy("ping", token=alice.token),
        await real.call("modern", "search", {"query": "x"}, token=alice.token),
        await real.call("2025-06-18", "remember", DECISION, token=alice.token),
    ]

    assert [answer.status_code for answer in answers] == [401] * 4
    assert all('error="invalid_token"' in answer.headers["www-authenticate"] for answer in answers)


async def test_a_reader_may_not_write(real: Wire, core: Core) -> None:
    reader = await a_person(core.database, scopes=(OAuthScope.MEMORY_READ,), now=core.clock())

    assert (await real.call("modern", "remember", DECISION, token=reader.token)).status_code == 403
    assert (await real.call("modern", "search", {"query": "x"}, token=reader.token)).status_code == 200


async def test_two_people_at_once_see_only_their_own(real: Wire, alice: Person, bob: Person) -> None:
    people = {"alice": alice, "bob": bob}

    async def write_and_search(number: int, name: str) -> None:
        content = f"{name} keeps note number {number}"
        arguments = {"memoryType": "note", "topic": f"Note {number}", "content": content}
        await _structured(real, "modern", people[name], "remember", arguments)
        found = await _structured(real, "2025-06-18", people[name], "search", {"query": content, "limit": 25})
        assert all(hit["content"].startswith(name) for hit in found["hits"])
        assert content in [hit["content"] for hit in found["hits"]]

    await asyncio.gather(*(write_and_search(number, "alice" if number % 2 else "bob") for number in range(20)))
