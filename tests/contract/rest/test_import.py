"""An import over REST: what it answers, and how it ends early."""

import orjson
import pytest

from tests.contract.rest.stack import Rest, a_key, api_of, requests_to
from tests.integration.core.importing import a_memory, an_export, lines
from tests.people import Person
from threengram.api.imports import ImportLimits
from threengram.core.call import Core
from threengram.core.ids import new_id
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import OAuthScope

NDJSON = {"content-type": "application/x-ndjson"}
ACCOUNT = (OAuthScope.MEMORY_READ, OAuthScope.ACCOUNT)


@pytest.fixture
async def owner(core: Core, rest: Rest, alice: Person) -> Rest:
    return rest.with_key(await a_key(core, alice, ACCOUNT))


async def test_an_account_goes_from_one_caller_to_another_and_says_so(
    core: Core, rest: Rest, owner: Rest, bob: Person
) -> None:
    await rest.post("/memories", {"memoryType": "note", "topic": "t", "content": "taken along"})
    content = (await owner.get("/export")).content
    other = rest.with_key(await a_key(core, bob, ACCOUNT))
    foreseen = await other.post("/import?dryRun=true", content=content, headers=NDJSON)
    assert (foreseen.status_code, (await other.get("/memories")).json()["memories"]) == (200, [])
    done = await other.post("/import", content=content, headers=NDJSON)
    assert {**done.json(), "dryRun": True} == foreseen.json()
    assert done.json()["isComplete"]
    assert [memory["topic"] for memory in (await other.get("/memories")).json()["memories"]] == ["t"]
    again = (await other.post("/import", content=content, headers=NDJSON)).json()
    assert {count["record"]: (count["imported"], count["unchanged"]) for count in again["counts"]}["memory"] == (0, 1)


async def test_a_refusal_names_the_line_the_field_and_the_code(owner: Rest) -> None:
    content = lines(an_export(a_memory(id=str(new_id())), a_memory(id=str(new_id()), topic="")))
    answer = await owner.post("/import", content=content, headers=NDJSON)
    body = answer.json()
    assert (answer.status_code, body["error"], body["line"], body["field"]) == (400, "invalid_input", 3, "topic")
    assert body["issues"][0]["code"] == "string_too_short"
    assert len((await owner.get("/memories")).json()["memories"]) == 1


async def test_a_body_beyond_the_bound_is_refused_and_another_kind_as_well(
    core: Core, limiter: RateLimiter, alice: Person
) -> None:
    content = lines(an_export(*(a_memory(id=str(new_id()), content=str(number)) for number in range(200))))
    limits = ImportLimits(max_body_bytes=len(content) - 1)
    app = api_of(core, limiter, import_limits=limits)
    async with requests_to(app, await a_key(core, alice, ACCOUNT)) as caller:
        too_large = await caller.post("/import", content=content, headers=NDJSON)
        assert (too_large.status_code, too_large.json()["error"]) == (413, "payload_too_large")
        for headers in ({"content-type": "application/json"}, {**NDJSON, "content-encoding": "gzip"}):
            refused = await caller.post("/import", content=content, headers=headers)
            assert (refused.status_code, refused.json()["error"]) == (415, "unsupported_media_type")


async def test_writing_memories_is_not_enough_to_bring_an_account_in(core: Core, rest: Rest, alice: Person) -> None:
    answer = await rest.post("/import", content=orjson.dumps({"record": "export"}), headers=NDJSON)
    assert (answer.status_code, answer.json()["error"]) == (403, "insufficient_scope")


async def test_a_process_takes_no_more_imports_than_it_has_places(
    core: Core, limiter: RateLimiter, alice: Person
) -> None:
    app = api_of(core, limiter, import_limits=ImportLimits(max_at_once=0))
    async with requests_to(app, await a_key(core, alice, ACCOUNT)) as caller:
        answer = await caller.post("/import", content=lines(an_export()), headers=NDJSON)
    assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
