"""The service against its own description: generated requests, good and bad, over a real socket.

Runs with a fixed seed and a bounded number of examples, so that it finds the same things on every machine.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal

import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.contract.rest.process import api_process, new_key
from tests.waiting import wait_until
from threengram.api.openapi import document
from threengram.api.operations import OPERATIONS

MAX_EXAMPLES = 25
CONFORMANCE = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
REFUSALS = [
    checks.negative_data_rejection,
    checks.unsupported_method,
    checks.allow_header_conformance,
    checks.missing_required_header,
    checks.ignored_auth,
]
"""That good data is accepted is not checked: rules across fields have no place in a JSON schema."""

config = schemathesis.Config.from_dict(
    {"seed": 1, "generation": {"deterministic": True, "max-examples": MAX_EXAMPLES, "mode": "all"}}
)


@pytest.fixture(scope="session")
def fuzzed_url(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, redis_url: str, hash_embedder_url: str
) -> Iterator[str]:
    variables = {
        "database_url": database_url,
        "redis_url": redis_url,
        "embedder_url": hash_embedder_url,
        "key_calls_per_minute": "1000000",
        "user_calls_per_minute": "1000000",
    }
    with api_process(tmp_path_factory.mktemp("fuzz"), **variables) as running:
        wait_until(running.is_ready)
        yield running.url


@pytest.fixture(scope="session")
def fuzzing_key(database_url: str) -> str:
    return new_key(database_url)


@schemathesis.serializer("application/x-ndjson")
def one_line(_ctx: object, value: object) -> bytes:
    """A body of one line."""
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"


schema = schemathesis.openapi.from_dict(orjson.loads(document(OPERATIONS)), config=config)


@schema.parametrize()
@settings(max_examples=MAX_EXAMPLES, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_service_does_what_it_says(
    case: schemathesis.Case[Any], fuzzed_url: str, fuzzing_key: str, database_url: str
) -> None:
    # Whoever deletes an account has no further use for its key.
    key = new_key(database_url) if case.operation.method == "delete" else fuzzing_key
    case.call_and_validate(
        base_url=fuzzed_url, headers={"X-API-Key": key}, checks=[*CONFORMANCE, *REFUSALS], timeout=60
    )


def test_what_succeeds_has_the_shape_that_is_described(fuzzed_url: str, fuzzing_key: str) -> None:
    """Good answers of every operation: chance seldom finds an id that exists."""

    def ask(method: Literal["GET", "POST"], path: str, **given: Any) -> dict[str, Any]:
        case = schema[f"/api/v1{path}"][method].Case(method=method, media_type="application/json", **given)
        response = case.call_and_validate(
            base_url=fuzzed_url, headers={"X-API-Key": fuzzing_key}, checks=CONFORMANCE, timeout=60
        )
        assert response.status_code < 300, response.text
        answer: dict[str, Any] = response.json()
        return answer

    fact = {"subject": "s", "predicate": "p", "value": "v", "confidence": 0.5, "validFrom": "2026-01-01T00:00:00Z"}
    promise = {
        "memoryType": "commitment",
        "topic": "t",
        "content": "c",
        "dueAt": "2027-01-01T00:00:00Z",
        "project": "p",
    }
    memory_id = ask("POST", "/memories", body={**promise, "facts": [fact]})["memory"]["id"]
    ask("POST", "/memories", body={"memoryType": "note", "topic": "t", "content": "another c"})
    ask("GET", "/memories/{id}", path_parameters={"id": memory_id})
    ask("POST", "/memories/get", body={"ids": [memory_id, "0190d3a8-7c2e-7000-8000-000000000000"]})
    page = ask("POST", "/search", body={"query": "c", "limit": 1})
    ask("POST", "/search", body={"query": "c", "limit": 1, "cursor": page["nextCursor"]})
    ask("POST", "/search", body={"order": "chronological", "scope": "personal", "projection": "compact"})
    ask("GET", "/environment")
    ask("GET", "/version")
