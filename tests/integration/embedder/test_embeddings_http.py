"""`POST /v1/embeddings` and `GET /v1/models` through the whole application."""

import base64
from typing import Any

import httpx2
import numpy as np
import pytest

from tests.integration.embedder.conftest import serving
from threengram.embedder.app import build
from threengram.embedder.settings import Provider, Settings
from threengram.runtime.metrics import REGISTRY
from threengram.schema.embedding import EmbeddingError, EmbeddingModelList, EmbeddingResponse

pytestmark = pytest.mark.anyio

HASH = "hash-384"
MINILM = "all-MiniLM-L6-v2-int8"


async def post(client: httpx2.AsyncClient, **body: object) -> httpx2.Response:
    return await client.post("/v1/embeddings", json={"model": HASH} | body)


async def data(client: httpx2.AsyncClient, **body: object) -> list[dict[str, Any]]:
    response = await post(client, **body)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]
    return found


def windows_of(found: list[dict[str, Any]]) -> list[tuple[int, int, int, int]]:
    return [(row["index"], row["window"], row["window_count"], row["omitted_windows"]) for row in found]


async def test_the_real_model_puts_a_paraphrase_first(minilm: httpx2.AsyncClient) -> None:
    texts = ["Which database stores invoices?", "Billing data lives in PostgreSQL", "Mia likes strawberry jam"]
    query, near, far = [np.array(row["embedding"]) for row in await data(minilm, model=MINILM, input=texts)]
    assert query @ near > query @ far + 0.3


async def test_long_text_is_embedded_in_windows_and_short_text_in_one(minilm: httpx2.AsyncClient) -> None:
    texts = ["short", "the quick brown fox " * 100, "漢" * 2_000]
    found = await data(minilm, model=MINILM, input=texts, contexts=["t", "a topic", ""], windows="all")
    assert windows_of(found) == [
        (0, 0, 1, 0),
        *((1, window, 4, 0) for window in range(4)),
        *((2, window, 21, 0) for window in range(21)),
    ]
    assert np.linalg.norm([row["embedding"] for row in found], axis=1) == pytest.approx(np.ones(26), abs=1e-5)


async def test_the_first_window_comes_with_the_true_count(minilm: httpx2.AsyncClient) -> None:
    text = "the quick brown fox " * 5_000
    found = await data(minilm, model=MINILM, input=text, windows="first")
    assert windows_of(found) == [(0, 0, 128, 85)]


async def test_too_long_a_text_is_refused_unless_windows_are_wanted(minilm: httpx2.AsyncClient) -> None:
    response = await post(minilm, model=MINILM, input=["fine", "word " * 300])
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "context_length_exceeded"


async def test_a_query_may_be_longer_than_a_window(minilm: httpx2.AsyncClient) -> None:
    found = await data(minilm, model=MINILM, input="word " * 200, priority="query")
    assert len(found) == 1


async def test_a_repeated_query_comes_from_the_cache_unchanged(minilm: httpx2.AsyncClient) -> None:
    query = {"model": MINILM, "input": ["where are invoices?", "who is Mia?"], "priority": "query"}
    first = await post(minilm, **query)
    mixed = await post(minilm, **query | {"input": ["who is Mia?", "something new", "where are invoices?"]})
    one, other = (row["embedding"] for row in first.json()["data"])
    assert [row["embedding"] for row in mixed.json()["data"]][::2] == [other, one]
    assert (await post(minilm, **query)).json() == first.json()


async def test_only_queries_are_kept(minilm: httpx2.AsyncClient) -> None:
    def embedded() -> float:
        return REGISTRY.get_sample_value("threengram_embedder_tokens_total") or 0.0

    costs = {}
    for priority in ("query", "write", "backfill"):
        body = {"model": MINILM, "input": f"asked twice as a {priority}", "priority": priority}
        before = embedded()
        await post(minilm, **body)
        once = embedded() - before
        await post(minilm, **body)
        costs[priority] = round((embedded() - before) / once)
    assert costs == {"query": 1, "write": 2, "backfill": 2}


