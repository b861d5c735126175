"""The service in this process against a hostile origin on loopback."""

import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from tests.integration.cimd.origin import Names, Origin, origin_for, trusting_context
from threengram.cimd.addresses import AddressPolicy, IpAddress, is_public
from threengram.cimd.app import build
from threengram.cimd.fetch import Fetcher
from threengram.cimd.settings import Settings


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The event loop that the process has: the guards must hold on it."""
    return "asyncio", {"use_uvloop": True}


def public_or_here(address: IpAddress) -> bool:
    """The production policy, and the one address of the test's origin."""
    return is_public(address) or str(address) == "127.0.0.1"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class Service:
    """The application with injected names, policy and clock, and a client of it."""

    def __init__(self, names: Names, settings: Settings, policy: AddressPolicy) -> None:
        self.names = names
        self.clock = Clock()
        fetcher = Fetcher(settings, resolver=names, is_allowed=policy, tls=trusting_context(), clock=self.clock)
        self.app = build(settings, fetcher, self.clock)
        transport = httpx2.ASGITransport(app=self.app)
        self.http = httpx2.AsyncClient(transport=transport, base_url="http://cimd", timeout=60)

    async def resolve(self, url: str) -> httpx2.Response:
        return await self.http.post("/v1/resolve", json={"clientId": url})

    async def failure(self, url: str) -> tuple[int, str]:
        """Status and code of a refused URL, whose answer must not quote what the origin said."""
        response = await self.resolve(url)
        body = response.json()
        assert "canary" not in response.text
        assert set(body) <= {"error", "detail", "retryable", "retryAfterS", "issues"}
        return response.status_code, body["error"]


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with origin_for("app.example", "other.example", "*.many.example", "127.0.0.1") as running:
        yield running


Start = Callable[..., Service]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Starts services that end with the test; keywords other than `names` and `policy` are settings."""
    started: list[Service] = []

    def starter(
        names: dict[str, list[list[str]]] | None = None, policy: AddressPolicy = public_or_here, **settings: Any
    ) -> Service:
        service = Service(Names(names or {}), Settings(**settings), policy)
        started.append(service)
        return service

    yield starter
    for service in started:
        await service.http.aclose()
        async with service.app.router.lifespan_context(service.app):
            pass


def document(url: str, **members: Any) -> bytes:
    """A valid document for a URL."""
    base = {"client_id": url, "client_name": "App", "redirect_uris": ["http://127.0.0.1/callback"]}
    return json.dumps(base | members).encode()
