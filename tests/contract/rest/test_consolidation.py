"""The account's own switch of background comparison, over REST."""

from tests.contract.rest.stack import Rest

OFF = {"enabled": False, "remaining": 1, "waiting": 0, "openEdges": 0, "openFacts": 0}


async def test_consolidation_is_on_until_it_is_switched_off_and_only_for_oneself(rest: Rest, bobs: Rest) -> None:
    await rest.post("/memories", {"memoryType": "note", "topic": "Shed", "content": "The shed is green."})
    assert (await rest.get("/consolidation")).json() == {**OFF, "enabled": True}
    switched = await rest.post("/consolidation", {"enabled": False})
    assert (switched.status_code, switched.json()) == (200, OFF)
    assert (await rest.get("/consolidation")).json() == OFF
    assert (await bobs.get("/consolidation")).json()["enabled"] is True
