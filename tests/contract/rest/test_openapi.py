"""The description of the API is generated, committed, and served."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.contract.rest.stack import Rest
from threengram.api.openapi import document
from threengram.api.operations import OPERATIONS
from threengram.schema.errors import ErrorBody

COMMITTED = Path(__file__).parents[3] / "docs" / "reference" / "openapi.json"
CLOSED_BY = {"enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"}


@pytest.fixture
def description() -> dict[str, Any]:
    described: dict[str, Any] = orjson.loads(document(OPERATIONS))
    return described


def test_the_committed_description_is_the_generated_one() -> None:
    command = "python -m threengram.api.openapi > docs/reference/openapi.json"
    assert COMMITTED.read_bytes() == document(OPERATIONS), f"run `{command}`"


def test_every_process_generates_the_same_bytes() -> None:
    argv = [sys.executable, "-m", "threengram.api.openapi"]
    printed = [
        subprocess.run(argv, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, timeout=60).stdout
        for seed in ("1", "2")
    ]
    assert printed == [COMMITTED.read_bytes()] * 2


async def test_the_description_is_served_to_anybody(rest: Rest) -> None:
    response = await rest.with_key(None).get("/openapi.json")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "public, max-age=300"
    assert response.content == document(OPERATIONS)


def test_requests_are_closed_and_answers_are_open_and_loose(description: dict[str, Any]) -> None:
    for path in description["paths"].values():
        for operation in path.values():
            for media_type, body in operation.get("requestBody", {}).get("content", {}).items():
                # A line of an export is an answer that came back: a later release may have written it.
                is_open = media_type == "application/x-ndjson"
                assert all(node["additionalProperties"] is is_open for node in _objects(body["schema"]))
            success = operation["responses"].get("200") or operation["responses"]["201"]
            (answer,) = success["content"].values()
            schema = answer["schema"]
            assert all(node["additionalProperties"] is not False for node in _objects(schema))
            assert not any(CLOSED_BY & node.keys() for node in _nodes(schema))


def test_every_operation_says_how_it_fails(description: dict[str, Any]) -> None:
    for path in description["paths"].values():
        for operation in path.values():
            assert {"400", "401", "403", "429", "500", "503", "504"} <= operation["responses"].keys()
            failures = [answer for status, answer in operation["responses"].items() if status >= "400"]
            schemas = {answer["content"]["application/json"]["schema"]["$ref"] for answer in failures}
            assert schemas == {"#/components/schemas/Error"}
            assert operation["security"] == [{"apiKey": []}, {"bearer": []}]


def test_the_error_schema_describes_the_error_body(description: dict[str, Any]) -> None:
    schema = description["components"]["schemas"]["Error"]
    assert list(schema["properties"]) == sorted(ErrorBody.model_fields)
    assert sorted(schema["required"]) == ["error", "retryable"]


def test_operation_ids_are_unique(description: dict[str, Any]) -> None:
    assert description["openapi"] == "3.1.0"
    ids = [operation["operationId"] for path in description["paths"].values() for operation in path.values()]
    assert len(ids) == len(set(ids)) == len(OPERATIONS)


def _nodes(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for item in node for found in _nodes(item)]
    if not isinstance(node, dict):
        return []
    return [node, *(found for value in node.values() for found in _nodes(value))]


def _objects(node: Any) -> list[dict[str, Any]]:
    return [found for found in _nodes(node) if isinstance(found.get("properties"), dict)]
