"""Clients that register themselves: what is asked for is narrowed, not refused; what can't be honoured is."""

import httpx2
import psycopg
import pytest

from tests.contract.oauth.stack import CALLBACK, Flow, error_of, flow_of, server_of
from tests.contract.web.stack import Owner
from threengram.api.limits import Rules
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import RateLimiter, Rule


async def register(flow: Flow, **metadata: object) -> httpx2.Response:
    return await flow.http.post("/oauth/register", json=metadata)


async def test_a_client_is_told_what_was_registered(flow: Flow) -> None:
    response = await register(flow, redirect_uris=[CALLBACK], client_name="App")
    made = response.json()
    assert response.status_code == 201
    assert response.headers["cache-control"] == "no-store"
    assert made.pop("client_id")
    assert len(made.pop("client_secret")) == 43
    assert made.pop("client_id_issued_at") > 0
    assert made == {
        "client_name": "App",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_basic",
        "client_secret_expires_at": 0,
    }


@pytest.mark.parametrize(
    ("asked", "member", "registered"),
    [
        ({"grant_types": ["authorization_code", "implicit"]}, "grant_types", ["authorization_code"]),
        ({"response_types": ["code", "code id_token"]}, "response_types", ["code"]),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "token_endpoint_auth_method", "none"),
        ({"redirect_uris": [CALLBACK, "app:/callback", CALLBACK]}, "redirect_uris", [CALLBACK]),
        ({"client_name": None}, "client_name", "app.example"),
        ({"client_name": ""}, "client_name", "app.example"),
        ({"client_name": "A\u202epp"}, "client_name", "App"),
        ({"software_id": "x", "contacts": ["a"], "jwks": {}, "application_type": "web"}, "client_name", "app.example"),
    ],
)
async def test_what_is_not_supported_is_left_out(
    flow: Flow, asked: dict[str, object], member: str, registered: object
) -> None:
    response = await register(flow, **{"redirect_uris": [CALLBACK], **asked})
    assert response.status_code == 201, response.text
    assert response.json()[member] == registered


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": "https://app.example"}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://app.example/callback"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://app.example/callback#x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["other-app://host/callback"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://user@app.example/callback"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"https://app.example/{n}" for n in range(17)]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://app.example/" + "x" * 2048]}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK], "client_name": "x" * 256}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "client_name": 3}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "response_types": ["token"]}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "x": "y" * 20_000}, "invalid_client_metadata"),
    ],
)
async def test_what_can_not_be_honoured_is_refused(flow: Flow, asked: dict[str, object], error: str) -> None:
    assert error_of(await register(flow, **asked)) == (400, error)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b"\xff"])
async def test_a_body_that_is_no_object_is_refused(flow: Flow, body: bytes) -> None:
    response = await flow.http.post("/oauth/register", content=body)
    assert error_of(response) == (400, "invalid_client_metadata")


async def test_registrations_from_one_address_are_limited(
    core: Core, hashes: PasswordHashes, olga: Owner, redis_url: str
) -> None:
    limiter = RateLimiter(redis_url, timeout_s=30)
    server = server_of(core, hashes, limiter=limiter, rules=Rules(register_address=Rule("few_a_test", 2, 60, "local")))
    async with flow_of(server, olga, address="198.51.100.9") as flow:
        answers = [await register(flow, redirect_uris=[CALLBACK]) for _ in range(3)]
    await limiter.aclose()
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1


async def test_clients_that_nobody_connected_make_room_for_new_ones(
    core: Core, hashes: PasswordHashes, olga: Owner, owner_url: str
) -> None:
    async with flow_of(server_of(core, hashes), olga) as flow:
        connected = await flow.register()
        await flow.tokens(connected)
        waiting = await flow.register()
    async with flow_of(server_of(core, hashes, max_unused_clients=1), olga) as flow:
        new = await flow.register()
        assert (await flow.ask(new)).status_code == 200
        assert (await flow.ask(connected)).status_code == 200
        assert (await flow.ask(waiting)).status_code == 400
    with psycopg.connect(owner_url) as owner:
        (unused,) = owner.execute("SELECT count(*) FROM oauth_clients WHERE last_used_at IS NULL").fetchone() or (-1,)
    assert unused == 1
