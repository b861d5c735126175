"""Memories over REST: written, found, read, described."""

from uuid import uuid4

from tests.contract.rest.stack import Rest
from threengram.gateway.tools import TOOLS

DECISION = {
    "memoryType": "decision",
    "topic": "Queue of the importer",
    "content": "We use PostgreSQL rows as the queue, because a lost broker must lose nothing.",
    "project": "importer",
    "tags": ["queue"],
    "facts": [{"subject": "importer.queue", "predicate": "depth.rows", "value": "12"}],
}


async def test_what_is_remembered_is_found_and_read(rest: Rest) -> None:
    written = await rest.post("/memories", DECISION)
    memory_id = written.json()["memory"]["id"]
    found = await rest.post("/search", {"query": "which queue does the importer use?"})
    one = await rest.get(f"/memories/{memory_id}")
    several = await rest.post("/memories/get", {"ids": [memory_id, str(uuid4())]})

    assert written.status_code == 201
    assert written.headers["content-type"] == "application/json"
    assert written.headers["cache-control"] == "no-store"
    assert written.json()["embedded"] == "done"
    assert [hit["id"] for hit in found.json()["hits"]] == [memory_id]
    assert one.json()["content"] == DECISION["content"]
    assert several.json()["memories"] == [one.json()]
    assert len(several.json()["notFound"]) == 1


async def test_a_key_is_also_a_bearer_token(rest: Rest) -> None:
    headers = {"authorization": f"Bearer {rest.key}"}
    assert (await rest.with_key(None).get("/environment", headers=headers)).status_code == 200


async def test_a_duplicate_names_the_memory_in_the_way(rest: Rest) -> None:
    first = await rest.post("/memories", DECISION)
    second = await rest.post("/memories", {**DECISION, "topic": "another topic"})

    assert second.status_code == 409
    assert second.json()["error"] == "duplicate_memory"
    assert second.json()["id"] == first.json()["memory"]["id"]
    assert second.json()["retryable"] is False


async def test_the_environment_names_the_verbs_and_counts(rest: Rest) -> None:
    await rest.post("/memories", DECISION)
    described = (await rest.get("/environment")).json()

    assert described["stats"]["activeMemories"] == 1
    assert described["capabilities"]["tools"] == [tool.name for tool in TOOLS]
    assert described["capabilities"]["version"] == (await rest.get("/version")).json()["version"]


async def test_a_head_request_answers_as_a_get_does(rest: Rest) -> None:
    response = await rest.send("HEAD", "/environment")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")


async def test_a_malformed_an_unknown_and_a_foreign_id_name_nothing(rest: Rest, bobs: Rest) -> None:
    theirs = (await bobs.post("/memories", DECISION)).json()["memory"]["id"]
    answers = [await rest.get(f"/memories/{asked}") for asked in (theirs, str(uuid4()), "not-an-id", "%00", "{id}")]

    assert {answer.status_code for answer in answers} == {404}
    assert {(answer.json()["error"], answer.json()["detail"]) for answer in answers} == {
        ("not_found", "no such memory")
    }
    assert "not-an-id" not in answers[2].text
