"""The gateway with all that it imports and cimd with next to nothing, built from the locks and run as in a cluster."""

import httpx2
import pytest

from images.build import build
from images.engine import Docker
from tests.images.containers import await_ready, container
from tests.images.promises import hold_for
from tests.images.services import Backends, environment, two_ports

GATEWAY_MB, CIMD_MB = 90, 30


@pytest.fixture(scope="session")
def built(docker: Docker) -> Docker:
    build(docker, "gateway", "cimd")
    return docker


def test_the_gateway_serves_from_an_image_within_its_size(built: Docker, database_url: str, redis_url: str) -> None:
    size = hold_for(built, "gateway", limit_mb=GATEWAY_MB)
    print(f"gateway: {size / 1e6:.1f} MB of packages and code")
    port, admin_port = two_ports()
    backends = Backends(database_url, redis_url, embedder_url="", signing_key="")
    with container(built, "gateway", environment=environment("gateway", backends, port, admin_port)) as running:
        await_ready(running, f"http://127.0.0.1:{admin_port}")
        assert httpx2.post(f"http://127.0.0.1:{port}/mcp", json={}, timeout=60, trust_env=False).status_code == 401
        assert running.stop() == 0


def test_cimd_serves_from_an_image_within_its_size_that_has_no_driver_for_our_data(built: Docker) -> None:
    size = hold_for(built, "cimd", limit_mb=CIMD_MB)
    print(f"cimd: {size / 1e6:.1f} MB of packages and code")
    port, admin_port = two_ports()
    backends = Backends("", "", "", "")
    with container(built, "cimd", environment=environment("cimd", backends, port, admin_port)) as running:
        await_ready(running, f"http://127.0.0.1:{admin_port}")
        assert running.stop() == 0
