"""What another tenant has cannot be told from what nobody has: on every tool, operation, resource, prompt, completion
and page, with access tokens from the whole OAuth flow."""

import base64
import re
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import httpx2
import orjson
import pytest

from tests.contract.foreign import Seen, arguments_of, filled, name, seen
from tests.contract.mcp.stack import Wire, wire
from tests.contract.naming import CASES, IDS, NAME_NOTHING, NOTE, Case, Kind
from tests.contract.oauth.stack import API, Flow, Server, flow_of, gateway_of, server_of
from tests.contract.web.stack import Owner, a_browser, an_owner, pages_of, quick_hashes, serving, token_in
from tests.integration.core.proposing import propose_edge, propose_fact
from tests.people import Person
from threengram.api.account import AccountPages
from threengram.api.breaches import Breaches
from threengram.api.browsing import routes as browsing
from threengram.api.exports import Exports
from threengram.api.openapi import document
from threengram.api.operations import OPERATIONS, PREFIX
from threengram.api.proposals import ProposalPages
from threengram.core.call import Core, open_call
from threengram.core.identity.api_keys import create_api_key
from threengram.core.ids import new_id
from threengram.core.oauth.grants import list_grants
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import list_sessions
from threengram.gateway.tools import TOOLS
from threengram.schema.enums import OAuthScope

ROUTES = {operation.name: operation for operation in OPERATIONS}
TOOL_NAMES = frozenset(tool.name for tool in TOOLS)


@dataclass
class Tenant:
    """Somebody with tokens for both surfaces, and what there is of theirs."""

    owner: Owner
    flow: Flow
    gateway: Wire
    core: Core
    mcp_token: str
    api_token: str

    @property
    def person(self) -> Person:
        return Person(self.mcp_token, self.owner.principal)

    async def tool(self, verb: str, arguments: Mapping[str, Any]) -> httpx2.Response:
        return await self.gateway.call("modern", verb, arguments, token=self.mcp_token)

    async def operation(self, verb: str, arguments: Mapping[str, Any]) -> httpx2.Response:
        route, left = ROUTES[verb], dict(arguments)
        path = PREFIX + route.path
        for argument in [argument for argument in left if f"{{{argument}}}" in path]:
            path = path.replace(f"{{{argument}}}", left.pop(argument))
        given: dict[str, Any] = {"json": left} if route.has_body else {"params": left}
        return await self.flow.http.request(
            route.method, path, headers={"authorization": f"Bearer {self.api_token}"}, **given
        )

    async def done(self, verb: str, **arguments: Any) -> Any:
        """The answer of an operation that has to succeed."""
        answer = await self.operation(verb, arguments)
        assert answer.is_success, answer.text
        return answer.json()

    async def memory(self, memory_type: str = "note", **more: Any) -> str:
        arguments = {**NOTE, "content": f"content {name()}", "memoryType": memory_type, **more}
        return str((await self.done("remember", **arguments))["memory"]["id"])

    async def run(self) -> str:
        return str((await self.done("open_session", agent="agent", sessionKey=name()))["sessionRunId"])

    async def edge(self) -> UUID:
        older, newer = UUID(await self.memory()), UUID(await self.memory())
        return await propose_edge(self.core, self.person, newer, older)

    async def own(self, template: object) -> dict[str, str]:
        """Something new for each placeholder of a template."""
        text, values = str(template), {"$fresh": name()}
        if "$own_memory" in text:
            values["$own_memory"] = await self.memory()
        if "$own_blocker" in text:
            values["$own_blocker"] = await self.memory("blocker")
        if "$own_scope" in text:
            created = await self.done("configure_scope", action="create", name=name())
            values["$own_scope"] = created["scope"]["name"]
        if "$own_run" in text:
            values["$own_run"] = await self.run()
            for _ in range(2):
                await self.memory(sessionRunId=values["$own_run"])
        return values

    async def thing(self, case: Case) -> str:
        """What this tenant has of the kind that a case names; new, so that no case knows of another's."""
        match case.kind:
            case Kind.MEMORY:
                return await self.memory()
            case Kind.COMMITMENT:
                return await self.memory("commitment", dueAt="2026-05-01T09:00:00Z")
            case Kind.BLOCKER:
                return await self.memory("blocker")
            case Kind.ARCHIVED:
                memory_id = await self.memory()
                await self.done("archive", memoryId=memory_id)
                return memory_id
            case Kind.RUN:
                return await self.run()
            case Kind.EDGE | Kind.APPLIED_EDGE:
                proposal = await self.edge()
                if case.kind is Kind.APPLIED_EDGE:
                    await self.done("review_proposals", action="accept", proposalId=str(proposal))
                return str(proposal)
            case Kind.FACT:
                return str(await propose_fact(self.core, self.person, UUID(await self.memory())))
            case Kind.SESSION_KEY:
                key = name()
                for agent in ("agent", "other-agent"):
                    await self.done("open_session", agent=agent, sessionKey=key)
                return key
            case Kind.CURSOR:
                return await self.cursor(case)
            case _:
                return await self.named(case.kind)

    async def named(self, kind: Kind) -> str:
        """A name in use."""
        given = name()
        fact = {"subject": "subject", "predicate": "predicate", "value": "1"}
        how: dict[Kind, dict[str, Any]] = {
            Kind.SCOPE: {"scope": given},
            Kind.PROJECT: {"project": given},
            Kind.TAG: {"tags": [given]},
            Kind.WORD: {"topic": given},
            Kind.SUBJECT: {"facts": [{**fact, "subject": given}]},
            Kind.PREDICATE: {"facts": [{**fact, "predicate": given}]},
        }
        await self.memory(**how[kind])
        return given

    async def cursor(self, case: Case) -> str:
        """Where the tenant's own walk with the arguments of a case goes on."""
        for _ in range(2):
            await self.named(Kind.SUBJECT)
            await self.edge()
        asked = {key: value for key, value in case.arguments.items() if key != "cursor"}
        answer = await self.done(case.verb, **filled(asked, await self.own(asked)))
        return str(answer["nextCursor"])


