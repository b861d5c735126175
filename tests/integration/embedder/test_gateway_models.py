"""A model behind somebody else's gateway: what comes back is used whole or not at all, and an outage stays bounded."""

import base64
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import numpy as np
import orjson
import pytest

from tests.integration.embedder.conftest import serving
from tests.integration.embedder.gateway import DIMENSIONS, USAGE, Gateway, Reply, Script, answering, vectors
from threengram.embedder.breaker import FAILURES
from threengram.embedder.settings import Settings

pytestmark = pytest.mark.anyio

MODEL = "text-model"
KEY = "a-key-that-is-never-shown"


@asynccontextmanager
async def fronting(gateway: Gateway, *, declared: dict[str, Any] | None = None, **settings: Any) -> AsyncIterator[
    httpx2.AsyncClient
]:  # fmt: skip
    """A client of an embedder in front of the gateway."""
    declaration = {"provider": "openai", "name": MODEL, "dimensions": DIMENSIONS, "window_chars": 200}
    declaration |= declared or {}
    values = {"models": [declaration], "openai_url": gateway.url, "openai_api_key": KEY, "openai_timeout_s": 10.0}
    async with serving(Settings.model_validate(values | settings)) as client:
        yield client


async def post(client: httpx2.AsyncClient, **body: object) -> httpx2.Response:
    return await client.post("/v1/embeddings", json={"model": MODEL, "input": "text"} | body)


async def test_vectors_are_scaled_and_come_with_the_tokens_that_were_counted() -> None:
    with Gateway() as gateway:
        async with fronting(gateway) as client:
            answer = (await post(client, input=["abc", "x"])).json()
            cards = (await client.get("/v1/models")).json()["data"]
        assert [datum["index"] for datum in answer["data"]] == [0, 1]
        expected = np.array([3, 0, 0, 1]) / np.sqrt(10)
        assert answer["data"][0]["embedding"] == pytest.approx(expected, abs=1e-6)
        assert answer["usage"]["total_tokens"] == USAGE
        assert [(card["id"], card["dimensions"]) for card in cards] == [(MODEL, DIMENSIONS)]
        assert gateway.keys == [f"Bearer {KEY}"]
        assert gateway.requests == [{"model": MODEL, "input": ["abc", "x"], "encoding_format": "float"}]


async def test_the_gateways_own_name_its_width_and_prefixes_are_declared() -> None:
    declared = {"model": "vendor/text-model", "sends_dimensions": True, "query_prefix": "query: "}
    with Gateway() as gateway:
        async with fronting(gateway, declared=declared) as client:
            await post(client, priority="query")
        (request,) = gateway.requests
        assert (request["model"], request["dimensions"], request["input"]) == (
            "vendor/text-model",
            DIMENSIONS,
            ["query: text"],
        )


async def test_a_long_text_goes_in_windows_in_calls_of_a_bounded_size() -> None:
    text = " ".join(f"word{number}" for number in range(150))
    with Gateway() as gateway:
        async with fronting(gateway, openai_batch_texts=3, openai_connections=1) as client:
            answer = (await post(client, input=text, contexts=["a topic"], windows="all")).json()
            refused = await post(client, input=text)
        sent = [part for request in gateway.requests for part in request["input"]]
        assert len(answer["data"]) == answer["data"][0]["window_count"] == len(sent) > 4
        assert max(len(request["input"]) for request in gateway.requests) == 3
        assert all(len(part) <= 200 and part.startswith("a topic\n") for part in sent)
        assert refused.json()["error"]["code"] == "context_length_exceeded"


UNUSABLE: dict[str, Script] = {
    "NaN": lambda _: Reply(body=b'{"data": [{"index": 0, "embedding": [NaN, 0, 0, 1]}]}'),
    "null": answering(embedding=[None, 0.0, 0.0, 1.0]),
    "infinity": lambda _: Reply(body=b'{"data": [{"index": 0, "embedding": [1e999, 0, 0, 1]}]}'),
    "beyond float32": answering(embedding=[1e300, 0.0, 0.0, 1.0]),
    "no direction": answering(embedding=[0.0] * DIMENSIONS),
    "wrong width": answering(embedding=[1.0] * (DIMENSIONS + 1)),
    "no numbers": answering(embedding=["a", "b", "c", "d"]),
    "no vector": answering(embedding=None),
    "damaged base64": answering(embedding="not base64!"),
    "another order": answering(index=1),
    "no index": answering(index=None),
    "a truth for an index": answering(index=False),
    "too few": lambda _: Reply(body=b'{"data": []}'),
    "too many": lambda request: Reply(body=vectors({"input": [*request["input"], "more"]}).body),
    "no list": lambda _: Reply(body=b'{"data": {}}'),
    "no object": lambda _: Reply(body=b"[]"),
    "HTML": lambda _: Reply(body=b"<!doctype html><title>Sign in</title>", headers={"content-type": "text/html"}),
    "too long": lambda _: Reply(body=b" " * 1_000_000 + b"{}"),
}


