"""Official clients connect by a login in a real browser, refresh by themselves, and are turned away once revoked."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import httpx2
import pytest
from playwright.sync_api import Browser

from tests.servers import free_port
from tests.stack import RunningStack, data_directory, hashing, running_stack
from tests.system.browser.conftest import Callback, log_in
from tests.system.browser.documents import Documents, documents
from tests.system.nodejs import NODE, PACKAGES

WAIT_S = 60.0
ANY_PORT = "http://127.0.0.1/callback"
"""A loopback redirect as documents have it: the port is chosen when the client starts (RFC 8252, section 7.3)."""


@dataclass
class World:
    """The running product, the documents it can fetch, and a browser."""

    stack: RunningStack
    documents: Documents
    chromium: Browser

    @property
    def mcp_url(self) -> str:
        url: str = self.stack.record["mcpUrl"]
        return url

    def allow(self, url: str) -> None:
        """What a person does in a fresh browser: log in and allow."""
        record = self.stack.record
        # Not `a_page`: a client may be gone before the browser asks it for an icon, which is a complaint.
        with self.chromium.new_context(java_script_enabled=False) as context:
            page = context.new_page()
            page.goto(url)
            log_in(page, record["email"], Path(record["passwordFile"]).read_text().strip())
            page.get_by_role("button", name="Allow").click()
            page.wait_for_load_state()


@pytest.fixture(scope="module")
def world(chromium: Browser) -> Iterator[World]:
    with ExitStack() as resources:
        described = resources.enter_context(documents("Described client", ANY_PORT))
        variables = resources.enter_context(pytest.MonkeyPatch.context())
        variables.setenv("THREENGRAM_API_CIMD_URL", described.service_url)
        data_dir = resources.enter_context(data_directory())
        yield World(resources.enter_context(running_stack(data_dir, *hashing())), described, chromium)


@contextmanager
def node(script: str, *arguments: str, home: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A program under way, with its pipes."""
    process = subprocess.Popen(
        [NODE, PACKAGES / script, *arguments],
        cwd=home,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "NO_COLOR": "1",
            "MCP_AUTO_OPEN_ENABLED": "true",
            "MCP_INSPECTOR_SECRET_STORE": "file",
            **variables,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


def first_url(process: subprocess.Popen[str], marker: str) -> str:
    """The URL that a program asks a person to open."""
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if found := re.search(r"https?://\S*" + marker + r"\S*", line):
            return found.group().rstrip("\"'},.")
    raise AssertionError("".join(seen))


@pytest.mark.parametrize("registers", ["dynamically", "by a document"])
@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_a_typescript_client_connects_refreshes_and_is_revoked(
    world: World, generation: str, registers: str, tmp_path: Path
) -> None:
    document_url = world.documents.document_url if registers == "by a document" else ""
    with (
        Callback() as callback,
        node(
            "connect.mjs",
            home=tmp_path,
            MCP_URL=world.mcp_url,
            REDIRECT_URI=callback.redirect_uri,
            CLIENT_GENERATION=generation,
            CLIENT_METADATA_URL=document_url,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        world.allow(first_url(process, "/oauth/authorize"))
        process.stdin.write(urlencode(callback.answers.get(timeout=WAIT_S)) + "\n")
        process.stdin.flush()
        seen = json.loads(process.stdout.read().splitlines()[-1])
    assert seen["calls"] == [False, False]
    assert (seen["refreshed"], seen["rotated"], seen["asked"]) == (True, True, 1)
    assert (seen["revoked"], seen["afterwards"]) == (200, "closed")
    assert (seen["clientId"] == document_url) is bool(document_url)


@pytest.mark.parametrize("registers", ["dynamically", "by a document"])
def test_the_inspector_connects_and_stays_connected(world: World, registers: str, tmp_path: Path) -> None:
    redirect = f"http://127.0.0.1:{free_port()}/callback"
    document = ["--client-metadata-url", world.documents.document_url] if registers == "by a document" else []
    call = ("--cli", world.mcp_url, "--transport=http", "--method=tools/call", "--tool-name=search", "--tool-arg",
            "query=anything", f"--callback-url={redirect}", "--format=json", *document)  # fmt: skip
    with node("node_modules/.bin/mcp-inspector", *call, home=tmp_path) as process:
        world.allow(first_url(process, "/oauth/authorize"))
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait(WAIT_S) == 0, output
    with node("node_modules/.bin/mcp-inspector", *call, "--stored-auth-only", home=tmp_path) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait(WAIT_S) == 0, output


def test_the_public_suite_accepts_the_authorization_server(world: World, tmp_path: Path) -> None:
    port, issuer = free_port(), world.stack.record["apiUrl"]
    registration = {
        "client_name": "Conformance",
        "redirect_uris": [f"http://127.0.0.1:{port}/callback"],
        "token_endpoint_auth_method": "none",
    }
    answer = httpx2.post(f"{issuer}/oauth/register", json=registration, timeout=WAIT_S, trust_env=False)
    arguments = ("authorization", f"--url={issuer}", f"--client-id={answer.json()['client_id']}",
                 f"--resource={world.mcp_url}", f"--port={port}", "--verbose")  # fmt: skip
    with node("node_modules/.bin/conformance", *arguments, home=tmp_path) as process:
        world.allow(first_url(process, "/oauth/authorize[?]"))
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait(WAIT_S) == 0, output
    assert "authorization-code-grant: 1 passed, 0 failed" in output, output
    assert "authorization-server-metadata-endpoint: 2 passed, 0 failed" in output, output
