"""Connect by OAuth with the official Python client, remember something and find it again.

    pip install mcp
    python client.py http://127.0.0.1:8300/mcp

The first run opens a browser for the login. What it is given is kept in `tokens.json`, readable by nobody else, so the
next run needs no login; the access token is renewed by itself.
"""

import asyncio
import json
import os
import sys
import webbrowser
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl, BaseModel


class Store:
    """Tokens and registration in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _read(self) -> dict[str, object]:
        kept: dict[str, object] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return kept

    def _keep(self, name: str, value: BaseModel) -> None:
        kept = self._read() | {name: value.model_dump(mode="json", exclude_none=True)}
        with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file)

    async def get_tokens(self) -> OAuthToken | None:
        kept = self._read().get("tokens")
        return OAuthToken.model_validate(kept) if kept else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._keep("tokens", tokens)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        kept = self._read().get("client")
        return OAuthClientInformationFull.model_validate(kept) if kept else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._keep("client", client_info)


async def main(mcp_url: str) -> None:
    answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def callback(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readline()).split()[1].decode()
        given = dict(parse_qsl(urlsplit(path).query))
        if "code" in given and not answer.done():
            answer.set_result(AuthorizationCodeResult(**given))
        elif "error" in given and not answer.done():
            answer.set_exception(SystemExit(f"refused: {given['error']}"))
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nYou can close this page."
        )
        await writer.drain()
        writer.close()

    async def open_browser(url: str) -> None:
        print("open", url, flush=True)
        webbrowser.open(url)

    async def wait() -> AuthorizationCodeResult:
        return await answer

    server = await asyncio.start_server(callback, "127.0.0.1", 0)
    redirect_uri = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"
    metadata = OAuthClientMetadata(client_name="My program", redirect_uris=[AnyUrl(redirect_uri)])
    provider = OAuthClientProvider(mcp_url, metadata, Store(Path("tokens.json")), open_browser, wait)
    async with (
        server,
        httpx2.AsyncClient(auth=provider, timeout=30) as http,
        Client(streamable_http_client(mcp_url, http_client=http)) as client,
    ):
        note = {"memoryType": "preference", "topic": "Tea", "content": "Olga drinks green tea in the morning."}
        remembered = await client.call_tool("remember", note)
        # The second run is told that it knows this already.
        print("remember:", remembered.content[0].text if remembered.is_error else "ok")
        found = await client.call_tool("search", {"query": "what does Olga drink?"})
        print("search:", (found.structured_content or {})["hits"][0]["content"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
