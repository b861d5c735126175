"""Who gets in, in which order that is asked, and what the refused are told."""

import pytest

from tests.contract.mcp.stack import ISSUER_URL, ORIGIN, PUBLIC_URL, Stack, Wire, request_body, wire
from threengram.gateway.build import Limits

METADATA_URL = f"{PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"
CLIENT = {"name": "raw", "version": "0"}
PING = request_body("ping")


async def test_a_call_without_a_token_learns_where_to_get_one(mcp: Wire) -> None:
    response = await mcp.send(PING, token=None)

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA_URL}", scope="memory:read memory:write"'
    )
    assert response.json()["error"] == "unauthorized"
    assert response.json()["error_description"]


@pytest.mark.parametrize("authorization", ["Bearer unknown", "bearer  unknown", "Basic dTpw", "Bearer", "Bearer "])
async def test_a_bad_token_is_invalid(mcp: Wire, authorization: str) -> None:
    response = await mcp.send(PING, token=None, headers={"authorization": authorization})

    challenge = response.headers["www-authenticate"]
    assert response.status_code == 401
    assert challenge.startswith('Bearer error="invalid_token", error_description="')
    assert f'resource_metadata="{METADATA_URL}", scope="memory:read memory:write"' in challenge
    assert response.json()["error"] == "invalid_token"


async def test_two_tokens_are_no_token(mcp: Wire) -> None:
    headers = [("authorization", "Bearer both"), ("authorization", "Bearer reader")]

    assert (await mcp.send(PING, token=None, headers=headers)).status_code == 401


async def test_the_scheme_is_case_insensitive(mcp: Wire) -> None:
    assert (await mcp.send(PING, token=None, headers={"authorization": "bEARER both"})).status_code == 200


async def test_a_verifier_that_is_down_is_no_refusal_of_the_token(mcp: Wire, stack: Stack) -> None:
    stack.tokens.is_down = True
    response = await mcp.send(PING)

    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
    assert "www-authenticate" not in response.headers


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("ping", {}),
        ("tools/list", {}),
        ("prompts/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "threengram://memory/0190d3a8-7c2e-7000-8000-000000000000"}),
        ("prompts/get", {"name": "debrief"}),
        (
            "completion/complete",
            {"ref": {"type": "ref/resource", "uri": "x"}, "argument": {"name": "id", "value": ""}},
        ),
        ("tools/call", {"name": "echo", "arguments": {"text": "x"}}),
        (
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT},
        ),
    ],
)
async def test_a_withdrawn_token_opens_nothing_not_even_a_catalogue(
    mcp: Wire, stack: Stack, method: str, params: dict[str, object]
) -> None:
    stack.revoke("both")
    response = await mcp.legacy(method, params)

    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]


async def test_a_withdrawn_token_opens_no_modern_catalogue_either(mcp: Wire, stack: Stack) -> None:
    stack.revoke("both")

    assert (await mcp.modern("server/discover")).status_code == 401
    assert (await mcp.modern("tools/list")).status_code == 401


async def test_a_suspended_account_is_denied(mcp: Wire, stack: Stack) -> None:
    stack.suspend("both")

    called = await mcp.call("modern", "echo", {"text": "x"})
    listed = await mcp.legacy("tools/list")

    assert called.json()["result"]["_meta"]["code"] == "access_denied"
    assert "structuredContent" not in called.json()["result"]
    assert listed.json()["error"]["data"]["code"] == "access_denied"


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
@pytest.mark.parametrize(
    ("token", "tool", "wanted"),
    [
        ("reader", "note", "memory:read memory:write"),
        ("writer", "echo", "memory:read memory:write"),
        ("bare", "echo", "memory:read"),
    ],
)
async def test_a_missing_scope_is_a_step_up(mcp: Wire, era: str, token: str, tool: str, wanted: str) -> None:
    response = await mcp.call(era, tool, {"not": "looked at"}, token=token)

    challenge = response.headers["www-authenticate"]
    assert response.status_code == 403
    assert challenge.startswith('Bearer error="insufficient_scope", ')
    assert f'scope="{wanted}"' in challenge
    assert f'resource_metadata="{METADATA_URL}"' in challenge
    assert response.json()["error"] == "insufficient_scope"


async def test_reading_a_resource_needs_the_read_scope(mcp: Wire) -> None:
    response = await mcp.legacy("resources/read", {"uri": "threengram://memory/x"}, token="writer")

    assert response.status_code == 403


