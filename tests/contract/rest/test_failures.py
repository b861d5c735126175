"""Every way to fail has the same body, the right status, and nothing of what was sent in it."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx2
import pytest
from pydantic import ValidationError

from tests.contract.rest.stack import Rest, a_key, api_of, requests_to
from tests.people import Person
from tests.waiting import cut_short
from threengram.api.gates import Limits
from threengram.core.call import Call, Core, OpenCall
from threengram.core.errors import Unavailable
from threengram.core.principal import Principal
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import OAuthScope
from threengram.schema.errors import MAX_DETAIL_CHARS, ErrorBody

CANARY = "c4n4ry-of-a-private-thought"
NOTE = {"memoryType": "note", "topic": "a topic", "content": "some content"}


def failure(response: httpx2.Response) -> dict[str, Any]:
    """The body, once it is known to be an error body that says nothing of the canary."""
    assert response.headers["content-type"] == "application/json"
    assert CANARY not in response.text
    body = ErrorBody.model_validate_json(response.content)
    assert len(body.detail or "") <= MAX_DETAIL_CHARS
    return body.wire()


@pytest.mark.parametrize("path", ["/nothing", "/memories/", "/search/", "", f"/{CANARY}"])
async def test_an_unknown_route_is_not_found_and_never_a_redirect(rest: Rest, path: str) -> None:
    response = await rest.get(path)
    assert response.status_code == 404
    assert failure(response)["error"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/memories", "GET, HEAD, POST"),
        ("GET", "/memories/get", "POST"),
        ("DELETE", "/memories/get", "POST"),
        ("OPTIONS", "/search", "POST"),
        ("POST", "/environment", "GET, HEAD"),
        ("PATCH", "/memories/0190d3a8-7c2e-7000-8000-000000000000", "GET, HEAD"),
        ("POST", "/openapi.json", "GET, HEAD"),
        ("BREW", "/version", "GET, HEAD"),
    ],
)
async def test_a_wrong_method_learns_the_right_ones(rest: Rest, method: str, path: str, allow: str) -> None:
    response = await rest.send(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allow)
    assert failure(response)["error"] == "method_not_allowed"


async def test_without_a_credential_the_answer_is_a_challenge(rest: Rest) -> None:
    response = await rest.with_key(None).get("/environment")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="3ngram"'
    assert failure(response)["error"] == "unauthorized"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "3ng_" + "a" * 43},
        {"x-api-key": CANARY},
        {"x-api-key": ""},
        {"x-api-key": "3ng_" + "ä" * 43},
        {"authorization": f"Bearer 3ng_{'b' * 43}"},
        {"authorization": f"Bearer {CANARY}.{CANARY}.{CANARY}"},
        {"authorization": "Basic dTpw"},
        {"authorization": "Bearer"},
    ],
)
async def test_a_bad_credential_is_refused_without_saying_why(rest: Rest, headers: dict[str, str]) -> None:
    encoded = {name: value.encode() for name, value in headers.items()}
    response = await rest.with_key(None).get("/environment", headers=encoded)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="3ngram", error="invalid_token"'
    assert failure(response)["detail"] == "the credential is unknown, expired, revoked or malformed"


async def test_a_bad_key_is_not_saved_by_a_good_token_nor_two_keys_by_one(rest: Rest) -> None:
    headers = [("x-api-key", "3ng_" + "a" * 43), ("authorization", f"Bearer {rest.key}")]
    twice = [("x-api-key", str(rest.key)), ("x-api-key", str(rest.key))]
    for sent in (headers, twice):
        response = await rest.http.get("/api/v1/environment", headers=sent)
        assert response.status_code == 401


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"query": NaN}', "not valid JSON"),
        (b'{"query": ' + b"[" * 300 + b"]" * 300 + b"}", "nested too deeply"),
        (b'{"query": ' + b"[" * 5000 + b"]" * 5000 + b"}", "too deep"),
        (b'{"query": "\\ud83d"}', "query: Text must not contain lone surrogates"),
        (b'{"query": "q", "limit": 1' + b"0" * 400 + b"}", "limit: The number is out of range"),
        (b'{"query": "\xff"}', "not valid JSON"),
        (b'{"query": "a", "limit": 1, "query": "b"}', "query: One object has this member more than once"),
        (
            b'{"query": "a", "qu\\u0065ry" : "b", "tags": ["\\u0022:"]}',
            "query: One object has this member more than once",
        ),
        (b"[]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
    ],
)
async def test_a_body_that_is_no_object_is_invalid_input(rest: Rest, content: bytes, said: str) -> None:
    response = await rest.post("/search", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 400
    body = failure(response)
    assert body["error"] == "invalid_input"
    assert said in body["detail"]


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"surprise": CANARY}, "surprise", "extra_forbidden"),
        ({"memory_type": "note"}, "memory_type", "extra_forbidden"),
        ({"memoryType": CANARY}, "memoryType", "enum"),
        ({"content": 7}, "content", "string_type"),
        ({"content": CANARY + "x" * 2000}, "content", "string_too_long"),
        ({"content": f"{CANARY}\x00"}, "content", "text_nul"),
        ({"facts": [{"subject": "s", "predicate": "p", "value": CANARY, "extra": 1}]}, "facts[0].extra",
         "extra_forbidden"),
        ({"facts": [{"subject": "s", "predicate": "p", "value": 98}]}, "facts[0].value", "string_type"),
        ({"dueAt": "2026-03-01T09:00:00Z"}, "dueAt", "commitment_only"),
    ],
)  # fmt: skip
async def test_bad_arguments_are_named_by_path_and_rule(
    rest: Rest, change: dict[str, Any], field: str, rule: str
) -> None:
    response = await rest.post("/memories", {**NOTE, **change})
    assert response.status_code == 400
    body = failure(response)
    assert body["error"] == "invalid_input"
    assert body["field"] == field
    assert body["issues"][0]["code"] == rule
    assert body["issues"][0]["path"] == field


async def test_an_unknown_parameter_is_refused_on_every_route(rest: Rest) -> None:
    for method, path, body in (
        ("GET", "/environment", None),
        ("GET", "/version", None),
        ("GET", "/memories/0190d3a8-7c2e-7000-8000-000000000000", None),
        ("POST", "/memories", NOTE),
        ("POST", "/search", {"query": "q"}),
    ):
        response = await rest.send(method, f"{path}?scope={CANARY}", json=body)
        assert response.status_code == 400
        refused = failure(response)
        assert (refused["error"], refused["field"]) == ("invalid_input", "scope")


async def test_a_query_can_not_stand_in_for_the_path(rest: Rest) -> None:
    response = await rest.get("/memories/not-an-id?id=0190d3a8-7c2e-7000-8000-000000000000")
    assert response.status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/jsonp"},
        {"content-type": ""},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
async def test_anything_but_plain_json_is_an_unsupported_type(rest: Rest, headers: dict[str, str]) -> None:
    response = await rest.post("/search", content=b'{"query": "q"}', headers=headers)
    assert response.status_code == 415
    assert failure(response)["error"] == "unsupported_media_type"


@pytest.mark.parametrize("content_type", ["Application/JSON", 'application/json;charset="UTF-8"'])
async def test_the_type_has_several_spellings(rest: Rest, content_type: str) -> None:
    response = await rest.post("/search", content=b'{"query": "q"}', headers={"content-type": content_type})
    assert response.status_code == 200


async def test_a_body_over_the_limit_is_cut_off_however_it_comes(
    core: Core, limiter: RateLimiter, alice: Person
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(8):
            yield b" " * 512

    app = api_of(core, limiter, limits=Limits(max_body_bytes=1024))
    async with requests_to(app, await a_key(core, alice)) as rest:
        for content in (b" " * 2048, chunks()):
            response = await rest.post("/search", content=content, headers={"content-type": "application/json"})
            assert (response.status_code, response.headers["connection"]) == (413, "close")
            assert failure(response)["error"] == "payload_too_large"


async def test_the_limit_is_told_and_kept_for_a_key_and_for_its_user(
    core: Core, limiter: RateLimiter, alice: Person, bob: Person
) -> None:
    async with requests_to(api_of(core, limiter, a_minute=2), await a_key(core, alice)) as rest:
        first = await rest.get("/version")
        await rest.get("/version")
        third = await rest.get("/version")
        other_key = await rest.with_key(await a_key(core, alice)).get("/version")
        other_user = await rest.with_key(await a_key(core, bob)).get("/version")

    assert (first.headers["ratelimit-limit"], first.headers["ratelimit-remaining"]) == ("2", "1")
    for refused in (third, other_key):
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.headers["ratelimit-remaining"] == "0"
        assert (failure(refused)["error"], failure(refused)["retryable"]) == ("rate_limited", True)
    assert other_user.status_code == 200


async def test_a_read_only_key_can_not_write_nor_a_write_only_key_read(core: Core, rest: Rest, alice: Person) -> None:
    reader = rest.with_key(await a_key(core, alice, [OAuthScope.MEMORY_READ]))
    writer = rest.with_key(await a_key(core, alice, [OAuthScope.MEMORY_WRITE]))
    refusals = [
        (await reader.post("/memories", {"not": "looked at"}), "memory:write"),
        (await writer.post("/search", {"not": "looked at"}), "memory:read"),
        (await writer.get("/memories/0190d3a8-7c2e-7000-8000-000000000000"), "memory:read"),
        (await writer.get("/environment"), "memory:read"),
    ]
    for response, scope in refusals:
        assert response.status_code == 403
        challenge = f'Bearer realm="3ngram", error="insufficient_scope", scope="{scope}"'
        assert response.headers["www-authenticate"] == challenge
        assert failure(response)["error"] == "insufficient_scope"
    assert (await writer.post("/memories", NOTE)).status_code == 201
    assert (await reader.get("/version")).status_code == (await writer.get("/version")).status_code == 200


async def test_gates_stand_in_their_order(core: Core, limiter: RateLimiter, alice: Person) -> None:
    no_type: dict[str, Any] = {"content": b"{", "headers": {"content-type": "text/plain"}}
    no_json: dict[str, Any] = {"content": b"{", "headers": {"content-type": "application/json"}}
    app = api_of(core, limiter, a_minute=3)
    async with requests_to(app, await a_key(core, alice, [OAuthScope.MEMORY_READ])) as rest:
        assert (await rest.with_key("3ng_wrong").post("/memories", **no_type)).status_code == 401, "credential first"
        assert (await rest.post("/memories", **no_type)).status_code == 415, "body before scope"
        assert (await rest.post("/memories", **no_json)).status_code == 403, "scope before arguments"
        assert (await rest.post("/search", **no_json)).status_code == 400, "arguments"
        assert (await rest.post("/search", **no_type)).status_code == 429, "limit before body"


@contextlib.asynccontextmanager
async def _slow(_principal: Principal) -> AsyncIterator[Call]:
    await cut_short()
    yield cast(Call, None)


def _failing(error: Exception) -> OpenCall:
    @contextlib.asynccontextmanager
    async def calls(principal: Principal) -> AsyncIterator[Call]:
        if principal.scopes:
            raise error
        yield cast(Call, None)

    return calls


@contextlib.asynccontextmanager
async def _illegible(_principal: Principal) -> AsyncIterator[Call]:
    ErrorBody.model_validate({"error": CANARY})
    yield cast(Call, None)


@pytest.mark.parametrize(
    ("calls", "status", "code", "retryable"),
    [
        (_slow, 504, "deadline_exceeded", True),
        (_failing(Unavailable("the database is not available")), 503, "unavailable", True),
        (_failing(RuntimeError(f"postgres://user:password@host/{CANARY}")), 500, "internal_error", False),
        (_illegible, 500, "invalid_output", False),
    ],
)
async def test_what_fails_behind_the_gates_is_told_by_code_only(
    core: Core, limiter: RateLimiter, alice: Person, calls: OpenCall, status: int, code: str, retryable: bool
) -> None:
    limits = Limits(request_timeout_s=0.05) if calls is _slow else Limits()
    async with requests_to(api_of(core, limiter, limits=limits, calls=calls), await a_key(core, alice)) as rest:
        response = await rest.post("/search", {"query": CANARY})

    body = failure(response)
    assert (response.status_code, body["error"], body["retryable"]) == (status, code, retryable)
    assert ("retry-after" in response.headers) is (status == 503)
    assert ("correlation id" in body["detail"]) is (status == 500)


def test_the_error_body_refuses_what_is_no_code() -> None:
    with pytest.raises(ValidationError):
        ErrorBody.model_validate({"error": CANARY, "retryable": False})
