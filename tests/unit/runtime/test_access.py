"""The outermost layer, where a request can't be answered any more or isn't one."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from threengram.runtime.metrics import REGISTRY
from threengram.runtime.telemetry import TraceMiddleware

pytestmark = pytest.mark.anyio


async def receive() -> Message:
    """No body."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def discard(_message: Message) -> None:
    """Nobody listens."""


def request(route: str) -> Scope:
    """A request whose application named its route."""
    return {"type": "http", "method": "BREW", "path": "/", "headers": [], "state": {"route": route}}


def served(route: str, status_class: str) -> float:
    """How many requests were accounted so."""
    labels = {"method": "other", "route": route, "status_class": status_class}
    return REGISTRY.get_sample_value("http_server_request_duration_seconds_count", labels) or 0.0


async def test_a_response_that_breaks_off_breaks_the_connection_and_is_still_accounted() -> None:
    async def breaks(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ConnectionError("canary")

    with pytest.raises(ConnectionError):
        await TraceMiddleware(breaks)(request("/broken"), receive, discard)

    assert served("/broken", "2xx") == 1
    assert REGISTRY.get_sample_value("http_server_active_requests") == 0


async def test_a_failure_after_a_complete_response_is_logged_and_goes_no_further() -> None:
    async def stumbles(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        raise ConnectionError("canary")

    await TraceMiddleware(stumbles)(request("/stumbled"), receive, discard)

    assert served("/stumbled", "2xx") == 1


async def test_paths_mistaken_for_routes_cannot_grow_the_series_without_bound() -> None:
    async def answers(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    traced = TraceMiddleware(answers)
    before = served("other", "2xx")
    for number in range(300):
        await traced(request(f"/mistaken/{number}"), receive, discard)

    assert served("/mistaken/255", "2xx") == 1
    assert served("/mistaken/256", "2xx") == 0
    assert served("other", "2xx") == before + 44


async def test_other_kinds_of_scope_pass_through() -> None:
    seen: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["type"])

    await TraceMiddleware(app)({"type": "lifespan"}, receive, discard)

    assert seen == ["lifespan"]
