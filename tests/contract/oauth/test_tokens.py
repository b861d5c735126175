"""The token endpoint: codes once, refresh tokens within their grace, scopes only ever fewer."""

import asyncio
from dataclasses import replace

import httpx2
import psycopg
import pytest

from tests.conftest import Clock
from tests.contract.mcp.stack import started
from tests.contract.oauth.stack import (
    API,
    CALLBACK,
    MCP,
    VERIFIER,
    App,
    Flow,
    basic,
    error_of,
    flow_of,
    gateway_of,
    server_of,
)
from tests.contract.web.stack import Owner
from threengram.api.limits import Rules
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import RateLimiter, Rule

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def opens_mcp(core: Core, token: str) -> int:
    """The status of a call to the gateway with a token."""
    app = gateway_of(core)
    transport = httpx2.ASGITransport(app=app)
    async with started(app), httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300") as http:
        headers = {"authorization": f"Bearer {token}", "mcp-protocol-version": "2025-06-18"}
        return (await http.post("/mcp", json=PING, headers=headers)).status_code


async def opens_api(flow: Flow, token: str) -> int:
    """The status of a call to REST with a token."""
    return (await flow.http.get("/api/v1/version", headers={"authorization": f"Bearer {token}"})).status_code


async def test_a_code_earns_tokens_and_they_open_what_was_consented_to(flow: Flow, core: Core) -> None:
    app = await flow.register()
    response = await flow.exchange(app, await flow.code(app))
    issued = response.json()
    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"
    assert set(issued) == {"access_token", "token_type", "expires_in", "scope", "refresh_token"}
    assert (issued["token_type"], issued["expires_in"]) == ("Bearer", 3600)
    assert issued["scope"] == "memory:read memory:write"
    assert await opens_mcp(core, issued["access_token"]) == 200
    assert await opens_api(flow, issued["access_token"]) == 401


async def test_a_token_for_the_api_opens_the_api_and_not_mcp(flow: Flow, core: Core) -> None:
    app = await flow.register()
    issued = await flow.tokens(app, resource=API, scope="memory:read account")
    assert issued["scope"] == "memory:read account"
    assert await opens_api(flow, issued["access_token"]) == 200
    assert await opens_mcp(core, issued["access_token"]) == 401


async def test_an_access_token_ends_after_an_hour_and_a_refreshed_one_goes_on(
    flow: Flow, core: Core, clock: Clock
) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    clock.advance(hours=1)
    assert await opens_mcp(core, issued["access_token"]) == 401
    refreshed = (await flow.refresh(app, issued["refresh_token"])).json()
    assert refreshed["refresh_token"] != issued["refresh_token"]
    assert await opens_mcp(core, refreshed["access_token"]) == 200


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": "v" * 42}, "invalid_request"),
        ({"code_verifier": VERIFIER + "\n"}, "invalid_request"),
        ({"redirect_uri": "https://app.example/other"}, "invalid_grant"),
        ({"redirect_uri": None}, "invalid_grant"),
        ({"resource": API}, "invalid_target"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
)
async def test_a_code_is_good_only_for_the_request_that_it_was_made_for(
    flow: Flow, changes: dict[str, str | None], error: str
) -> None:
    app = await flow.register()
    code = await flow.code(app)
    assert error_of(await flow.exchange(app, code, **changes)) == (400, error)


async def test_the_first_presentation_of_a_code_uses_it_up(flow: Flow) -> None:
    app = await flow.register()
    code = await flow.code(app)
    assert error_of(await flow.exchange(app, code, code_verifier="w" * 43)) == (400, "invalid_grant")
    assert error_of(await flow.exchange(app, code)) == (400, "invalid_grant")


async def test_a_redirect_uri_that_was_left_out_may_be_left_out_again(flow: Flow) -> None:
    app = await flow.register()
    for given in (None, CALLBACK):
        code = await flow.code(app, redirect_uri=None)
        assert (await flow.exchange(app, code, redirect_uri=given)).status_code == 200


async def test_a_code_lives_a_minute(flow: Flow, clock: Clock) -> None:
    app = await flow.register()
    code = await flow.code(app)
    clock.advance(seconds=61)
    assert error_of(await flow.exchange(app, code)) == (400, "invalid_grant")


