"""Completion of the names of scopes and projects: on a stub for its gates, on PostgreSQL for its values."""

import json
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from mcp_types import PromptReference
from prometheus_client import CollectorRegistry

from tests.contract.mcp.stack import Stack, Wire, served, wire
from tests.contract.mcp.test_official_client import BOTH_MODES, Mode, connected
from tests.people import Person, a_person, revoke_token
from tests.waiting import cut_short
from threengram.core import errors
from threengram.core.browse.facets import Facet, Names
from threengram.core.call import Call, Core
from threengram.gateway import completions
from threengram.gateway.build import Limits
from threengram.runtime.metrics import REGISTRY
from threengram.schema.enums import OAuthScope

ERAS = pytest.mark.parametrize("era", ["modern", "2024-10-07", "2025-06-18"])
EMPTY = {"values": [], "hasMore": False}
MEMORY = {"type": "ref/resource", "uri": "threengram://memory/{id}"}


async def _ask(mcp: Wire, era: str, ref: str | dict[str, str], name: str, value: str = "", token: str = "both") -> Any:
    reference = {"type": "ref/prompt", "name": ref} if isinstance(ref, str) else ref
    params = {"ref": reference, "argument": {"name": name, "value": value}}
    if era == "modern":
        return await mcp.modern("completion/complete", params, token=token)
    return await mcp.legacy("completion/complete", params, version=era, token=token)


async def _completion(mcp: Wire, era: str, ref: str | dict[str, str], name: str, value: str = "", token: str = "both"
                      ) -> Any:  # fmt: skip
    response = await _ask(mcp, era, ref, name, value, token)
    return response.json()["result"]["completion"]


def _counted(outcome: str, registry: CollectorRegistry = REGISTRY) -> float:
    labels = {"method": "completion/complete", "tool": "", "outcome": outcome}
    return registry.get_sample_value("mcp_server_operation_duration_seconds_count", labels) or 0.0


async def _names(call: Call, facet: Facet, prefix: str) -> Names:
    await call.admitted()
    if prefix == "slow":
        await cut_short()
    if prefix == "down":
        raise errors.Unavailable("the database is not available")
    return Names([f"{facet}-{prefix}{number}" for number in range(100)], 140)


@pytest.fixture
async def mcp(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    monkeypatch.setattr(completions, "names_in_use", _names)
    async with wire(stack.app()) as requests:
        yield requests


@ERAS
@pytest.mark.parametrize("prompt", ["briefing", "debrief"])
@pytest.mark.parametrize("name", ["scope", "project"])
async def test_both_prompts_complete_scopes_and_projects(mcp: Wire, era: str, prompt: str, name: str) -> None:
    completion = await _completion(mcp, era, prompt, name, "a")

    assert completion["values"][0] == f"{name}-a0"
    assert (len(completion["values"]), completion["total"], completion["hasMore"]) == (100, 140, True)


@ERAS
@pytest.mark.parametrize("name", ["selector", "mode"])
async def test_an_argument_without_names_of_the_tenant_has_no_completion(mcp: Wire, era: str, name: str) -> None:
    assert await _completion(mcp, era, "briefing", name) == EMPTY


@ERAS
async def test_the_id_of_a_memory_is_not_completed(mcp: Wire, era: str) -> None:
    assert await _completion(mcp, era, MEMORY, "id", "0190") == EMPTY


@ERAS
@pytest.mark.parametrize("value", ["a\x00", "a" * 300])
async def test_what_no_name_begins_with_has_no_completion(mcp: Wire, era: str, value: str) -> None:
    assert await _completion(mcp, era, "debrief", "scope", value) == EMPTY


@ERAS
@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("zzz", "scope"),
        ("debrief", "selector"),
        ("briefing", "ide"),
        ({"type": "ref/resource", "uri": "threengram://other/{id}"}, "id"),
    ],
)
async def test_what_is_not_published_is_refused(mcp: Wire, era: str, ref: Any, name: str) -> None:
    response = await _ask(mcp, era, ref, name)

    assert (response.status_code, response.json()["error"]["code"]) == (200, -32602)


@ERAS
@pytest.mark.parametrize("token", ["writer", "bare"])
async def test_a_token_that_may_not_read_completes_to_nothing(mcp: Wire, era: str, token: str) -> None:
    before = _counted("denied")

    assert await _completion(mcp, era, "debrief", "scope", token=token) == EMPTY
    assert _counted("denied") == before + 1


@ERAS
async def test_a_suspended_account_completes_to_nothing(mcp: Wire, stack: Stack, era: str) -> None:
    stack.suspend("both")

    assert await _completion(mcp, era, "debrief", "scope") == EMPTY


@ERAS
async def test_a_database_that_is_down_completes_to_nothing(mcp: Wire, era: str) -> None:
    before = _counted("unavailable")

    assert await _completion(mcp, era, "debrief", "project", "down") == EMPTY
    assert _counted("unavailable") == before + 1