async def test_catalogues_need_a_token_and_no_scope(mcp: Wire) -> None:
    assert (await mcp.modern("tools/list", token=None)).status_code == 401
    assert (await mcp.modern("tools/list", token="bare")).status_code == 200


async def test_the_limit_is_told_and_kept(stack: Stack) -> None:
    stack.limits = Limits(calls_per_minute=2)
    async with wire(stack.app()) as mcp:
        first = await mcp.send(PING)
        await mcp.send(PING)
        third = await mcp.send(PING)
        other = await mcp.send(PING, token="reader")

    assert first.headers["ratelimit-limit"] == "2"
    assert first.headers["ratelimit-remaining"] == "1"
    assert first.headers["ratelimit-reset"] == "60"
    assert third.status_code == 429
    assert third.headers["retry-after"] == "13"
    assert third.headers["ratelimit-remaining"] == "0"
    assert third.json()["error"] == "rate_limited"
    assert other.status_code == 200


async def test_a_listed_origin_may_ask_and_read(mcp: Wire) -> None:
    preflight = await mcp.http.options("/mcp", headers={"origin": ORIGIN, "access-control-request-method": "POST"})
    answers = [
        await mcp.send(PING, headers={"origin": ORIGIN}),
        await mcp.send(PING, headers={"origin": ORIGIN}, token=None),
        await mcp.send(content=b"{", headers={"origin": ORIGIN}),
        await mcp.http.get("/mcp", headers={"origin": ORIGIN}),
    ]

    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-methods"] == "POST"
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    assert [answer.status_code for answer in answers] == [200, 401, 400, 405]
    for answer in (preflight, *answers):
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert "WWW-Authenticate" in answer.headers["access-control-expose-headers"]
        assert answer.headers["vary"] == "Origin"
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("spelling", ["https://APP.example", "https://app.example:443"])
async def test_an_origin_has_several_spellings(mcp: Wire, spelling: str) -> None:
    assert (await mcp.send(PING, headers={"origin": spelling})).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://app.example", "https://app.example:8443", "https://app.example.evil.org",
     "https://u@app.example", "app.example"],
)  # fmt: skip
async def test_an_unlisted_origin_is_refused_ahead_of_authentication(mcp: Wire, stack: Stack, origin: str) -> None:
    response = await mcp.send(PING, token=None, headers={"origin": origin})
    preflight = await mcp.http.options("/mcp", headers={"origin": origin})

    assert (response.status_code, preflight.status_code) == (403, 403)
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "Origin not allowed"},
    }
    assert "access-control-allow-origin" not in response.headers
    assert stack.limiter.calls == {}


async def test_without_a_list_every_origin_is_refused(stack: Stack) -> None:
    stack.origins = ()
    async with wire(stack.app()) as mcp:
        assert (await mcp.send(PING, headers={"origin": ORIGIN})).status_code == 403
        assert (await mcp.send(PING)).status_code == 200


async def test_the_host_is_not_validated(mcp: Wire) -> None:
    assert (await mcp.send(PING, headers={"host": "anything.example:1"})).status_code == 200


async def test_gates_stand_in_their_order(stack: Stack) -> None:
    stack.limits = Limits(calls_per_minute=1)
    async with wire(stack.app()) as mcp:
        evil = {"origin": "https://evil.example"}
        assert (await mcp.http.get("/mcp", headers=evil)).status_code == 405, "method before origin"
        assert (await mcp.send(content=b"{", token="unknown", headers=evil)).status_code == 403, "origin before bearer"
        assert (await mcp.send(content=b"{", token="unknown")).status_code == 401, "bearer before anything counted"
        assert stack.limiter.calls == {}
        assert (await mcp.send(content=b"{", token="reader")).status_code == 400, "counted, then the envelope"
        assert (await mcp.send(content=b"{", token="reader")).status_code == 429, "limit before envelope"


async def test_the_metadata_leads_to_the_authorization_server(mcp: Wire) -> None:
    paths = ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource")
    for path in paths:
        response = await mcp.http.get(path, headers={"origin": "https://anybody.example"})

        assert response.status_code == 200
        assert response.headers["access-control-allow-origin"] == "*"
        assert response.json() == {
            "resource": f"{PUBLIC_URL}/mcp",
            "authorization_servers": [ISSUER_URL],
            "scopes_supported": ["memory:read", "memory:write"],
            "bearer_methods_supported": ["header"],
            "resource_name": "3ngram",
        }
        assert (await mcp.http.options(path)).status_code == 204
        assert (await mcp.http.post(path)).headers["allow"] == "GET, HEAD, OPTIONS"