async def test_base64_is_the_same_float32_as_numbers(hashing: httpx2.AsyncClient) -> None:
    (numbers,) = await data(hashing, input="some text", encoding_format="float")
    (encoded,) = await data(hashing, input="some text", encoding_format="base64")
    decoded = np.frombuffer(base64.b64decode(encoded["embedding"]), "<f4")
    np.testing.assert_array_equal(decoded, np.array(numbers["embedding"], np.float32))


async def test_an_answer_follows_the_schema_and_hides_windows_from_plain_clients(hashing: httpx2.AsyncClient) -> None:
    response = await post(hashing, input=["a", "b"], user="someone", dimensions=384)
    answer = EmbeddingResponse.model_validate_json(response.content)
    assert [datum.index for datum in answer.data] == [0, 1]
    assert (answer.model, answer.usage.prompt_tokens) == (HASH, 2)
    assert set(response.json()["data"][0]) == {"object", "index", "embedding"}


async def test_a_process_without_its_model_is_not_ready() -> None:
    app, health = build(Settings(provider=Provider.HASH))
    assert set((await health.ready()).failing) == {"model"}
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://embedder") as client:
        assert (await post(client, input="text")).status_code == 503


async def test_models_lists_the_one_model(hashing: httpx2.AsyncClient) -> None:
    listed = EmbeddingModelList.model_validate_json((await hashing.get("/v1/models")).content)
    assert [(card.id, card.dimensions, card.window_pieces) for card in listed.data] == [(HASH, 384, 1024)]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"input": ""}, 400, "invalid_input"),
        ({"input": "a\0"}, 400, "invalid_input"),
        ({"input": "a", "unknown": True}, 400, "invalid_input"),
        ({"input": "a", "dimensions": 256}, 400, "invalid_input"),
        ({"input": "a" * 4_000, "contexts": ["b" * 1_001]}, 400, "invalid_input"),
        ({"input": "a", "model": "text-embedding-3-large"}, 404, "model_not_found"),
        ({"input": ["a" * 4_999] * 5}, 413, "payload_too_large"),
    ],
)
async def test_bad_requests_are_refused_in_the_openai_shape(
    hashing: httpx2.AsyncClient, body: dict[str, object], status: int, code: str
) -> None:
    response = await post(hashing, **body)
    error = EmbeddingError.model_validate_json(response.content).error
    assert (response.status_code, error.type, error.code) == (status, "invalid_request_error", code)


@pytest.mark.parametrize(
    ("method", "path", "content_type", "status"),
    [
        ("GET", "/v1/embeddings", None, 405),
        ("POST", "/v1/models", "application/json", 405),
        ("GET", "/", None, 404),
        ("POST", "/v1/embeddings", "text/plain", 415),
        ("POST", "/v1/embeddings", None, 415),
        ("POST", "/v1/embeddings", "application/json; charset=utf-8", 400),
    ],
)
async def test_every_failure_is_json(
    hashing: httpx2.AsyncClient, method: str, path: str, content_type: str | None, status: int
) -> None:
    headers = {"content-type": content_type} if content_type else {}
    response = await hashing.request(method, path, content=b"{", headers=headers)
    assert response.status_code == status
    EmbeddingError.model_validate_json(response.content)


async def test_a_passed_deadline_is_a_timeout(minilm: httpx2.AsyncClient) -> None:
    response = await post(minilm, model=MINILM, input=["word " * 2_000] * 4, windows="all", deadline_ms=20)
    assert (response.status_code, response.json()["error"]["code"]) == (504, "deadline_exceeded")


async def test_too_many_pending_bytes_are_refused_with_a_time_to_return() -> None:
    settings = Settings(provider=Provider.HASH, max_body_bytes=100, max_pending_body_bytes=100)
    async with serving(settings) as client:

        async def interrupted() -> Any:
            yield b'{"model":"hash-384","input":"' + b"a" * 60
            response = await post(client, input="b" * 40)
            assert (response.status_code, response.headers["retry-after"]) == (503, "1")
            yield b'"}'

        response = await client.post(
            "/v1/embeddings", content=interrupted(), headers={"content-type": "application/json"}
        )
        assert response.status_code == 200
        assert (await post(client, input="b" * 40)).status_code == 200