async def test_names_that_come_too_late_complete_to_nothing(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions, "names_in_use", _names)
    stack.limits = Limits(request_timeout_s=0.05)
    before = _counted("timeout")
    async with wire(stack.app()) as mcp:
        assert await _completion(mcp, "modern", "debrief", "project", "slow") == EMPTY

    assert _counted("timeout") == before + 1


async def test_nothing_looks_the_same_whether_it_was_found_or_denied(mcp: Wire) -> None:
    found = (await _ask(mcp, "modern", "briefing", "mode")).json()["result"]
    denied = (await _ask(mcp, "modern", "briefing", "scope", token="bare")).json()["result"]

    assert found == denied
    assert found["resultType"] == "complete"


@ERAS
@pytest.mark.parametrize(("ref", "name"), [("debrief", "scope"), ("briefing", "mode"), (MEMORY, "id"), ("zzz", "x")])
async def test_a_withdrawn_token_is_refused_rather_than_answered(
    mcp: Wire, stack: Stack, era: str, ref: Any, name: str
) -> None:
    stack.revoke("both")

    assert (await _ask(mcp, era, ref, name)).status_code == 401


async def test_completions_count_against_the_rate_limit(stack: Stack) -> None:
    stack.limits = Limits(calls_per_minute=2)
    async with wire(stack.app()) as mcp:
        statuses = [(await _ask(mcp, "modern", "briefing", "mode")).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]


@BOTH_MODES
async def test_the_official_client_completes(stack: Stack, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions, "names_in_use", _names)
    async with served(stack.app()) as url, connected(url, mode) as client:
        result = await client.complete(PromptReference(name="debrief"), {"name": "scope", "value": "w"})

    assert result.completion.values[0] == "scope-w0"
    assert result.completion.total == 140


async def _write(real: Wire, person: Person, number: int, scope: str, project: str) -> str:
    arguments = {"memoryType": "note", "topic": f"n{number}", "content": f"c{number}", "scope": scope,
                 "project": project}  # fmt: skip
    response = await real.call("modern", "remember", arguments, token=person.token)
    written: str = response.json()["result"]["structuredContent"]["memory"]["id"]
    return written


@ERAS
async def test_names_are_the_callers_own_and_match_in_either_case(
    real: Wire, core: Core, alice: Person, era: str
) -> None:
    stranger = await a_person(core.database, now=core.clock())
    await _write(real, stranger, 0, "import-of-a-stranger", "Importer of a stranger")
    for number, (scope, project) in enumerate([("work", "Importer"), ("work", "importer 2"), ("home", "garden")]):
        await _write(real, alice, number, scope, project)

    projects = await _completion(real, era, "briefing", "project", "iMP", alice.token)
    scopes = await _completion(real, era, "debrief", "scope", "", alice.token)

    assert projects == {"values": ["Importer", "importer 2"], "total": 2, "hasMore": False}
    assert scopes == {"values": ["home", "work"], "total": 2, "hasMore": False}
    assert await _completion(real, era, "debrief", "project", "%", alice.token) == {**EMPTY, "total": 0}


async def test_a_tenant_whose_reads_must_name_a_scope_is_offered_the_names(real: Wire, alice: Person) -> None:
    await _write(real, alice, 0, "work", "importer")
    policy = {"action": "set_retrieval_default", "mode": "require"}
    await real.call("modern", "configure_scope", policy, token=alice.token)

    assert (await _completion(real, "modern", "briefing", "scope", "w", alice.token))["values"] == ["work"]


async def test_denied_readers_of_a_real_tenant_complete_to_nothing(
    real: Wire, core: Core, alice: Person, owner_url: str
) -> None:
    writer = await a_person(core.database, now=core.clock(), scopes=(OAuthScope.MEMORY_WRITE,))
    await _write(real, writer, 0, "work", "importer")
    await _write(real, alice, 1, "work", "importer")
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(alice.principal.tenant_id),))
        owner.execute("UPDATE users SET status = 'suspended' WHERE tenant_id = %s", (alice.principal.tenant_id,))

    assert await _completion(real, "modern", "debrief", "scope", token=writer.token) == EMPTY
    assert await _completion(real, "modern", "debrief", "scope", token=alice.token) == EMPTY


async def test_a_revoked_token_of_a_real_tenant_is_refused(real: Wire, core: Core, alice: Person) -> None:
    await revoke_token(core.database, alice, now=core.clock())

    assert (await _ask(real, "modern", "debrief", "scope", token=alice.token)).status_code == 401


async def test_what_is_typed_does_not_reach_the_log(mcp: Wire, capsys: pytest.CaptureFixture[str]) -> None:
    await _ask(mcp, "modern", "debrief", "scope", "a private word")

    assert "private word" not in json.dumps(capsys.readouterr())
