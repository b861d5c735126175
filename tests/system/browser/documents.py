"""Client documents for a running product: the real service that fetches them, with an origin on this computer.

Only two things of the service are the test's: names resolve to this computer, and the test's authority is trusted.
"""

import contextlib
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import anyio
import uvicorn

from tests.contract.oauth.stack import is_public_or_here
from tests.integration.cimd.origin import Names, answer, origin_for, trusting_context
from threengram.cimd.app import build
from threengram.cimd.fetch import Fetcher
from threengram.cimd.settings import Settings

HOST = "app.example"
PATH = "/client.json"


class Documents:
    """Where the service listens, and the URL of the one document that it can find."""

    def __init__(self) -> None:
        self.service_url = ""
        self.document_url = ""


@contextlib.contextmanager
def documents(name: str, redirect_uri: str) -> Iterator[Documents]:
    """The service and the origin, on a loop of their own; the document is shaped like Claude Code's."""
    made, ready, end = Documents(), threading.Event(), anyio.Event()
    loop_token: list[anyio.lowlevel.EventLoopToken] = []

    async def serve() -> None:
        loop_token.append(anyio.lowlevel.current_token())
        settings = Settings()
        fetcher = Fetcher(
            settings, resolver=Names({}), is_allowed=is_public_or_here, tls=trusting_context(), clock=_now
        )
        server = uvicorn.Server(uvicorn.Config(build(settings, fetcher, _now), port=0, log_config=None, ws="none"))
        async with origin_for(HOST) as origin, anyio.create_task_group() as group:
            made.document_url = origin.url(PATH, HOST)
            origin.on(PATH, answer(json.dumps(_document(made.document_url, name, redirect_uri)).encode()))
            group.start_soon(server.serve)
            while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
                await anyio.sleep(0.02)
            port = server.servers[0].sockets[0].getsockname()[1]
            made.service_url = f"http://127.0.0.1:{port}"
            ready.set()
            await end.wait()
            server.should_exit = True

    thread = threading.Thread(target=anyio.run, args=(serve,))
    thread.start()
    try:
        assert ready.wait(30)
        yield made
    finally:
        anyio.from_thread.run_sync(end.set, token=loop_token[0])
        thread.join()


def _document(url: str, name: str, redirect_uri: str) -> dict[str, object]:
    return {
        "client_id": url,
        "client_name": name,
        "client_uri": f"https://{HOST}",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


def _now() -> datetime:
    return datetime.now(UTC)
