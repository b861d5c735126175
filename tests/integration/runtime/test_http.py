"""The outbound client against real sockets."""

import anyio
import httpx2
import pytest

from tests.integration.runtime.collector import Collector
from tests.integration.runtime.processes import listening
from threengram.runtime import http
from threengram.runtime.metrics import REGISTRY

pytestmark = pytest.mark.anyio


def requests(peer: str, status_class: str) -> float:
    """How many outbound requests ended so."""
    labels = {"peer": peer, "status_class": status_class}
    return REGISTRY.get_sample_value("http_client_request_duration_seconds_count", labels) or 0.0


async def test_a_request_is_counted_under_its_peer_and_carries_a_trace_even_outside_of_one() -> None:
    before = requests("embedder", "2xx")
    with Collector() as peer:
        async with http.client(peer.url, timeout_s=60, max_connections=1, peer="embedder") as client:
            response = await client.post("/v1/embeddings", json={})

    assert response.status_code == 200
    assert peer.headers[0]["traceparent"].startswith("00-")
    assert requests("embedder", "2xx") == before + 1


async def test_a_silent_peer_fails_within_the_timeout() -> None:
    before = requests("other", "failed")
    with listening() as silent:
        port = silent.getsockname()[1]
        async with http.client(f"http://127.0.0.1:{port}", timeout_s=0.1, max_connections=1) as client:
            with anyio.fail_after(60), pytest.raises(httpx2.ReadTimeout):
                await client.get("/")

    assert requests("other", "failed") == before + 1


async def test_proxy_variables_of_the_environment_do_not_divert_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with Collector() as peer:
        async with http.client(peer.url, timeout_s=60, max_connections=1) as client:
            assert (await client.get("/")).status_code == 200
