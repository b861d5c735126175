"""What the README promises: a client connected by a login, seen among the apps, and disconnected."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import Queue

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from playwright.sync_api import Browser, expect
from pydantic import AnyUrl

from tests.stack import data_directory, hashing, running_stack
from tests.system.browser.conftest import Callback, a_page, log_in

WAIT_S = 60.0


class Storage:
    """Keeps what a client is given, in memory."""

    tokens: OAuthToken | None = None
    info: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.info = client_info


async def remember(mcp_url: str, provider: OAuthClientProvider) -> bool:
    """Whether the official client could write a memory."""
    async with (
        httpx2.AsyncClient(auth=provider, timeout=WAIT_S, trust_env=False) as http,
        Client(streamable_http_client(mcp_url, http_client=http)) as client,
    ):
        note = {"memoryType": "note", "topic": "First connection", "content": "Connected by a login."}
        return not (await client.call_tool("remember", note)).is_error


def opens(mcp_url: str, storage: Storage) -> int:
    """The status of a request with the token that the client got."""
    assert storage.tokens is not None
    headers = {
        "authorization": f"Bearer {storage.tokens.access_token}",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
    }
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "login"}},
    }
    return httpx2.post(mcp_url, json=body, headers=headers, timeout=WAIT_S, trust_env=False).status_code


def test_the_official_client_is_connected_by_a_login_and_disconnected_by_a_click(chromium: Browser) -> None:
    with (
        data_directory() as data_dir,
        running_stack(data_dir, *hashing()) as stack,
        Callback() as callback,
        ThreadPoolExecutor(1) as aside,
        a_page(chromium, stack.record["apiUrl"], scripts=False) as page,
    ):
        record, storage, opened = stack.record, Storage(), Queue[str]()

        async def open_browser(url: str) -> None:
            opened.put(url)

        async def answer() -> AuthorizationCodeResult:
            return AuthorizationCodeResult(
                **await anyio.to_thread.run_sync(partial(callback.answers.get, timeout=WAIT_S))
            )

        metadata = OAuthClientMetadata(client_name="Official client", redirect_uris=[AnyUrl(callback.redirect_uri)])
        provider = OAuthClientProvider(record["mcpUrl"], metadata, storage, open_browser, answer)
        writing = aside.submit(anyio.run, remember, record["mcpUrl"], provider)
        page.goto(opened.get(timeout=WAIT_S))
        log_in(page, record["email"], Path(record["passwordFile"]).read_text().strip())
        page.get_by_role("button", name="Allow").click()
        assert writing.result(WAIT_S)
        assert opens(record["mcpUrl"], storage) == 200

        page.goto("/account")
        page.get_by_role("button", name="Disconnect Official client").click()
        expect(page.get_by_text("No app is connected yet")).to_be_visible()
        assert opens(record["mcpUrl"], storage) == 401
