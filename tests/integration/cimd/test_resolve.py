"""`POST /v1/resolve`: documents that are found, kept and shared."""

import asyncio
from datetime import timedelta

import httpx2
import pytest

from tests.integration.cimd.conftest import Start, document
from tests.integration.cimd.origin import Origin, answer, redirect
from threengram.schema.oauth import ResolveError, ResolveFailure, ResolveResponse

pytestmark = pytest.mark.anyio


async def test_a_document_is_fetched_with_one_plain_request_and_answered_narrowed(origin: Origin, start: Start) -> None:
    url = origin.url("/client.json?v=1")
    body = document(url, grant_types=["authorization_code", "urn:x"], jwks_uri="https://app.example/jwks")
    origin.on("/client.json?v=1", answer(body, cache_control="max-age=60"))
    service = start()

    response = await service.resolve(url)

    resolved = ResolveResponse.model_validate_json(response.content)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    assert response.json()["document"] == {
        "client_id": url,
        "client_name": "App",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    assert resolved.expires_at - resolved.fetched_at == timedelta(seconds=60)
    assert resolved.may_serve_stale
    (request,) = origin.requests
    line, *headers = request.lower().strip().split("\r\n")
    assert line == "get /client.json?v=1 http/1.1"
    assert sorted(headers) == [
        "accept-encoding: identity",
        "accept: application/json",
        "connection: close",
        f"host: app.example:{origin.port}",
        "user-agent: 3ngram-client-metadata",
    ]


async def test_many_who_ask_at_once_cost_one_fetch(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    released = asyncio.Event()

    async def held(writer: asyncio.StreamWriter) -> None:
        await released.wait()
        await answer(document(url), cache_control="no-store")(writer)

    origin.on("/c", held)
    service = start()
    asking = [asyncio.create_task(service.resolve(url)) for _ in range(50)]
    await origin.arrived()
    gone = asking.pop(0)
    gone.cancel()
    released.set()

    answers = await asyncio.gather(*asking)
    assert {response.status_code for response in answers} == {200}
    assert (gone.cancelled(), len(origin.requests)) == (True, 1)


async def test_a_document_is_kept_as_long_as_its_directives_say(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(url), cache_control="max-age=60"))
    service = start()
    await service.resolve(url)
    service.clock.advance(59)
    first = (await service.resolve(url)).json()
    assert len(origin.requests) == 1
    service.clock.advance(1)
    second = (await service.resolve(url)).json()
    assert len(origin.requests) == 2
    assert second["fetchedAt"] > first["fetchedAt"]


@pytest.mark.parametrize("directives", ["no-store", "private, max-age=60", "no-cache", "max-age=0"])
async def test_a_document_that_may_not_be_kept_is_fetched_each_time(
    origin: Origin, start: Start, directives: str
) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(url), cache_control=directives))
    service = start()
    answers = [(await service.resolve(url)).json() for _ in range(2)]
    assert [entry["expiresAt"] == entry["fetchedAt"] for entry in answers] == [True, True]
    assert len(origin.requests) == 2


async def test_redirects_are_followed_and_the_document_is_that_of_the_first_url(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", redirect("/d?e=f", 301, cache_control="max-age=30"))
    origin.on("/d?e=f", redirect(origin.url("/f", "other.example"), 308, cache_control="max-age=60"))
    origin.on("/f", redirect("g/h", 303, cache_control="max-age=60"))
    origin.on("/g/h", answer(document(url), cache_control="max-age=60"))
    service = start()

    resolved = ResolveResponse.model_validate_json((await service.resolve(url)).content)

    assert resolved.document.client_id == url
    assert resolved.expires_at - resolved.fetched_at == timedelta(seconds=30)
    assert service.names.asked == ["app.example", "app.example", "other.example", "other.example"]


async def test_the_next_address_is_tried_when_one_takes_no_connection(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(url)))
    service = start({"app.example": [["127.0.0.2", "127.0.0.1"]]}, policy=lambda _address: True)
    assert (await service.resolve(url)).status_code == 200


async def test_a_url_with_an_address_is_verified_for_that_address(origin: Origin, start: Start) -> None:
    url = origin.url("/c", "127.0.0.1")
    origin.on("/c", answer(document(url)))
    service = start()
    assert (await service.resolve(url)).status_code == 200
    assert service.names.asked == []


async def test_a_failure_is_repeated_only_for_its_pause_and_not_kept(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(b"", status="503 Busy"), answer(b"", status="503 Busy"), answer(document(url)))
    service = start()
    first = await service.resolve(url)
    again = await service.resolve(url)
    assert [(response.status_code, response.headers["retry-after"]) for response in (first, again)] == [(502, "1")] * 2
    assert len(origin.requests) == 1
    service.clock.advance(1)
    assert (await service.resolve(url)).headers["retry-after"] == "2"
    service.clock.advance(2)
    assert (await service.resolve(url)).status_code == 200
    assert len(origin.requests) == 3


async def test_new_documents_are_counted_and_known_ones_are_not(origin: Origin, start: Start) -> None:
    known = origin.url("/known")
    origin.on("/known", answer(document(known), cache_control="no-store"))
    for number in range(3):
        origin.on(f"/{number}", answer(b"", status="404 No"))
    service = start(new_documents_per_minute=3)
    assert (await service.resolve(known)).status_code == 200
    for number in range(2):
        assert await service.failure(origin.url(f"/{number}")) == (422, "document_missing")
    assert await service.failure(origin.url("/2")) == (503, "quota_exceeded")
    assert (await service.resolve(known)).status_code == 200
    service.clock.advance(60)
    assert await service.failure(origin.url("/2")) == (422, "document_missing")


async def test_an_invalid_document_says_which_rule_it_breaks_and_nothing_else(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(origin.url("/canary"), client_name=7, client_secret_hint="canary")))
    response = await start().resolve(url)
    error = ResolveError.model_validate_json(response.content)
    assert (response.status_code, error.error, error.retryable) == (422, ResolveFailure.INVALID_DOCUMENT, False)
    assert [(issue.path, issue.code) for issue in error.issues or []] == [
        ("client_id", "client_id_mismatch"),
        ("client_name", "string_type"),
    ]
    assert "canary" not in response.text


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        (b"{", "application/json", 400, "invalid_input"),
        (b"[]", "application/json", 400, "invalid_input"),
        (b'{"client_id":"https://app.example/c"}', "application/json", 400, "invalid_input"),
        (b'{"clientId":"https://app.example/c","x":1}', "application/json", 400, "invalid_input"),
        (b'{"clientId":7}', "application/json", 400, "invalid_input"),
        (b'{"clientId":""}', "application/json", 400, "invalid_input"),
        (b'{"clientId":"https://app.example/c"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"clientId":"' + b"a" * 16_384 + b'"}', "application/json", 413, "payload_too_large"),
        (b'{"clientId":"https://user@app.example/c"}', "application/json", 400, "invalid_client_id"),
        (b'{"clientId":"https://app.example/' + b"a" * 2_048 + b'"}', "application/json", 400, "invalid_client_id"),
    ],
)
async def test_a_request_that_asks_for_nothing_sensible_is_refused_with_the_envelope(
    start: Start, body: bytes, content_type: str, status: int, code: str
) -> None:
    service = start()
    response = await service.http.post("/v1/resolve", content=body, headers={"content-type": content_type})
    assert (response.status_code, response.json()["error"], response.json()["retryable"]) == (status, code, False)
    assert service.names.asked == []


async def test_only_post_is_taken(start: Start) -> None:
    response: httpx2.Response = await start().http.get("/v1/resolve")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
