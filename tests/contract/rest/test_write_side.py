"""Corrections, archive, facts and scopes over REST."""

from tests.contract.rest.stack import Rest

NOTE = {"memoryType": "note", "topic": "Paint", "content": "The shed is green."}


async def test_a_revision_names_its_predecessor_in_the_path(rest: Rest) -> None:
    old = (await rest.post("/memories", NOTE)).json()["memory"]["id"]
    answer = await rest.post(f"/memories/{old}/revise", {**NOTE, "content": "The shed is blue."})
    assert (answer.status_code, answer.json()["predecessorId"]) == (201, old)
    twice = await rest.post(f"/memories/{old}/revise", {**NOTE, "content": "The shed is red."})
    assert (twice.status_code, twice.json()["error"]) == (409, "conflict")


async def test_what_the_path_names_is_unknown_in_the_body(rest: Rest) -> None:
    old = (await rest.post("/memories", NOTE)).json()["memory"]["id"]
    answer = await rest.post(f"/memories/{old}/revise", {**NOTE, "predecessorId": old})
    body = answer.json()
    assert (answer.status_code, body["error"], body["field"]) == (400, "invalid_input", "predecessorId")


async def test_an_archived_memory_leaves_the_default_search_until_it_is_brought_back(rest: Rest) -> None:
    memory_id = (await rest.post("/memories", NOTE)).json()["memory"]["id"]

    async def found() -> int:
        return int((await rest.post("/search", {"query": "green shed"})).json()["count"])

    archived = await rest.post(f"/memories/{memory_id}/archive")
    assert (archived.status_code, archived.json()["status"], await found()) == (200, "archived", 0)
    restored = await rest.post(f"/memories/{memory_id}/unarchive", {})
    assert (restored.status_code, restored.json()["status"], await found()) == (200, "active", 1)


async def test_a_commitment_is_resolved_by_its_memory(rest: Rest) -> None:
    promise = {**NOTE, "memoryType": "commitment", "content": "Call the bank.", "dueAt": "2026-03-09T09:00:00Z"}
    memory_id = (await rest.post("/memories", promise)).json()["memory"]["id"]
    answer = await rest.post(f"/memories/{memory_id}/resolve", {"status": "resolved"})
    assert (answer.status_code, answer.json()["kind"], answer.json()["status"]) == (200, "commitment", "resolved")
    illegal = await rest.post(f"/memories/{memory_id}/resolve", {"status": "waiting"})
    assert (illegal.status_code, illegal.json()["error"]) == (409, "invalid_transition")


async def test_facts_are_read_as_a_series(rest: Rest) -> None:
    fact = {"subject": "shed", "predicate": "length.m"}
    for value, since in (("3", "2026-01-01T00:00:00Z"), ("4", "2026-02-01T00:00:00Z")):
        written = {**NOTE, "content": f"It is {value} m long.", "facts": [{**fact, "value": value, "validFrom": since}]}
        assert (await rest.post("/memories", written)).status_code == 201
    series = (await rest.post("/facts/get", {**fact, "range": {"from": "2026-01-01T00:00:00Z"}})).json()
    generations = [(item["value"], item["validTo"]) for item in series["facts"]]
    assert generations == [("3", "2026-02-01T00:00:00Z"), ("4", None)]


async def test_scopes_are_listed_and_configured(rest: Rest) -> None:
    created = await rest.post("/scopes", {"action": "create", "name": "garden", "aliases": ["yard"]})
    assert (created.status_code, created.json()["action"]) == (200, "upserted")
    listed = (await rest.get("/scopes")).json()
    assert [scope["name"] for scope in listed["scopes"]] == ["garden", "personal", "work"]