def unknown(case: Case, known: str) -> str:
    """What looks like a thing of the case's kind and is nobody's."""
    if case.kind in IDS:
        return str(new_id())
    if case.kind is Kind.CURSOR:
        return base64.urlsafe_b64encode(secrets.token_bytes(len(known))).decode()[: len(known)]
    return name()


@pytest.fixture
def hashes() -> Iterator[PasswordHashes]:
    with quick_hashes() as made:
        yield made


async def a_tenant(core: Core, hashes: PasswordHashes, server: Server, gateway: Wire, stack: AsyncExitStack) -> Tenant:
    owner = await an_owner(core.database, hashes, core)
    flow = await stack.enter_async_context(flow_of(server, owner))
    app = await flow.register()
    mcp, api = await flow.tokens(app), await flow.tokens(app, resource=API, scope="memory:read memory:write")
    return Tenant(owner, flow, gateway, core, mcp["access_token"], api["access_token"])


@pytest.fixture
async def tenants(core: Core, hashes: PasswordHashes) -> AsyncIterator[tuple[Tenant, Tenant]]:
    """Whoever asks, and another."""
    server = server_of(core, hashes)
    async with AsyncExitStack() as stack, wire(gateway_of(core)) as gateway:
        asking, other = [await a_tenant(core, hashes, server, gateway, stack) for _ in range(2)]
        # So that nobody's first request is told apart by what the services then know.
        await asking.tool("describe_environment", {})
        await asking.done("describe_environment")
        yield asking, other


async def ask(asking: Tenant, case: Case, surface: str, named: str) -> Seen:
    """What is seen of a case's request with a name."""
    values = await asking.own(case.arguments)

    async def send(value: str) -> httpx2.Response:
        arguments = filled(case.arguments, {**values, "$named": value})
        answer: httpx2.Response = await getattr(asking, surface)(case.verb, arguments)
        return answer

    return await seen(asking.core.database, asking.owner.principal, named, send, is_id=case.kind in IDS, also=values)


def test_every_argument_of_every_tool_is_in_the_matrix() -> None:
    for tool in TOOLS:
        takes = set(arguments_of(tool.input_schema)) - NAME_NOTHING
        assert takes == {case.argument for case in CASES if case.verb == tool.name}, tool.name


def test_every_argument_of_every_operation_is_in_the_matrix() -> None:
    for path in orjson.loads(document(OPERATIONS))["paths"].values():
        for operation in path.values():
            verb = operation["operationId"]
            content = operation.get("requestBody", {}).get("content", {})
            takes = {parameter["name"] for parameter in operation.get("parameters", ())}
            takes |= set(arguments_of(content.get("application/json", {}).get("schema", {})))
            assert takes - NAME_NOTHING == {case.argument for case in CASES if case.verb == verb}, verb
    assert {case.verb for case in CASES} <= set(ROUTES)


@pytest.mark.parametrize("surface", ["tool", "operation"])
async def test_what_is_anothers_is_answered_like_what_is_nobodys(tenants: tuple[Tenant, Tenant], surface: str) -> None:
    asking, other = tenants
    told_apart = []
    for case in CASES:
        if surface == "operation" or case.verb in TOOL_NAMES:
            known = await other.thing(case)
            foreign, nobodys = [await ask(asking, case, surface, named) for named in (known, unknown(case, known))]
            assert foreign.statements, str(case)
            # The request itself is in order: it fails, if it does, for what it names.
            assert "invalid_input" not in foreign.body or "no such session run" in foreign.body, str(case)
            if foreign != nobodys:
                told_apart.append((str(case), foreign, nobodys))
            if case.kind in IDS and case.argument != "sessionRunId":
                own = await ask(other, case, surface, known)
                assert own.body != foreign.body, str(case)
    assert told_apart == []


