"""One contract: the same input over MCP, in both eras, and over REST gives the same output or the same error.

Three tenants live through the same history, one over each transport. Their answers are compared whole, once ids,
cursors and the fractions of instants, which differ from tenant to tenant, are replaced.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from tests.conftest import CURSOR_KEY, Clock
from tests.contract.mcp.stack import ISSUER_URL, PUBLIC_URL, Wire, wire
from tests.contract.rest.stack import PLENTY, Rest, a_key, api_of, requests_to
from tests.embedder import DIMENSIONS, MODELS
from tests.people import AUDIENCE, BOTH, ISSUER, a_person
from threengram.api.operations import OPERATIONS
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.db.statement import tenant_statement
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.principal import Principal
from threengram.gateway.build import Collaborators, Limits, build_app
from threengram.gateway.tools import TOOLS
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import MemoryType, OAuthScope

ROUTES = {
    "remember": ("POST", "/memories"),
    "search": ("POST", "/search"),
    "get_facts": ("POST", "/facts/get"),
    "revise": ("POST", "/memories/{predecessorId}/revise"),
    "resolve": ("POST", "/memories/{memoryId}/resolve"),
    "briefing": ("POST", "/briefing"),
    "handoff": ("POST", "/handoff"),
    "get_memories": ("POST", "/memories/get"),
    "configure_scope": ("POST", "/scopes"),
    "describe_environment": ("GET", "/environment"),
    "review_proposals": ("POST", "/proposals"),
}
"""The verbs that both transports have; each reports its own list of them."""

SAME_CODE = {"unknown_argument": "invalid_input"}
"""What MCP tells apart from other invalid input, because a model may hold an old list of tools."""

UNKNOWN = "0190d3a8-7c2e-7000-8000-000000000000"
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_INSTANT = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?Z")

Answer = tuple[str, Any]
"""`ok` and an output, or `error` and `{code, field?, id?, issues?, retryable}`."""

Ask = Callable[[str, Mapping[str, Any]], Awaitable[Answer]]


@dataclass
class Tenant:
    """One tenant, seen through one transport; `named` ids are those that a row can refer to."""

    ask: Ask
    principal: Principal
    named: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    async def answer(self, verb: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer, comparable with those of other tenants."""
        outcome, content = await self.ask(verb, self._filled(arguments))
        if "capabilities" in content:
            tools = [name for name in content["capabilities"]["tools"] if name in ROUTES]
            content["capabilities"] |= {"tools": tools, "toolCount": len(tools)}
        return outcome, self._comparable(content)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str) and value.startswith("$"):
            return self.named[value]
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, Mapping):
            return {name: self._filled(item) for name, item in value.items()}
        return value

    def _comparable(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._comparable(item) for item in value]
        if isinstance(value, dict):
            if "nextCursor" in value:
                self.named["$cursor"] = value["nextCursor"]
                value = {**value, "nextCursor": "a cursor"}
            return {name: self._comparable(item) for name, item in value.items()}
        if isinstance(value, float):
            # Recency counts in microseconds, and so far apart are the three tenants.
            return round(value, 6)
        if isinstance(value, str) and _ID.fullmatch(value) and value != UNKNOWN:
            return self.labels.setdefault(value, f"id {len(self.labels)}")
        return _INSTANT.sub(r"\1Z", value) if isinstance(value, str) else value


def over_mcp(mcp: Wire, token: str, era: str) -> Ask:
    """Call tools with a token."""

    async def ask(verb: str, arguments: Mapping[str, Any]) -> Answer:
        result = (await mcp.call(era, verb, arguments, token=token)).json()["result"]
        if not result["isError"]:
            return "ok", result["structuredContent"]
        names = ("code", "field", "id", "issues", "retryable")
        meta = {name: result["_meta"][name] for name in names if name in result["_meta"]}
        return "error", {**meta, "code": SAME_CODE.get(meta["code"], meta["code"])}

    return ask