async def test_a_replayed_code_revokes_what_came_of_it(flow: Flow, core: Core) -> None:
    app = await flow.register()
    code = await flow.code(app)
    issued = (await flow.exchange(app, code)).json()
    refreshed = (await flow.refresh(app, issued["refresh_token"])).json()
    other = await flow.tokens(app)

    assert error_of(await flow.exchange(app, code)) == (400, "invalid_grant")

    for token in (issued["access_token"], refreshed["access_token"]):
        assert await opens_mcp(core, token) == 401
    assert error_of(await flow.refresh(app, refreshed["refresh_token"])) == (400, "invalid_grant")
    assert await opens_mcp(core, other["access_token"]) == 200


async def test_a_code_is_of_use_to_its_own_client_only(flow: Flow) -> None:
    app, other = await flow.register(), await flow.register()
    code = await flow.code(app)
    assert error_of(await flow.exchange(other, code)) == (400, "invalid_grant")


async def test_a_code_exchanged_by_many_at_once_succeeds_at_most_once(flow: Flow) -> None:
    app = await flow.register()
    code = await flow.code(app)
    answers = await asyncio.gather(*(flow.exchange(app, code) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400, 400, 400]


async def test_every_process_that_shares_a_refresh_token_stays_logged_in(flow: Flow, core: Core) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    answers = await asyncio.gather(*(flow.refresh(app, issued["refresh_token"]) for _ in range(12)))
    siblings = [answer.json() for answer in answers]
    again = await asyncio.gather(*(flow.refresh(app, sibling["refresh_token"]) for sibling in siblings))

    assert {answer.status_code for answer in (*answers, *again)} == {200}
    assert len({sibling["refresh_token"] for sibling in siblings}) == 12
    assert {await opens_mcp(core, answer.json()["access_token"]) for answer in again} == {200}


async def test_replicas_agree_about_one_refresh_token(
    flow: Flow, core: Core, hashes: PasswordHashes, olga: Owner, database_url: str, clock: Clock
) -> None:
    async with (
        Database(database_url, pool_min=1, pool_max=6) as pool,
        flow_of(server_of(replace(core, database=pool), hashes), olga) as elsewhere,
    ):
        app = await flow.register()
        issued = await flow.tokens(app)
        both = [flow, elsewhere] * 6
        answers = await asyncio.gather(*(one.refresh(app, issued["refresh_token"]) for one in both))
        assert {answer.status_code for answer in answers} == {200}

        clock.advance(seconds=11)
        late = await asyncio.gather(*(one.refresh(app, issued["refresh_token"]) for one in both[:4]))
        assert {error_of(answer) for answer in late} == {(400, "invalid_grant")}
        ended = await elsewhere.refresh(app, answers[0].json()["refresh_token"])
        assert error_of(ended) == (400, "invalid_grant")


async def test_a_lost_answer_is_repeated_within_the_grace_and_a_replay_after_it_ends_the_family(
    flow: Flow, core: Core, clock: Clock
) -> None:
    app = await flow.register()
    first = await flow.tokens(app)
    second = (await flow.refresh(app, first["refresh_token"])).json()
    clock.advance(seconds=9.9)
    sibling = (await flow.refresh(app, first["refresh_token"])).json()
    assert await opens_mcp(core, sibling["access_token"]) == 200

    clock.advance(seconds=0.2)
    assert error_of(await flow.refresh(app, first["refresh_token"])) == (400, "invalid_grant")

    for ended in (second, sibling):
        assert error_of(await flow.refresh(app, ended["refresh_token"])) == (400, "invalid_grant")
        assert await opens_mcp(core, ended["access_token"]) == 401


async def test_a_refresh_token_is_of_use_to_its_own_client_only(flow: Flow) -> None:
    app, other = await flow.register(), await flow.register()
    issued = await flow.tokens(app)
    assert error_of(await flow.refresh(other, issued["refresh_token"])) == (400, "invalid_grant")
    assert (await flow.refresh(app, issued["refresh_token"])).status_code == 200


async def test_a_refresh_may_ask_for_less_and_never_for_more_again(flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    narrowed = (await flow.refresh(app, issued["refresh_token"], scope="memory:read")).json()
    assert narrowed["scope"] == "memory:read"
    widened = await flow.refresh(app, narrowed["refresh_token"], scope="memory:read memory:write")
    assert error_of(widened) == (400, "invalid_scope")
    assert (await flow.refresh(app, narrowed["refresh_token"])).json()["scope"] == "memory:read"


async def test_a_refresh_is_for_the_resource_that_was_consented_to(flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    assert error_of(await flow.refresh(app, issued["refresh_token"], resource=API)) == (400, "invalid_target")
    assert (await flow.refresh(app, issued["refresh_token"], resource=MCP)).status_code == 200


async def test_an_unused_refresh_token_ends_after_thirty_days_and_a_family_after_ninety(
    flow: Flow, clock: Clock
) -> None:
    app = await flow.register()
    issued = unused = await flow.tokens(app)
    for _ in range(3):
        clock.advance(days=29)
        issued = (await flow.refresh(app, issued["refresh_token"])).json()
    clock.advance(days=2, hours=23, minutes=30)
    last = (await flow.refresh(app, issued["refresh_token"])).json()
    assert 1700 < last["expires_in"] <= 1800
    clock.advance(minutes=31)
    assert error_of(await flow.refresh(app, last["refresh_token"])) == (400, "invalid_grant")
    assert error_of(await flow.refresh(app, unused["refresh_token"])) == (400, "invalid_grant")


async def test_a_client_that_did_not_register_for_refresh_gets_no_refresh_token(flow: Flow) -> None:
    app = await flow.register(grant_types=["authorization_code"])
    assert "refresh_token" not in await flow.tokens(app)
    assert error_of(await flow.refresh(app, "anything")) == (400, "unauthorized_client")


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_a_client_with_a_secret_proves_it_by_its_own_method_only(flow: Flow, method: str) -> None:
    app = await flow.register(token_endpoint_auth_method=method)
    other = {"client_secret_basic": "client_secret_post", "client_secret_post": "client_secret_basic"}[method]
    issued = await flow.tokens(app)
    wrong = [
        App(app.client_id, "wrong", method),
        App(app.client_id, app.secret, other),
        App(app.client_id),
    ]
    for impostor in wrong:
        refused = await flow.refresh(impostor, issued["refresh_token"])
        assert error_of(refused) == (401, "invalid_client")
        assert ("www-authenticate" in refused.headers) == (impostor.method == "client_secret_basic")
    assert (await flow.refresh(app, issued["refresh_token"])).status_code == 200


async def test_a_public_client_shows_no_secret(flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    for method in ("client_secret_basic", "client_secret_post"):
        refused = await flow.refresh(App(app.client_id, "x", method), issued["refresh_token"])
        assert error_of(refused) == (401, "invalid_client")


@pytest.mark.parametrize(
    ("given", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "authorization_code"}, 400, "invalid_request"),
        ({"grant_type": "authorization_code", "code": "x", "code_verifier": VERIFIER}, 400, "invalid_grant"),
        ({"grant_type": "refresh_token"}, 400, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, 400, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": "x" * 9000}, 400, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "x", "client_id": "unknown"}, 401, "invalid_client"),
        ({"grant_type": "refresh_token", "refresh_token": "x", "client_id": ""}, 401, "invalid_client"),
        ({"grant_type": "refresh_token", "refresh_token": "x", "client_id": "a\0b"}, 401, "invalid_client"),
        (
            {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "https://a.example/b"},
            401,
            "invalid_client",
        ),
    ],
)
async def test_any_other_request_is_told_why(flow: Flow, given: dict[str, str], status: int, error: str) -> None:
    app = await flow.register()
    response = await flow.http.post("/oauth/token", data={"client_id": app.client_id} | given)
    assert error_of(response) == (status, error)
    assert response.headers["access-control-allow-origin"] == "*"


async def test_a_body_that_is_no_form_is_refused(flow: Flow) -> None:
    as_json = await flow.http.post("/oauth/token", json={"grant_type": "refresh_token"})
    twice = await flow.http.post(
        "/oauth/token",
        content="grant_type=refresh_token&grant_type=refresh_token",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    two_ways = await flow.http.post(
        "/oauth/token",
        data={"grant_type": "refresh_token", "client_id": "other"},
        headers={"authorization": basic("one", "secret")},
    )
    for response in (as_json, twice, two_ways):
        assert error_of(response) == (400, "invalid_request")


async def test_a_preflight_from_any_origin_is_answered(flow: Flow) -> None:
    response = await flow.http.options("/oauth/token")
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert "POST" in response.headers["access-control-allow-methods"]


async def test_a_user_who_may_not_be_served_gets_no_tokens(flow: Flow, olga: Owner, owner_url: str) -> None:
    app = await flow.register()
    issued = await flow.tokens(app)
    code = await flow.code(app)
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, false)", (str(olga.principal.tenant_id),))
        owner.execute("UPDATE users SET status = 'suspended' WHERE id = %s", (olga.principal.user_id,))
    assert error_of(await flow.exchange(app, code)) == (400, "invalid_grant")
    assert error_of(await flow.refresh(app, issued["refresh_token"])) == (400, "invalid_grant")


async def test_a_refresh_token_revoked_ends_its_family_and_an_access_token_only_itself(flow: Flow, core: Core) -> None:
    app = await flow.register()
    first, second = await flow.tokens(app), await flow.tokens(app)
    assert (await flow.revoke(app, first["access_token"])).status_code == 200
    assert await opens_mcp(core, first["access_token"]) == 401
    assert (await flow.refresh(app, first["refresh_token"])).status_code == 200

    assert (await flow.revoke(app, second["refresh_token"])).status_code == 200
    assert await opens_mcp(core, second["access_token"]) == 401
    assert error_of(await flow.refresh(app, second["refresh_token"])) == (400, "invalid_grant")


async def test_revoking_what_is_unknown_succeeds_and_what_is_anothers_does_not(flow: Flow, core: Core) -> None:
    app, other = await flow.register(), await flow.register()
    issued = await flow.tokens(app)
    assert (await flow.revoke(app, "unknown")).status_code == 200
    assert error_of(await flow.revoke(App("unknown"), "unknown")) == (401, "invalid_client")
    assert error_of(await flow.token(app, {}, "/oauth/revoke")) == (400, "invalid_request")
    for token in (issued["access_token"], issued["refresh_token"]):
        assert error_of(await flow.revoke(other, token)) == (400, "invalid_grant")
    assert await opens_mcp(core, issued["access_token"]) == 200


async def test_only_hashes_of_codes_and_refresh_tokens_are_kept(flow: Flow, olga: Owner, owner_url: str) -> None:
    app = await flow.register(token_endpoint_auth_method="client_secret_post")
    code = await flow.code(app)
    issued = (await flow.exchange(app, code)).json()
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, false)", (str(olga.principal.tenant_id),))
        kept = owner.execute(
            "SELECT oauth_codes::text FROM oauth_codes UNION ALL SELECT oauth_tokens::text FROM oauth_tokens"
            " UNION ALL SELECT oauth_clients::text FROM oauth_clients WHERE client_id = %s",
            (app.client_id,),
        ).fetchall()
    assert len(kept) == 4
    for secret in (code, issued["refresh_token"], issued["access_token"], str(app.secret)):
        assert not any(secret in row for (row,) in kept)


async def test_a_client_at_an_address_and_the_address_itself_have_limits_of_their_own(
    core: Core, hashes: PasswordHashes, olga: Owner, redis_url: str
) -> None:
    limiter = RateLimiter(redis_url, timeout_s=30)
    rules = Rules(
        token_client=Rule("token_client_test", 2, 60, "local"), token_address=Rule("token_address_test", 5, 60, "local")
    )
    server = server_of(core, hashes, limiter=limiter, rules=rules)

    async def statuses(flow: Flow, *client_ids: str) -> list[int]:
        return [(await flow.refresh(App(client_id), "unknown")).status_code for client_id in client_ids]

    async with flow_of(server, olga, address="203.0.113.7") as flow:
        assert await statuses(flow, "one", "one", "one", "two", "two", "three") == [401, 401, 429, 401, 401, 429]
    async with flow_of(server, olga, address="203.0.113.8") as flow:
        assert await statuses(flow, "one") == [401]
        assert (await flow.http.post("/oauth/revoke", data={"client_id": "one"})).status_code == 400
    await limiter.aclose()
