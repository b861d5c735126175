"""What a tool call answers, in every revision."""

import asyncio
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from pydantic import Field

from tests.contract.mcp.stack import CANARY, FIXTURE_TOOLS, LEGACY, EchoInput, Stack, Wire, wire
from threengram.gateway.build import Limits

ERAS = ("modern", *LEGACY)


class RoutedInput(EchoInput):
    text: str = Field(json_schema_extra={"x-mcp-header": "Region"})


@pytest.mark.parametrize("era", ERAS)
async def test_a_success_carries_its_payload_twice(mcp: Wire, stack: Stack, era: str) -> None:
    response = await mcp.call(era, "echo", {"text": "grüße 漢字"})

    result = response.json()["result"]
    payload = {
        "text": "grüße 漢字",
        "tenant": str(stack.tokens.claims["both"].tenant_id),
        "user": str(stack.tokens.claims["both"].user_id),
    }
    assert response.status_code == 200
    assert result["structuredContent"] == payload
    assert json.loads(result["content"][0]["text"]) == payload
    assert result["isError"] is False
    assert "漢字".encode() in response.content, "text goes out as UTF-8, not as escapes"


@pytest.mark.parametrize("era", LEGACY)
async def test_older_revisions_see_no_fields_of_the_modern_one(mcp: Wire, era: str) -> None:
    result = (await mcp.call(era, "echo", {"text": "x"})).json()["result"]

    assert set(result) == {"content", "structuredContent", "isError"}


async def test_the_modern_revision_sees_result_type_and_server(mcp: Wire) -> None:
    result = (await mcp.call("modern", "echo", {"text": "x"})).json()["result"]

    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "3ngram"


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
async def test_an_unknown_argument_is_refused_loudly(mcp: Wire, era: str) -> None:
    response = await mcp.call(era, "echo", {"text": CANARY, "scop": CANARY})

    result = response.json()["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert result["content"][0]["text"].startswith("unknown_argument: scop: ")
    assert "list the tools again" in result["content"][0]["text"]
    assert _meta(result) == {
        "code": "unknown_argument",
        "retryable": False,
        "field": "scop",
        "issues": [{"path": "scop", "code": "extra_forbidden", "message": "Unknown argument"}],
    }
    assert CANARY not in response.text


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "text"),
        (None, "text"),
        ({"text": 3}, "text"),
        ({"text": "x", "times": "3"}, "times"),
        ({"text": "x", "times": 9}, "times"),
        ({"text": "x", "kind": CANARY}, "kind"),
    ],
)
async def test_a_bad_argument_is_named_by_path_and_never_by_value(
    mcp: Wire, arguments: dict[str, Any] | None, field: str
) -> None:
    response = await mcp.call("modern", "echo", arguments)

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(f"invalid_input: {field}: ")
    assert _meta(result)["code"] == "invalid_input"
    assert _meta(result)["field"] == field
    assert CANARY not in response.text


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("not_found", {"code": "not_found", "retryable": False, "id": "0190d3a8-7c2e-7000-8000-000000000000"}),
        ("duplicate", {"code": "duplicate_memory", "retryable": False, "id": "0190d3a8-7c2e-7000-8000-000000000001"}),
        ("cursor", {"code": "invalid_cursor", "retryable": False, "field": "cursor"}),
        ("scope", {"code": "insufficient_scope", "retryable": False}),
        ("suspended", {"code": "access_denied", "retryable": False}),
        ("unavailable", {"code": "unavailable", "retryable": True}),
    ],
)
@pytest.mark.parametrize("era", ["modern", "2025-03-26"])
async def test_a_refusal_of_core_is_an_error_result(
    mcp: Wire, era: str, mode: str, expected: dict[str, object]
) -> None:
    response = await mcp.call(era, "fail", {"mode": mode})

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert "structuredContent" not in result
    text = result["content"][0]["text"]
    assert text.startswith(f"{expected['code']}: ")
    # A model reads the text only.
    assert text.count(str(expected.get("id", text))) == 1
    assert str(expected.get("field", text)) in text
    assert _meta(result) == expected


async def test_a_text_that_names_the_memory_to_use_names_no_other(mcp: Wire) -> None:
    result = (await mcp.call("modern", "fail", {"mode": "successor"})).json()["result"]
    text = result["content"][0]["text"]
    assert text == "conflict: superseded by 0190d3a8-7c2e-7000-8000-000000000003; revise that one"
    assert _meta(result)["id"] == "0190d3a8-7c2e-7000-8000-000000000002"


@pytest.mark.parametrize(("mode", "code"), [("crash", "internal_error"), ("output", "invalid_output")])
@pytest.mark.parametrize("era", ["modern", "2024-11-05"])
async def test_a_failure_of_ours_says_nothing_but_where_to_look(mcp: Wire, era: str, mode: str, code: str) -> None:
    response = await mcp.call(era, "fail", {"mode": mode})

    result = response.json()["result"]
    assert response.status_code == 200
    assert result["isError"] is True
    assert _meta(result) == {"code": code, "retryable": False}
    assert "Correlation id " in result["content"][0]["text"]
    assert CANARY not in response.text
    assert "password" not in response.text


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
async def test_arguments_that_are_nested_too_deeply_are_refused(mcp: Wire, era: str) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    result = (await mcp.call(era, "echo", {"text": deep})).json()["result"]

    assert _meta(result) == {"code": "invalid_input", "retryable": False}


async def test_an_argument_may_be_mirrored_into_a_header(stack: Stack) -> None:
    stack.tools = (FIXTURE_TOOLS[0], replace(FIXTURE_TOOLS[0], name="routed", input=RoutedInput))
    async with wire(stack.app()) as mcp:
        agreeing = await mcp.call("modern", "routed", {"text": "eu"}, headers={"mcp-param-region": "eu"})
        contradicting = await mcp.call("modern", "routed", {"text": "eu"}, headers={"mcp-param-region": "us"})
        missing = await mcp.call("modern", "routed", {"text": "eu"})
        legacy = await mcp.call("2025-06-18", "routed", {"text": "eu"})

    assert [answer.status_code for answer in (agreeing, contradicting, missing, legacy)] == [200, 400, 400, 200]
    assert contradicting.json()["error"]["code"] == -32020


async def test_a_call_that_takes_too_long_is_stopped(stack: Stack) -> None:
    stack.limits = Limits(request_timeout_s=0.05)
    async with wire(stack.app()) as mcp:
        result = (await mcp.call("modern", "fail", {"mode": "slow"})).json()["result"]

    assert result["isError"] is True
    assert _meta(result) == {"code": "deadline_exceeded", "retryable": True}


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
async def test_an_unknown_tool_is_a_protocol_error_under_200(mcp: Wire, era: str) -> None:
    response = await mcp.call(era, "zzz", {})

    assert response.status_code == 200
    assert response.json()["error"] == {"code": -32602, "message": "Unknown tool: zzz"}


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
async def test_an_unknown_prompt_is_a_protocol_error_under_200(mcp: Wire, era: str) -> None:
    request = mcp.modern if era == "modern" else mcp.legacy
    response = await request("prompts/get", {"name": "zzz"})

    assert response.status_code == 200
    assert response.json()["error"]["code"] == -32602


async def test_callers_do_not_mix(mcp: Wire, stack: Stack) -> None:
    tokens = ["both", "reader"] * 25
    responses = await asyncio.gather(
        *(
            mcp.call(ERAS[index % len(ERAS)], "echo", {"text": str(index)}, token=token)
            for index, token in enumerate(tokens)
        )
    )

    for index, (token, response) in enumerate(zip(tokens, responses, strict=True)):
        claims = stack.tokens.claims[token]
        structured = response.json()["result"]["structuredContent"]
        assert structured == {"text": str(index), "tenant": str(claims.tenant_id), "user": str(claims.user_id)}
        assert UUID(structured["tenant"]) == claims.tenant_id


def _meta(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result["_meta"].items() if "/" not in key}
