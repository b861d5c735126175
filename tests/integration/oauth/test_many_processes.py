"""One stored refresh token and many processes, as when several agents of one person start at the same moment."""

import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.contract.oauth.stack import API, PUBLIC_URL, App, Flow
from tests.contract.rest.process import api_process
from tests.contract.web.stack import Browser, an_owner, quick_hashes
from tests.integration.runtime.processes import PATIENCE_S, Service
from tests.people import ISSUER
from tests.waiting import wait_until
from threengram.core.call import Core

REFRESHER = Path(__file__).with_name("refresher.py")
PROCESSES = 12


@pytest.fixture
def replicas(database_url: str, redis_url: str, tmp_path: Path) -> Iterator[list[Service]]:
    """Two processes that are one authorization server."""
    variables = {
        "database_url": database_url,
        "redis_url": redis_url,
        "issuer_url": ISSUER,
        "public_url": PUBLIC_URL,
    }
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(api_process(tmp_path, **variables)) for _ in range(2)]
        wait_until(lambda: all(one.is_ready() for one in running))
        yield running


@pytest.fixture
async def flow(replicas: list[Service], core: Core) -> AsyncIterator[Flow]:
    """A client and its user at the first replica."""
    with quick_hashes() as hashes:
        owner = await an_owner(core.database, hashes, core)
    async with (
        httpx2.AsyncClient(base_url=replicas[0].url, timeout=PATIENCE_S, trust_env=False) as http,
        httpx2.AsyncClient(base_url=replicas[0].url, timeout=PATIENCE_S, trust_env=False) as pages,
    ):
        browser = Browser(pages)
        await browser.log_in(owner.email)
        yield Flow(http, browser)


@contextlib.contextmanager
def a_process(service: Service, app: App, refresh_token: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the token and is connected; it goes on with the next line that it is sent."""
    process = subprocess.Popen(
        (sys.executable, "-I", "-S", REFRESHER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdin is not None
        given = {"port": urlsplit(service.url).port, "client_id": app.client_id, "refresh_token": refresh_token}
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        yield process
    finally:
        process.kill()
        process.communicate()


async def test_processes_that_refresh_one_token_at_once_all_stay_logged_in(replicas: list[Service], flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app, resource=API)
    with contextlib.ExitStack() as stack:
        processes = [
            stack.enter_context(a_process(replicas[number % len(replicas)], app, issued["refresh_token"]))
            for number in range(PROCESSES)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [json.loads(process.communicate(timeout=PATIENCE_S)[0]) for process in processes]

    assert [one["statuses"] for one in said] == [[200, 200, 200, 200]] * PROCESSES
    assert len({one["refresh_token"] for one in said}) == PROCESSES
    for one in said:
        assert (await flow.refresh(app, one["refresh_token"])).status_code == 200
    replays = [event for replica in replicas for event in replica.events("family_revoked")]
    assert replays == []