def over_rest(rest: Rest) -> Ask:
    """Call operations with a key."""

    async def ask(verb: str, arguments: Mapping[str, Any]) -> Answer:
        method, path = ROUTES[verb]
        in_path = {name for name in arguments if f"{{{name}}}" in path}
        outside = {name: value for name, value in arguments.items() if name not in in_path}
        given = {"json": outside} if method == "POST" else {"params": outside}
        response = await rest.send(method, path.format(**arguments), **given)
        body = response.json()
        if response.is_success:
            return "ok", body
        code = body.pop("error")
        body.pop("detail")
        return "error", {"code": code, **body}

    return ask


@dataclass(frozen=True)
class World:
    """One database behind both services."""

    core: Core
    mcp: Wire
    rest: Rest

    async def tenants(self, scopes: tuple[OAuthScope, ...] = BOTH) -> list[Tenant]:
        """A new tenant for each transport."""
        people = [await a_person(self.core.database, now=self.core.clock(), scopes=scopes) for _ in range(3)]
        rest = self.rest.with_key(await a_key(self.core, people[2], scopes))
        return [
            Tenant(over_mcp(self.mcp, people[0].token, "modern"), people[0].principal),
            Tenant(over_mcp(self.mcp, people[1].token, "2025-06-18"), people[1].principal),
            Tenant(over_rest(rest), people[2].principal),
        ]


@pytest.fixture(scope="module")
async def world(database_url: str, redis_url: str, hash_embedder_url: str) -> AsyncIterator[World]:
    async with AsyncExitStack() as resources:
        database = await resources.enter_async_context(Database(database_url, pool_min=1, pool_max=8))
        embedder = HttpEmbedder(hash_embedder_url, model_name=MODELS["hash"], dimensions=DIMENSIONS)
        resources.push_async_callback(embedder.close)
        limiter = RateLimiter(redis_url, timeout_s=30)
        resources.push_async_callback(limiter.aclose)
        core = Core(database, embedder, CursorSealer(CURSOR_KEY), Clock(), 5.0, 5.0)
        gateway = build_app(
            Collaborators(
                tools=TOOLS,
                verifier=AccessTokenVerifier(issuer=ISSUER, audience=AUDIENCE, keys=PublishedKeys(database)),
                limiter=limiter,
                open_call=partial(open_call, core),
                clock=core.clock,
            ),
            public_url=PUBLIC_URL,
            issuer_url=ISSUER_URL,
            limits=Limits(calls_per_minute=PLENTY),
        )
        mcp = await resources.enter_async_context(wire(gateway))
        rest = await resources.enter_async_context(requests_to(api_of(core, limiter), None))
        yield World(core, mcp, rest)


def note(content: str, **more: Any) -> dict[str, Any]:
    """Arguments of `remember`."""
    return {"memoryType": "note", "topic": "Importer", "content": content, **more}


FACT = {"subject": "importer.queue", "predicate": "depth.rows", "value": "12", "confidence": 0.9}
HISTORY = {
    "$queue": note("PostgreSQL rows are the queue of the importer.", project="importer", facts=[FACT]),
    "$retry": note("The importer retries five times.", memoryType="decision", project="importer", tags=["b", "a"]),
    "$owner": note("Ada owns the importer.", memoryType="fact", scope="work"),
    "$ship": note("Ship the importer.", memoryType="commitment", dueAt="2026-04-01T09:00:00+02:00", owner="Ada"),
    "$lunch": note("Lunch is at noon.", topic="Habits", memoryType="preference"),
    "$long": note("A sentence about the importer that goes on. " * 40, topic="Long"),
}


@pytest.fixture(scope="module")
async def tenants(world: World) -> list[Tenant]:
    """Three tenants after the same history, for tests that only add to it."""
    return await told(world)


async def told(world: World) -> list[Tenant]:
    """Three tenants after the same history, an hour between its events."""
    three = await world.tenants()
    for name, arguments in HISTORY.items():
        for tenant in three:
            outcome, written = await tenant.ask("remember", arguments)
            assert outcome == "ok"
            tenant.named[name] = written["memory"]["id"]
        clock = world.core.clock
        assert isinstance(clock, Clock)
        clock.advance(hours=1)
    return three


async def same(tenants: list[Tenant], verb: str, arguments: Mapping[str, Any]) -> Answer:
    """The one answer that all three transports give."""
    modern, legacy, rest = [await tenant.answer(verb, arguments) for tenant in tenants]
    assert modern == rest
    assert legacy == rest
    return rest