@pytest.mark.parametrize("case", UNUSABLE)
async def test_an_answer_that_is_not_as_it_must_be_is_a_failure(case: str) -> None:
    with Gateway(UNUSABLE[case]) as gateway:
        async with fronting(gateway, openai_tries=1) as client:
            answer = await post(client)
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "gateway_failed")


async def test_base64_is_taken_too() -> None:
    packed = base64.b64encode(np.array([3, 0, 0, 4], "<f4").tobytes()).decode()
    with Gateway(answering(embedding=packed)) as gateway:
        async with fronting(gateway) as client:
            (datum,) = (await post(client)).json()["data"]
    assert datum["embedding"] == pytest.approx([0.6, 0, 0, 0.8])


def refusing(status: int, **headers: str) -> Script:
    return lambda _: Reply(status, b"the body is not shown to anybody", headers)


async def test_what_may_pass_is_tried_again_after_the_time_that_was_asked_for() -> None:
    with Gateway(refusing(429, **{"retry-after": "1"}), refusing(503), vectors) as gateway:
        async with fronting(gateway) as client:
            assert (await post(client)).status_code == 200
        assert len(gateway.requests) == 3
        assert gateway.asked_at[1] - gateway.asked_at[0] >= 1.0


@pytest.mark.parametrize(
    ("status", "tries", "answered", "code"),
    [(500, 3, 502, "gateway_failed"), (401, 1, 502, "gateway_failed"), (400, 1, 400, "invalid_input")],
)
async def test_tries_are_bounded_and_what_will_not_pass_is_not_tried_again(
    status: int, tries: int, answered: int, code: str
) -> None:
    with Gateway(refusing(status)) as gateway:
        async with fronting(gateway) as client:
            answer = await post(client)
        assert (answer.status_code, answer.json()["error"]["code"]) == (answered, code)
        assert "not shown" not in answer.text
        assert len(gateway.requests) == tries


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    with Gateway(refusing(429, **{"retry-after": "3600"})) as gateway:
        async with fronting(gateway) as client:
            began = time.monotonic()
            answer = await post(client)
        assert (answer.status_code, answer.headers["retry-after"]) == (502, "3600")
        assert time.monotonic() - began < 20


async def test_all_tries_together_end_at_the_deadline() -> None:
    with Gateway(lambda request: Reply(body=vectors(request).body, hold_s=30)) as gateway:
        async with fronting(gateway) as client:
            began = time.monotonic()
            answer = await post(client, deadline_ms=300)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "deadline_exceeded")
        assert time.monotonic() - began < 20


async def test_an_answer_that_drips_in_ends_at_the_deadline() -> None:
    """Each byte comes in time; all of them would take half a minute."""
    with Gateway(lambda request: Reply(body=vectors(request).body.ljust(600), drips_every_s=0.05)) as gateway:
        async with fronting(gateway) as client:
            began = time.monotonic()
            answer = await post(client, deadline_ms=300)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "deadline_exceeded")
        assert time.monotonic() - began < 20


async def test_after_failures_in_a_row_the_gateway_is_left_alone() -> None:
    with Gateway(refusing(500)) as gateway:
        async with fronting(gateway, openai_tries=1) as client:
            for _ in range(FAILURES):
                await post(client)
            gateway.scripts = [vectors]
            answer = await post(client)
        assert len(gateway.requests) == FAILURES
        assert answer.status_code == 502
        assert int(answer.headers["retry-after"]) > 0


async def test_a_refused_text_is_no_outage() -> None:
    with Gateway(refusing(400)) as gateway:
        async with fronting(gateway, openai_tries=1) as client:
            for _ in range(2 * FAILURES):
                await post(client)
        assert len(gateway.requests) == 2 * FAILURES


async def test_two_models_are_served_side_by_side() -> None:
    with Gateway() as gateway:
        declared = [
            {"provider": "hash", "dimensions": 32},
            {"provider": "openai", "name": MODEL, "dimensions": DIMENSIONS, "url": gateway.url},
        ]
        async with serving(Settings.model_validate({"models": declared})) as client:
            cards = orjson.loads((await client.get("/v1/models")).content)["data"]
            widths = [
                len((await post(client, model=name)).json()["data"][0]["embedding"]) for name in ("hash-32", MODEL)
            ]
            unknown = await post(client, model="another")
    assert [card["id"] for card in cards] == ["hash-32", MODEL]
    assert widths == [32, DIMENSIONS]
    assert unknown.status_code == 404
