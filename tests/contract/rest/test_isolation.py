"""What one tenant's key opens is that tenant's memory, on every route."""

from typing import Any

from tests.contract.rest.stack import Rest

SECRET = "The launch code is kept in the blue safe"
NOTE = {"memoryType": "note", "topic": "Launch", "content": SECRET, "scope": "work", "project": "apollo", "tags": ["t"],
        "facts": [{"subject": "safe", "predicate": "colour", "value": "blue"}]}  # fmt: skip


async def test_another_tenants_key_sees_nothing_on_any_route(rest: Rest, bobs: Rest) -> None:
    memory_id = (await rest.post("/memories", NOTE)).json()["memory"]["id"]
    walk = (await rest.post("/search", {"project": "apollo", "order": "chronological", "limit": 1})).json()
    assert walk["count"] == 1

    answers: list[Any] = [
        (await bobs.get(f"/memories/{memory_id}")).json(),
        (await bobs.post("/memories/get", {"ids": [memory_id]})).json(),
        (await bobs.post("/search", {"query": "launch code blue safe"})).json(),
        (await bobs.post("/search", {"query": "launch", "project": "apollo", "order": "chronological"})).json(),
        (await bobs.post("/search", {"query": "launch", "asOf": {"validAt": "2026-03-02T10:00:00Z"}})).json(),
        (await bobs.get("/environment")).json(),
    ]

    missing, several, by_meaning, by_time, as_of, environment = answers
    assert missing["error"] == "not_found"
    assert (several["memories"], several["notFound"]) == ([], [memory_id])
    assert [found["hits"] for found in (by_meaning, by_time, as_of)] == [[], [], []]
    assert environment["stats"]["activeMemories"] == 0
    assert not any("blue" in str(answer) for answer in answers)


async def test_the_same_content_is_no_duplicate_in_another_tenant(rest: Rest, bobs: Rest) -> None:
    assert [(await caller.post("/memories", NOTE)).status_code for caller in (rest, bobs, rest)] == [201, 201, 409]


async def test_a_cursor_leads_nowhere_for_somebody_else(rest: Rest, bobs: Rest) -> None:
    for number in range(3):
        for caller in (rest, bobs):
            await caller.post("/memories", {**NOTE, "content": f"{SECRET} {number}", "facts": []})
    for order in ("relevance", "chronological"):
        question = {"query": "launch code", "order": order, "limit": 1}
        cursor = (await rest.post("/search", question)).json()["nextCursor"]
        own = await rest.post("/search", {**question, "cursor": cursor})
        stolen = await bobs.post("/search", {**question, "cursor": cursor})

        assert own.json()["count"] == 1
        assert (stolen.status_code, stolen.json()["error"]) == (400, "invalid_cursor")