WRITTEN: dict[str, dict[str, Any]] = {
    **{f"type {kind}": note(f"One {kind}.", memoryType=kind) for kind in MemoryType},
    "scope, project, tags": note("Filed.", scope="work", project="atlas", tags=["one", "one", "Two"]),
    "emoji": note("Shipped 🚀 by 👩‍👩‍👧 and Zoë", topic="🎉"),
    "decomposed letters": note("Zoe\u0308 was here  "),
    "2,000 characters": note("x" * 2000),
    "2,000 characters beyond the basic plane": note("𝒳" * 2000),
    "due date and recurrence": note(
        "Water the plants.", memoryType="commitment", dueAt="2026-04-01T09:00:00.123456Z", recurrence="FREQ=WEEKLY"
    ),
    "several facts": note("Two facts.", facts=[{**FACT, "predicate": "a"}, {**FACT, "predicate": "b", "value": "13"}]),
    "a fact with an interval": note(
        "A fact of January.",
        facts=[{"subject": "s", "predicate": "p", "value": "v", "validFrom": "2026-01-01T00:00:00Z",
                "validTo": "2026-02-01T00:00:00+01:00"}],
    ),
}  # fmt: skip
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "2,001 characters": (note("x" * 2001), "invalid_input"),
    "nothing but white space": (note(" \t\n"), "invalid_input"),
    "NUL": (note("a\x00b"), "invalid_input"),
    "unknown key": (note("c", mood="good"), "invalid_input"),
    "unknown key in a fact": (note("c", facts=[{**FACT, "unit": "rows"}]), "invalid_input"),
    "snake case": ({"memory_type": "note", "topic": "t", "content": "c"}, "invalid_input"),
    "wrong type": (note("c", tags="one"), "invalid_input"),
    "a number for a text": (note("c", facts=[{**FACT, "value": 12}]), "invalid_input"),
    "a truth value for a number": (note("c", facts=[{**FACT, "confidence": True}]), "invalid_input"),
    "no such type": (note("c", memoryType="thought"), "invalid_input"),
    "missing content": ({"memoryType": "note", "topic": "t"}, "invalid_input"),
    "33 tags": (note("c", tags=["t"] * 33), "invalid_input"),
    "a due date on a note": (note("c", dueAt="2026-04-01T09:00:00Z"), "invalid_input"),
    "a naive due date": (note("c", memoryType="commitment", dueAt="2026-04-01T09:00:00"), "invalid_input"),
    "seven fraction digits": (
        note("c", memoryType="commitment", dueAt="2026-04-01T09:00:00.1234567Z"), "invalid_input"
    ),
    "no rule": (
        note("c", memoryType="commitment", dueAt="2026-04-01T09:00:00Z", recurrence="SOMETIMES"), "invalid_input"
    ),
    "the same fact twice": (note("c", facts=[FACT, {**FACT, "value": "13"}]), "invalid_input"),
    "an unknown session": (note("c", sessionRunId=UNKNOWN), "invalid_input"),
    "a scope that can't be": (note("c", scope="My Scope"), "invalid_input"),
    "duplicate": (HISTORY["$retry"], "duplicate_memory"),
}  # fmt: skip


@pytest.mark.parametrize("arguments", WRITTEN.values(), ids=WRITTEN.keys())
async def test_what_is_written_is_answered_alike_and_reads_alike(
    tenants: list[Tenant], arguments: dict[str, Any]
) -> None:
    outcome, written = await same(tenants, "remember", arguments)
    assert outcome == "ok"
    for tenant in tenants:
        tenant.named["$new"] = {label: given for given, label in tenant.labels.items()}[written["memory"]["id"]]
    _, read = await same(tenants, "get_memories", {"ids": ["$new"]})
    assert read["count"] == 1


