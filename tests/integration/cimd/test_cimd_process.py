"""The service as a process: what it refuses without any injection, and what it says about it."""

import json
from pathlib import Path

import httpx2
import pytest

from tests.integration.cimd.origin import Origin
from tests.integration.runtime.processes import listening, service
from tests.waiting import wait_until
from threengram.cimd.settings import Settings

pytestmark = pytest.mark.anyio

MODULE = ("-m", "threengram.cimd")


async def test_a_process_reaches_nothing_on_this_machine_and_logs_no_url(tmp_path: Path, origin: Origin) -> None:
    urls = [f"https://{host}:{origin.port}/canary" for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0")]
    with listening() as listener, service(MODULE, "THREENGRAM_CIMD_", tmp_path, listener) as running:
        wait_until(running.is_ready)
        async with httpx2.AsyncClient(base_url=running.url, timeout=60, trust_env=False) as client:
            answers = [await client.post("/v1/resolve", json={"clientId": url}) for url in urls]
            admin = await client.get(f"{running.admin_url}/metrics")
        wait_until(lambda: len(running.events("document_fetched")) == len(urls))
        fetched = running.events("document_fetched")
        running.process.terminate()
        assert running.ended() == 0
        output = running.output

    assert [(response.status_code, response.json()["error"]) for response in answers] == [
        (422, "unsafe_address")
    ] * len(urls)
    assert origin.connections == 0
    assert {(line["host_class"], line["outcome"]) for line in fetched} == {("address", "unsafe_address")}
    assert 'threengram_cimd_resolutions_total{outcome="unsafe_address"} 4.0' in admin.text
    assert "canary" not in output + admin.text + json.dumps([response.json() for response in answers])


def test_no_setting_names_an_address_that_may_be_connected_to() -> None:
    about_networks = {name for name in Settings.model_fields if "network" in name or "address" in name}
    assert about_networks == {"refused_networks"}
