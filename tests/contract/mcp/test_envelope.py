"""JSON-RPC over HTTP: what is refused before anything runs, and which era a message belongs to."""

import asyncio
import gzip
import json
from typing import Any

import httpx2
import pytest

from tests.contract.mcp.stack import (
    LEGACY,
    MODERN,
    Stack,
    Wire,
    modern_body,
    modern_headers,
    request_body,
    served,
    wire,
)
from threengram.gateway.build import Limits


def _error(response: Any) -> tuple[int, int, object]:
    body = response.json()
    assert body["jsonrpc"] == "2.0"
    return response.status_code, body["error"]["code"], body["id"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"nonsense", b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', b'"\xff"', b"[" * 5000],
)
async def test_what_is_no_json_is_a_parse_error(mcp: Wire, content: bytes) -> None:
    assert _error(await mcp.send(content=content)) == (400, -32700, None)


@pytest.mark.parametrize(
    "params",
    [
        {"name": "\ud800", "arguments": {}},
        {"name": "echo", "arguments": {}, "_meta": {"progressToken": "\ud800"}},
        {"name": "echo", "arguments": {}, "_meta": {"progressToken": 10**400}},
        ["\ud800"],
    ],
)
async def test_a_lone_surrogate_outside_the_arguments_is_a_parse_error(mcp: Wire, params: object) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert _error(await mcp.send(content=json.dumps(body).encode())) == (400, -32700, None)


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
@pytest.mark.parametrize(
    ("text", "field", "rule"),
    [
        ('{"text": "cut in the middle \\ud83d"}', "text", "text_surrogate"),
        ('{"text": "x", "\\udfff": 1}', "?", "text_surrogate"),
        ('{"text": "x", "times": 1%s}' % ("0" * 400), "times", "number_range"),
    ],
)
async def test_an_argument_that_no_text_can_hold_is_named(
    mcp: Wire, era: str, text: str, field: str, rule: str
) -> None:
    """In every era the answer has the id of the call, so no client waits for it."""
    params = {"name": "echo", "arguments": "ODD"}
    body = modern_body("tools/call", params) if era == "modern" else request_body("tools/call", params)
    headers = modern_headers("tools/call", params) if era == "modern" else {"mcp-protocol-version": era}
    answer = await mcp.send(content=json.dumps(body).replace('"ODD"', text).encode(), headers=headers)
    result = answer.json()["result"]
    assert (answer.status_code, answer.json()["id"]) == (200, 1)
    assert result["isError"] is True
    assert (result["_meta"]["code"], result["_meta"]["field"]) == ("invalid_input", field)
    assert result["_meta"]["issues"][0]["code"] == rule


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', "id"),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":"b"}}}',
         "text"),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name" : "add"}}', "name"),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}]', "method"),
    ],
)  # fmt: skip
async def test_a_repeated_member_is_refused_by_name(mcp: Wire, content: str, field: str) -> None:
    """Each parser keeps another one of them."""
    answer = await mcp.send(content=content.encode(), headers={"mcp-protocol-version": "2025-03-26"})
    assert _error(answer) == (400, -32600, None)
    assert answer.json()["error"]["data"] == {"code": "invalid_input", "field": field}


async def test_a_text_that_looks_like_members_is_a_text(mcp: Wire) -> None:
    text = '{"text": 1, "text" : 2}'
    params = {"name": "echo", "arguments": {"text": text}}
    answer = await mcp.send(request_body("tools/call", params), headers={"mcp-protocol-version": "2025-06-18"})
    assert answer.json()["result"]["isError"] is False


async def test_a_compressed_body_is_refused_by_name(mcp: Wire) -> None:
    body = gzip.compress(json.dumps(request_body("ping")).encode())
    answer = await mcp.send(content=body, headers={"content-encoding": "gzip"})
    assert _error(answer) == (415, -32600, None)
    assert answer.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("request_id", [None, 1.5, True, [], {}])
async def test_a_request_whose_id_is_no_id_is_invalid(mcp: Wire, request_id: object) -> None:
    assert _error(await mcp.send(request_body("ping", request_id=request_id))) == (400, -32600, None)


@pytest.mark.parametrize(
    "body",
    [
        3,
        "ping",
        None,
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 4},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
        {"jsonrpc": "2.0", "id": 1},
    ],
)
async def test_json_that_is_no_message_is_an_invalid_request(mcp: Wire, body: object) -> None:
    assert _error(await mcp.send(content=json.dumps(body).encode())) == (400, -32600, None)


