"""The public conformance suite against the gateway, each frozen requirement set at its own wire."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.mcp.stack import served
from tests.people import Person
from tests.servers import free_port
from tests.system.conformance.fixture import fixture_app
from tests.system.nodejs import node
from threengram.core.call import Core
from threengram.runtime.ratelimit import RateLimiter

BASELINES = Path(__file__).parent
SCENARIO_TIMEOUT_MS = "60000"


@pytest.fixture
async def fixture_url(core: Core, redis_url: str, alice: Person) -> AsyncIterator[str]:
    limiter = RateLimiter(redis_url, timeout_s=30)
    port = free_port()
    origins = (f"http://127.0.0.1:{port}", f"http://localhost:{port}")
    app = fixture_app(core, limiter, alice.token, origins=origins)
    async with served(app, port=port) as url:
        yield f"{url}/mcp"
    await limiter.aclose()


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_nothing_fails_that_is_not_expected_to_and_the_rest_still_does(
    fixture_url: str, revision: str, tmp_path: Path
) -> None:
    finished = await node(
        "node_modules/@modelcontextprotocol/conformance/dist/index.js",
        "server",
        f"--url={fixture_url}",
        f"--requirements={revision}",
        f"--timeout={SCENARIO_TIMEOUT_MS}",
        f"--output-dir={tmp_path / 'results'}",
        f"--expected-failures={BASELINES / f'baseline-{revision}.yml'}",
        directory=tmp_path,
    )
    assert finished.code == 0, finished.output + finished.errors
