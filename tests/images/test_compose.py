"""The whole product on one host with Compose, by the commands that compose.yaml and the README name."""

import asyncio
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from images.engine import ROOT, Docker
from tests.servers import free_port

TIMEOUT_S = 600.0
PATIENCE_S = 60.0
PAUSE_S = 0.2
PROJECT = "threengram-test"
EMAIL = "me@example.org"
ON_THE_HOST = ("--file=compose.yaml", "--file=compose.host.yaml")


@dataclass(frozen=True)
class Compose:
    """Compose on the host's network, with an environment file of its own."""

    docker: Docker
    env_file: Path

    def run(
        self, *arguments: str, stdin: str = "", files: Sequence[str] = ON_THE_HOST
    ) -> subprocess.CompletedProcess[str]:
        command = [*program(self.docker), "--env-file", str(self.env_file), "--project-name", PROJECT, *files]
        return subprocess.run(
            [*command, *arguments],
            cwd=ROOT, env=self.docker.environment, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S,
            check=False,
        )  # fmt: skip

    def succeeds(self, *arguments: str, stdin: str = "", files: Sequence[str] = ON_THE_HOST) -> str:
        """Its output."""
        done = self.run(*arguments, stdin=stdin, files=files)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def preflight(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("run", "--rm", "--no-deps", "-T", "preflight", *arguments)


def program(docker: Docker) -> tuple[str, ...]:
    """Compose as a plug-in of the client, else as a program of its own."""
    plugin = subprocess.run([docker.client, "compose", "version"], capture_output=True, check=False)
    if plugin.returncode == 0:
        return (docker.client, "compose")
    found = shutil.which("docker-compose")
    assert found is not None, "there is no Compose; images/install.sh compose brings it"
    return (found,)


@pytest.fixture
def compose(docker: Docker, tmp_path: Path) -> Iterator[Compose]:
    """The template as it is, but for the ports of PostgreSQL and Valkey, which this host may need itself."""
    env_file = tmp_path / "env"
    shutil.copy(ROOT / "compose.env.template", env_file)
    with env_file.open("a") as file:
        file.write(f"POSTGRES_PORT={free_port()}\nVALKEY_PORT={free_port()}\n")
    used = Compose(docker, env_file)
    yield used
    used.run("down", "--volumes", "--remove-orphans")


async def found_by_meaning(agent: Client, query: str) -> list[dict[str, Any]]:
    """The hits of a search whose query was embedded in time, which a busy machine may need several tries for."""
    until = time.monotonic() + PATIENCE_S
    while True:
        answer = (await agent.call_tool("search", {"query": query})).structured_content
        assert answer is not None
        if answer["coverage"]["vector"] == "used" and answer["coverage"]["pendingEmbeddings"] == 0:
            hits: list[dict[str, Any]] = answer["hits"]
            return hits
        assert time.monotonic() < until, answer["coverage"]
        await asyncio.sleep(PAUSE_S)


async def test_the_template_boots_and_an_agent_remembers_and_searches(compose: Compose) -> None:
    refused = compose.run("run", "--rm", "-T", "gateway")
    assert refused.returncode != 0
    generated = compose.preflight("generate").stdout
    with compose.env_file.open("a") as file:
        file.write(generated)
    compose.succeeds("up", "--detach")
    compose.succeeds("run", "--rm", "-T", "manage", "user", EMAIL, stdin="correct horse battery staple\n")
    token = compose.succeeds("run", "--rm", "-T", "manage", "token", EMAIL).split()[-1]
    headers = {"Authorization": f"Bearer {token}"}
    content = "The physician prescribed medicine against hypertension."
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False) as http,
        Client(streamable_http_client("http://127.0.0.1:8300/mcp", http_client=http)) as agent,
    ):
        written = await agent.call_tool(
            "remember", {"memoryType": "note", "topic": "Visit", "content": content, "project": "health"}
        )
        hits = await found_by_meaning(agent, "which drug treats my high blood pressure?")
    assert written.structured_content is not None
    assert hits[0]["id"] == written.structured_content["memory"]["id"]
    compose.succeeds("stop")
    states = compose.docker.run(
        "ps", "--all", f"--filter=label=com.docker.compose.project={PROJECT}", "--format={{.Status}}"
    )
    assert set(re.findall(r"Exited \((\d+)\)", states)) == {"0"}
    secrets = [line.partition("=")[2] for line in generated.splitlines() if "PASSWORD" in line]
    logs = compose.succeeds("logs", "--no-color")
    assert not any(secret in logs for secret in secrets)


def test_nothing_starts_with_secrets_that_everybody_knows(compose: Compose) -> None:
    with compose.env_file.open("a") as file:
        file.write(compose.preflight("generate").stdout)
        file.write("POSTGRES_PASSWORD=change-me-please-now-123\nVALKEY_PASSWORD=short\n")
    refused = compose.preflight()
    assert refused.returncode == 1
    assert "POSTGRES_PASSWORD is or holds a word that everybody tries" in refused.stderr
    assert "VALKEY_PASSWORD is shorter than 20 characters" in refused.stderr
    assert "change-me-please" not in refused.stderr
    assert compose.run("up", "--detach", "postgres").returncode != 0


def test_by_default_ports_are_published_on_loopback_and_each_service_has_its_own_networks(compose: Compose) -> None:
    files = ("--file=compose.yaml", "--file=compose.override.yaml")
    merged = yaml.safe_load(compose.succeeds("config", files=files))["services"]
    published = [str(port) for service in merged.values() for port in service.get("ports", ())]
    assert len(published) == 2
    assert all("127.0.0.1" in port for port in published)
    networks = {name: set(service.get("networks", ())) for name, service in merged.items()}
    assert networks["embedder"] == {"embedding"}
    assert networks["cimd"] == {"fetching", "internet"}
    assert not networks["cimd"] & networks["postgres"]
    assert {name for name in networks if "data" in networks[name]} == {
        "postgres", "valkey", "migrations", "index", "manage", "gateway", "api", "worker", "beat",
    }  # fmt: skip