@pytest.mark.parametrize("request_id", [0, -7, 2**53, "a", "", "ü"])
async def test_an_id_comes_back_as_it_was_sent(mcp: Wire, request_id: object) -> None:
    response = await mcp.send(request_body("ping", request_id=request_id))

    assert response.json() == {"jsonrpc": "2.0", "id": request_id, "result": {}}


@pytest.mark.parametrize("version", [None, *LEGACY, MODERN])
async def test_a_notification_is_accepted_without_an_answer(mcp: Wire, version: str | None) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}
    response = await mcp.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)

    assert (response.status_code, response.content) == (202, b"")


async def test_a_notification_of_an_unknown_revision_is_refused(mcp: Wire) -> None:
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    assert _error(await mcp.send(notice, headers={"mcp-protocol-version": "2031-01-01"})) == (400, -32600, None)


async def test_an_answer_nobody_asked_for_is_taken_and_dropped(mcp: Wire) -> None:
    assert (await mcp.send({"jsonrpc": "2.0", "id": 1, "result": {}})).status_code == 202


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_another_content_type_is_unsupported(mcp: Wire, content_type: str) -> None:
    response = await mcp.send(request_body("ping"), headers={"content-type": content_type})

    assert _error(response) == (415, -32600, None)


async def test_a_content_type_may_have_parameters(mcp: Wire) -> None:
    response = await mcp.send(request_body("ping"), headers={"content-type": "Application/JSON; charset=utf-8"})

    assert response.status_code == 200


async def test_an_accept_header_without_json_is_not_acceptable(mcp: Wire) -> None:
    assert _error(await mcp.send(request_body("ping"), headers={"accept": "text/event-stream"}))[0] == 406
    assert (await mcp.send(request_body("ping"), headers={"accept": "*/*"})).status_code == 200


async def test_a_body_over_the_limit_is_too_large(stack: Stack) -> None:
    stack.limits = Limits(max_body_bytes=2048)
    async with wire(stack.app()) as mcp:
        fitting = await mcp.call("2025-06-18", "echo", {"text": "x" * 1500})
        too_large = await mcp.call("2025-06-18", "echo", {"text": "x" * 2048})

    assert fitting.status_code == 200
    assert _error(too_large) == (413, -32600, None)


async def test_a_streamed_body_over_the_limit_is_too_large(stack: Stack) -> None:
    stack.limits = Limits(max_body_bytes=2048)

    async def chunks() -> Any:
        for _ in range(40):
            yield b"x" * 100

    async with served(stack.app()) as url, httpx2.AsyncClient(timeout=60) as http:
        response = await http.post(
            f"{url}/mcp",
            content=chunks(),
            headers={"authorization": "Bearer both", "content-type": "application/json"},
        )

    assert _error(response) == (413, -32600, None)


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD", "PUT", "PATCH"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_other_methods_are_refused_at_once(mcp: Wire, method: str, path: str) -> None:
    response = await mcp.http.request(method, path, headers={"accept": "text/event-stream"})

    assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_the_path_with_a_slash_is_served_without_a_redirect(mcp: Wire) -> None:
    assert (await mcp.send(request_body("ping"), path="/mcp/")).json()["result"] == {}


async def test_an_unknown_path_is_not_found(mcp: Wire) -> None:
    response = await mcp.send(request_body("ping"), path="/mcp/x")

    assert (response.status_code, response.json()) == (404, {"error": "not_found"})


@pytest.mark.parametrize("version", LEGACY)
async def test_initialize_agrees_on_the_revision_that_was_asked_for(mcp: Wire, version: str) -> None:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
    for header in (None, version):
        result = (await mcp.legacy("initialize", params, version=header)).json()["result"]

        assert result["protocolVersion"] == version
        assert result["serverInfo"]["name"] == "3ngram"
        assert result["instructions"]
        assert set(result["capabilities"]) == {"completions", "tools", "prompts", "resources"}
        assert result["capabilities"]["tools"] == {"listChanged": False}