@pytest.mark.parametrize(("arguments", "code"), REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_not_written_is_refused_alike(
    tenants: list[Tenant], arguments: dict[str, Any], code: str
) -> None:
    outcome, error = await same(tenants, "remember", arguments)
    assert (outcome, error["code"]) == ("error", code)


STORY: dict[str, tuple[str, dict[str, Any], str]] = {
    "revise": ("revise", note("The importer retries six times.", predecessorId="$retry", memoryType="decision"), "ok"),
    "revise again": ("revise", note("Seven times.", predecessorId="$retry"), "conflict"),
    "revise nothing": ("revise", note("c", predecessorId=UNKNOWN), "not_found"),
    "revise with facts": (
        "revise",
        note("Two queues.", predecessorId="$queue", facts=[{**FACT, "value": "24"}], edgeIntent="updates"),
        "ok",
    ),
    "revise by an unknown edge": ("revise", note("c", predecessorId="$lunch", edgeIntent="extends"), "invalid_input"),
    "resolve": ("resolve", {"memoryId": "$ship", "status": "resolved"}, "ok"),
    "resolve again": ("resolve", {"memoryId": "$ship", "status": "resolved"}, "ok"),
    "resolve to waiting": ("resolve", {"memoryId": "$ship", "status": "waiting"}, "invalid_transition"),
    "resolve a preference": ("resolve", {"memoryId": "$lunch", "status": "resolved"}, "not_found"),
    "resolve nothing": ("resolve", {"memoryId": UNKNOWN, "status": "resolved"}, "not_found"),
    "facts now": ("get_facts", {"subject": "importer.queue"}, "ok"),
    "facts as a series": ("get_facts", {"range": {"from": "2026-03-01T00:00:00Z"}}, "ok"),
    "facts then": ("get_facts", {"asOf": {"asKnownAt": "2026-03-02T10:30:00Z"}}, "ok"),
    "facts of both kinds": (
        "get_facts",
        {"asOf": {"validAt": "2026-03-01T00:00:00Z"}, "range": {"to": "2026-03-01T00:00:00Z"}},
        "invalid_input",
    ),
    "facts without bounds": ("get_facts", {"range": {}}, "invalid_input"),
    "facts, too many": ("get_facts", {"limit": 201}, "invalid_input"),
    "scopes": ("configure_scope", {"action": "list"}, "ok"),
    "scope created": ("configure_scope", {"action": "create", "name": "garden", "aliases": ["yard"]}, "ok"),
    "scope taken": ("configure_scope", {"action": "create", "name": "yard"}, "conflict"),
    "scope renamed": ("configure_scope", {"action": "rename", "name": "work", "newName": "job"}, "ok"),
    "scope mapped": ("configure_scope", {"action": "set_mapping", "project": "atlas", "scope": "job"}, "ok"),
    "scope unknown": ("configure_scope", {"action": "delete", "name": "nowhere"}, "not_found"),
    "scope without an action": ("configure_scope", {"name": "garden"}, "invalid_input"),
    "scope with a foreign argument": ("configure_scope", {"action": "list", "name": "garden"}, "invalid_input"),
    "briefing": ("briefing", {"selector": {"kind": "all"}}, "ok"),
    "briefing in full": ("briefing", {"selector": {"kind": "project", "project": "importer"}, "mode": "full"}, "ok"),
    "briefing, two sections": (
        "briefing", {"selector": {"kind": "all"}, "sections": ["overdue", "blockers"], "sectionLimit": 1}, "ok"
    ),
    "briefing without a selector": ("briefing", {}, "invalid_input"),
    "briefing of half a selector": ("briefing", {"selector": {"kind": "scope"}}, "invalid_input"),
    "handoff": ("handoff", {"selector": {"kind": "all"}, "generatedFor": "Bo"}, "ok"),
    "handoff of too much": ("handoff", {"selector": {"kind": "all"}, "sectionLimit": 101}, "invalid_input"),
    "default": ("configure_scope", {"action": "set_retrieval_default", "mode": "default", "scope": "work"}, "ok"),
    "search by default": ("search", {"query": "importer"}, "ok"),
    "require": ("configure_scope", {"action": "set_retrieval_default", "mode": "require"}, "ok"),
    "search without a scope": ("search", {"query": "importer"}, "unscoped_retrieval"),
    "search with an old name": ("search", {"query": "importer", "scope": "work"}, "ok"),
    "proposals": ("review_proposals", {"action": "list"}, "ok"),
    "accept nothing": ("review_proposals", {"action": "accept", "proposalId": UNKNOWN}, "not_found"),
    "reject without an id": ("review_proposals", {"action": "reject"}, "invalid_input"),
    "read what was revised": ("get_memories", {"ids": ["$retry", "$queue", "$ship"]}, "ok"),
    "the environment after it": ("describe_environment", {}, "ok"),
}  # fmt: skip


async def test_a_story_of_corrections_reads_alike_on_every_transport(world: World) -> None:
    three = await told(world)
    for chapter, (verb, arguments, code) in STORY.items():
        outcome, content = await same(three, verb, arguments)
        assert (outcome if outcome == "ok" else content["code"]) == code, chapter


SEARCHES: dict[str, tuple[dict[str, Any], str]] = {
    "relevance": ({"query": "which queue does the importer use?"}, "ok"),
    "the most that fits": ({"query": "importer", "limit": 25}, "ok"),
    "one type": ({"query": "importer", "memoryType": "decision"}, "ok"),
    "types, scope, project": (
        {"query": "importer", "memoryTypes": ["decision", "note"], "scope": "personal", "project": "importer"}, "ok"
    ),
    "compact": ({"query": "importer", "projection": "compact"}, "ok"),
    "truncated excerpt": ({"query": "a sentence that goes on", "limit": 1}, "ok"),
    "nothing found": ({"query": "importer", "project": "nowhere"}, "ok"),
    "chronological": ({"order": "chronological", "scope": "work"}, "ok"),
    "chronological with terms": ({"order": "chronological", "query": "importer retries"}, "ok"),
    "archived": ({"query": "importer", "status": "archived"}, "ok"),
    "recorded between": (
        {"order": "chronological", "recordedAfter": "2026-03-02T09:30:00Z", "recordedBefore": "2026-03-02T13:30:00Z"},
        "ok",
    ),
    "as of": ({"query": "importer", "asOf": {"asKnownAt": "2026-03-02T11:30:00Z"}}, "ok"),
    "as of both": (
        {"query": "importer", "asOf": {"validAt": "2026-03-02T10:30:00Z", "asKnownAt": "2026-03-02T12:30:00+01:00"}},
        "ok",
    ),
    "bad cursor": ({"query": "importer", "cursor": "AAAA"}, "invalid_cursor"),
    "garbled cursor": ({"query": "importer", "cursor": "not base64 ü"}, "invalid_cursor"),
    "no query": ({}, "invalid_input"),
    "chronological without bounds": ({"order": "chronological"}, "invalid_input"),
    "limit 0": ({"query": "q", "limit": 0}, "invalid_input"),
    "limit 26": ({"query": "q", "limit": 26}, "invalid_input"),
    "limit as text": ({"query": "q", "limit": "5"}, "invalid_input"),
    "type and types": ({"query": "q", "memoryType": "note", "memoryTypes": ["note"]}, "invalid_input"),
    "naive time": ({"query": "q", "recordedAfter": "2026-03-02T09:30:00"}, "invalid_input"),
    "no such day": ({"query": "q", "recordedAfter": "2026-02-30T09:30:00Z"}, "invalid_input"),
    "times the wrong way round": (
        {"query": "q", "recordedAfter": "2026-03-03T00:00:00Z", "recordedBefore": "2026-03-02T00:00:00Z"},
        "invalid_input",
    ),
    "empty as of": ({"query": "q", "asOf": {}}, "invalid_input"),
    "unknown filter": ({"query": "q", "tag": "b"}, "invalid_input"),
    "2,001 characters": ({"query": "q" * 2001}, "invalid_input"),
    "NUL": ({"query": "q\x00"}, "invalid_input"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "code"), SEARCHES.values(), ids=SEARCHES.keys())
async def test_searches_agree(tenants: list[Tenant], arguments: dict[str, Any], code: str) -> None:
    outcome, found = await same(tenants, "search", arguments)
    assert (outcome if outcome == "ok" else found["code"]) == code


@pytest.mark.parametrize("order", ["relevance", "chronological"])
async def test_walks_agree_page_by_page(tenants: list[Tenant], order: str) -> None:
    question: dict[str, Any] = {"query": "importer", "order": order, "limit": 2, "project": "importer"}
    _, page = await same(tenants, "search", {**question, "limit": 1})
    seen = [hit["id"] for hit in page["hits"]]
    while page["hasMore"]:
        _, page = await same(tenants, "search", {**question, "cursor": "$cursor"})
        seen += [hit["id"] for hit in page["hits"]]
    assert len(seen) == len(set(seen)) == 2


async def test_a_cursor_of_another_question_is_refused_alike(tenants: list[Tenant]) -> None:
    await same(tenants, "search", {"query": "importer", "limit": 1})
    outcome, error = await same(tenants, "search", {"query": "exporter", "limit": 1, "cursor": "$cursor"})
    assert (outcome, error["code"], error["field"]) == ("error", "invalid_cursor", "cursor")


READS: dict[str, tuple[dict[str, Any], str]] = {
    "one": ({"ids": ["$queue"]}, "ok"),
    "mixed": ({"ids": ["$lunch", UNKNOWN, "$queue", UNKNOWN.upper(), "$lunch"]}, "ok"),
    "cut": ({"ids": ["$long"], "maxContentChars": 600}, "ok"),
    "a commitment": ({"ids": ["$ship"]}, "ok"),
    "nothing known": ({"ids": [UNKNOWN]}, "ok"),
    "none": ({"ids": []}, "invalid_input"),
    "too many": ({"ids": [UNKNOWN] * 21}, "invalid_input"),
    "too much in all": ({"ids": [UNKNOWN] * 20, "maxContentChars": 65536}, "invalid_input"),
    "too little": ({"ids": ["$queue"], "maxContentChars": 599}, "invalid_input"),
    "no id": ({"ids": ["queue"]}, "invalid_input"),
    "another spelling": ({"ids": [UNKNOWN.replace("-", "")]}, "invalid_input"),
    "one id bare": ({"ids": UNKNOWN}, "invalid_input"),
}


@pytest.mark.parametrize(("arguments", "code"), READS.values(), ids=READS.keys())
async def test_reads_agree(tenants: list[Tenant], arguments: dict[str, Any], code: str) -> None:
    outcome, read = await same(tenants, "get_memories", arguments)
    assert (outcome if outcome == "ok" else read["code"]) == code


async def test_environments_agree(tenants: list[Tenant]) -> None:
    outcome, described = await same(tenants, "describe_environment", {})
    assert outcome == "ok"
    assert described["capabilities"]["tools"] == list(ROUTES)


async def test_an_argument_too_many_is_refused_alike(tenants: list[Tenant]) -> None:
    outcome, error = await same(tenants, "describe_environment", {"verbose": "yes"})
    assert (outcome, error["code"], error["field"]) == ("error", "invalid_input", "verbose")


def test_every_operation_that_is_a_tool_is_compared_here() -> None:
    assert list(ROUTES) == [operation.name for operation in OPERATIONS if operation.is_tool]
    assert [name for name in (tool.name for tool in TOOLS) if name in ROUTES] == list(ROUTES)


async def test_a_suspended_account_is_denied_alike(world: World) -> None:
    three = await world.tenants()
    suspend = tenant_statement("suspend", "UPDATE users SET status = 'suspended' WHERE tenant_id = %(tenant_id)s")
    for tenant in three:
        async with world.core.database.tenant(tenant.principal) as tx:
            await tx.fetch(suspend)
    for verb, arguments in (("search", {"query": "q"}), ("remember", note("c")), ("describe_environment", {})):
        outcome, error = await same(three, verb, arguments)
        assert (outcome, error["code"], error["retryable"]) == ("error", "access_denied", False)


async def test_a_missing_scope_is_the_same_refusal(world: World) -> None:
    person = await a_person(world.core.database, now=world.core.clock(), scopes=(OAuthScope.MEMORY_READ,))
    rest = world.rest.with_key(await a_key(world.core, person, [OAuthScope.MEMORY_READ]))
    answers = [
        await world.mcp.call("modern", "remember", note("c"), token=person.token),
        await world.mcp.call("2025-06-18", "remember", note("c"), token=person.token),
        await rest.post("/memories", note("c")),
    ]
    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(403, "insufficient_scope")] * 3
    assert all('error="insufficient_scope"' in answer.headers["www-authenticate"] for answer in answers)