async def test_resources_prompts_and_completions_tell_nothing_either(tenants: tuple[Tenant, Tenant]) -> None:
    asking, other = tenants
    kinds = {"id": Kind.MEMORY, "scope": Kind.SCOPE, "project": Kind.PROJECT}
    names_nothing = {"selector": "all", "mode": "brief"}
    published = {
        method: (await asking.gateway.modern(method, token=asking.mcp_token)).json()["result"]
        for method in ("prompts/list", "resources/templates/list")
    }
    requests: list[tuple[str, Kind, dict[str, Any]]] = []
    for template in published["resources/templates/list"]["resourceTemplates"]:
        uri = template["uriTemplate"]
        (variable,) = (part.split("}")[0] for part in uri.split("{")[1:])
        requests.append(("resources/read", kinds[variable], {"uri": uri.replace(f"{{{variable}}}", "$named")}))
        asked = {"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": variable, "value": "$named"}}
        requests.append(("completion/complete", kinds[variable], asked))
    for prompt in published["prompts/list"]["prompts"]:
        arguments = {argument["name"] for argument in prompt["arguments"]}
        required = {key: value for key, value in names_nothing.items() if key in arguments}
        for argument in arguments - set(names_nothing):
            given = {**required, argument: "$named"} | ({"selector": argument} if "selector" in required else {})
            requests.append(("prompts/get", kinds[argument], {"name": prompt["name"], "arguments": given}))
            asked = {"ref": {"type": "ref/prompt", "name": prompt["name"]},
                     "argument": {"name": argument, "value": "$named"}}  # fmt: skip
            requests.append(("completion/complete", kinds[argument], asked))
    assert len(requests) == 10

    for method, kind, params in requests:
        case = Case(method, "", kind, params)

        async def send(value: str, method: str = method, params: dict[str, Any] = params) -> httpx2.Response:
            return await asking.gateway.modern(method, filled(params, {"$named": value}), token=asking.mcp_token)

        known, is_id = await other.thing(case), kind in IDS
        foreign, nobodys = [
            await seen(asking.core.database, asking.owner.principal, value, send, is_id=is_id)
            for value in (known, unknown(case, known))
        ]
        assert foreign == nobodys, (method, params)


async def test_pages_tell_nothing_either(core: Core, hashes: PasswordHashes, tenants: tuple[Tenant, Tenant]) -> None:
    asking, other = tenants
    (grant,) = await list_grants(core.database, other.owner.principal, now=core.clock())
    login = (await list_sessions(core.database, other.owner.principal, core.clock()))[0]
    key = await create_api_key(
        core.database, other.owner.principal, name="theirs", scopes=[OAuthScope.MEMORY_READ], now=core.clock()
    )
    known_of = {
        "grant_id": grant.id,
        "session_id": login.id,
        "key_id": key.key.id,
        "id": await other.memory("commitment", dueAt="2026-05-01T09:00:00Z"),
        "proposal_id": await other.edge(),
        "proposal_id/undo": await other.thing(Case("", "", Kind.APPLIED_EDGE, {})),
    }
    pages = pages_of(core, hashes)
    exports = Exports(partial(open_call, core))
    account = AccountPages(pages.logins, core.database, hashes, core.clock, exports, Breaches())
    routes = [
        *account.routes(),
        *browsing.routes(pages.visits, core.cursors, core.clock),
        *ProposalPages(pages.visits).routes(),
    ]
    named: dict[str, tuple[str, object]] = {
        route.path: (
            "POST" if "POST" in (route.methods or ()) else "GET",
            _named(route.path, known_of),
        )
        for route in routes
        if "{" in route.path
    }
    assert len(named) == 12
    async with serving(pages), a_browser(pages.app) as browser:
        await browser.log_in(asking.owner.email)
        csrf = token_in(await browser.get("/account"))
        for path, (method, known) in named.items():

            async def send(value: str, path: str = path, method: str = method) -> httpx2.Response:
                address = re.sub(r"{\w+}", value, path)
                return await (browser.get(address) if method == "GET" else browser.post(address, {"csrf_token": csrf}))

            foreign, nobodys = [
                await seen(core.database, asking.owner.principal, str(value), send, is_id=True)
                for value in (known, new_id())
            ]
            assert foreign == nobodys, path
            assert foreign.status == 404
    assert await list_grants(core.database, other.owner.principal, now=core.clock()) == [grant]
    assert login in await list_sessions(core.database, other.owner.principal, core.clock())


def _named(path: str, known_of: Mapping[str, object]) -> object:
    """What the placeholder of a page's path stands for."""
    (placeholder,) = re.findall(r"{(\w+)}", path)
    is_undone = path.endswith("/undo")
    return known_of[f"{placeholder}/undo" if is_undone else placeholder]