async def test_initialize_offers_the_latest_handshake_revision_for_an_unknown_one(mcp: Wire) -> None:
    params = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}

    assert (await mcp.legacy("initialize", params)).json()["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("header", [None, "2025-06-18", "2024-10-07"])
async def test_an_envelope_that_the_version_header_contradicts_is_a_mismatch(mcp: Wire, header: str | None) -> None:
    headers = {} if header is None else {"mcp-protocol-version": header}

    assert _error(await mcp.send(modern_body("tools/list"), headers=headers)) == (400, -32020, 1)


@pytest.mark.parametrize(
    "changed",
    [{"mcp-method": "tools/list"}, {"mcp-name": "note"}, {"mcp-name": ""}, {"mcp-name": "=?base64?!!?="}],
)
async def test_headers_that_contradict_the_body_are_a_mismatch(mcp: Wire, changed: dict[str, str]) -> None:
    response = await mcp.call("modern", "echo", {"text": "x"}, headers=changed)

    assert _error(response) == (400, -32020, 1)


async def test_a_repeated_routing_header_is_a_mismatch(mcp: Wire) -> None:
    params = {"name": "echo", "arguments": {"text": "x"}}
    headers = [*modern_headers("tools/call", params).items(), ("mcp-name", "echo")]

    assert _error(await mcp.send(modern_body("tools/call", params), headers=headers)) == (400, -32020, 1)


async def test_a_name_may_be_sent_in_base64(mcp: Wire) -> None:
    response = await mcp.call("modern", "echo", {"text": "x"}, headers={"mcp-name": "=?base64?ZWNobw==?="})

    assert response.json()["result"]["isError"] is False


async def test_white_space_at_the_end_of_header_values_is_ignored(stack: Stack) -> None:
    params = {"name": "echo", "arguments": {"text": "x"}}
    async with served(stack.app()) as url:
        host, port = url.removeprefix("http://").split(":")
        content = json.dumps(modern_body("tools/call", params)).encode()
        lines = [
            "POST /mcp HTTP/1.1",
            f"Host: {host}",
            "Authorization: Bearer both \t",
            "Content-Type: application/json  ",
            f"MCP-Protocol-Version: {MODERN} ",
            "Mcp-Method: tools/call ",
            "Mcp-Name: echo\t ",
            f"Content-Length: {len(content)}",
            "Connection: close",
        ]
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

    assert answer.startswith(b"HTTP/1.1 200 ")


async def test_an_unsupported_modern_version_is_told_what_is_served(mcp: Wire) -> None:
    body = modern_body("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2027-01-01"
    response = await mcp.send(body, headers={"mcp-protocol-version": "2027-01-01", "mcp-method": "tools/list"})

    assert _error(response) == (400, -32022, 1)
    assert response.json()["error"]["data"] == {"supported": [MODERN], "requested": "2027-01-01"}


async def test_a_modern_header_without_the_envelope_is_refused(mcp: Wire) -> None:
    response = await mcp.legacy("tools/list", version=MODERN, headers={"mcp-method": "tools/list"})

    assert _error(response) == (400, -32602, 1)


@pytest.mark.parametrize("method", ["no/such", "initialize", "ping", "logging/setLevel", "subscriptions/listen"])
async def test_a_method_that_the_modern_revision_lacks_is_not_found(mcp: Wire, method: str) -> None:
    params: dict[str, Any] = {"notifications": {}} if method == "subscriptions/listen" else {}

    assert _error(await mcp.modern(method, params)) == (404, -32601, 1)


@pytest.mark.parametrize("method", ["no/such", "server/discover", "logging/setLevel"])
async def test_a_method_that_older_revisions_lack_is_not_found_under_200(mcp: Wire, method: str) -> None:
    assert _error(await mcp.legacy(method, {"level": "info"})) == (200, -32601, 1)


@pytest.mark.parametrize("params", [{}, {"name": 3}, {"name": "echo", "arguments": [1]}])
async def test_malformed_parameters_are_invalid(mcp: Wire, params: dict[str, Any]) -> None:
    assert _error(await mcp.legacy("tools/call", params)) == (200, -32602, 1)
    headers = {"mcp-name": str(params.get("name", ""))} if params.get("name") == "echo" else {}
    response = await mcp.modern("tools/call", params, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32602, -32020)


async def test_a_session_id_is_ignored(mcp: Wire) -> None:
    response = await mcp.legacy("ping", headers={"mcp-session-id": "nobody-knows-this"})

    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers
