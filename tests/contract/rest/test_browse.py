"""What a page of a browser asks for, over REST."""

from uuid import UUID

from tests.contract.rest.stack import Rest
from tests.integration.core.proposing import propose_edge
from tests.people import Person
from threengram.core.call import Core
from threengram.schema.bounds import MAX_EXCERPT_CHARS

NOTE = {"memoryType": "note", "topic": "Shed"}


async def kept(rest: Rest, content: str, **more: object) -> str:
    written = await rest.post("/memories", {**NOTE, "content": content, **more})
    assert written.status_code == 201, written.text
    memory_id: str = written.json()["memory"]["id"]
    return memory_id


async def test_names_in_use_are_no_memory_called_facets(rest: Rest, bobs: Rest) -> None:
    await kept(rest, "one", project="atlas", scope="work")
    await kept(rest, "two", project="atlas")
    response = await rest.get("/memories/facets")
    facets = response.json()
    assert (response.status_code, facets["scopes"], facets["projects"]) == (200, ["personal", "work"], ["atlas"])
    assert (await bobs.get("/memories/facets")).json()["projects"] == []


async def test_a_list_takes_several_projects_and_is_walked_by_cursor(rest: Rest) -> None:
    ids = [await kept(rest, name, project=name) for name in ("atlas", "borealis", "castor")]
    asked = "/memories?project=atlas&project=castor&limit=1"
    first = (await rest.get(asked)).json()
    second = (await rest.get(f"{asked}&cursor={first['nextCursor']}")).json()
    assert [memory["id"] for page in (first, second) for memory in page["memories"]] == [ids[2], ids[0]]
    assert (first["hasMore"], second["hasMore"]) == (True, False)


async def test_a_list_has_excerpts_where_they_are_asked_for(rest: Rest) -> None:
    await kept(rest, "short")
    long = await kept(rest, "long " * 300)
    plain = (await rest.get("/memories?limit=1")).json()
    assert {"content", "contentLength", "truncated"}.isdisjoint(plain["memories"][0])
    full = (await rest.get(f"/memories?limit=1&projection=full&cursor={plain['nextCursor']}")).json()["memories"]
    assert [full[0][name] for name in ("content", "contentLength", "truncated")] == ["short", 5, False]
    (cut, _) = (await rest.get("/memories?projection=full")).json()["memories"]
    assert (cut["id"], cut["contentLength"], cut["truncated"]) == (long, 1499, True)
    assert (len(cut["content"]), cut["content"][-1]) == (MAX_EXCERPT_CHARS, "…")


async def test_a_memory_its_history_and_the_counts_are_read(rest: Rest) -> None:
    old = await kept(rest, "The shed is green.")
    revised = await rest.post(f"/memories/{old}/revise", {**NOTE, "content": "The shed is blue."})
    new = revised.json()["memory"]["id"]
    assert (await rest.get(f"/memories/{old}")).json()["content"] == "The shed is green."
    history = (await rest.get(f"/memories/{old}/history")).json()
    assert [edge["fromId"] for edge in history["lineage"]["edges"]] == [new]
    assert [event["eventKind"] for event in history["auditEvents"]] == ["supersede", "create"]
    assert (await rest.get("/stats")).json()["activeMemories"] == 1


async def test_an_accepted_edge_is_taken_back(core: Core, rest: Rest, alice: Person) -> None:
    older, newer = await kept(rest, "older"), await kept(rest, "newer")
    proposal_id = await propose_edge(core, alice, UUID(newer), UUID(older))
    accepted = await rest.post("/proposals", {"action": "accept", "proposalId": str(proposal_id)})
    undone = await rest.post(f"/proposals/{proposal_id}/undo")
    again = await rest.post(f"/proposals/{proposal_id}/undo")
    assert (accepted.status_code, undone.status_code, again.status_code) == (200, 200, 404)
    assert {name: undone.json()["proposal"][name] for name in ("status", "reason")} == {
        "status": "rejected",
        "reason": "undone",
    }
    assert (await rest.get(f"/memories/{older}")).json()["validTo"] is None
