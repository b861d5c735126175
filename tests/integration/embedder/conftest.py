"""The application in this process, with the real model or the hashing one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from threengram.embedder.app import build
from threengram.embedder.settings import Provider, Settings
from threengram.runtime.telemetry import TraceMiddleware, starlette_route


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of an application with these settings."""
    app, _ = build(settings)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=TraceMiddleware(app, starlette_route))
        async with httpx2.AsyncClient(transport=transport, base_url="http://embedder", timeout=60) as client:
            yield client


@pytest.fixture(scope="module")
async def minilm() -> AsyncIterator[httpx2.AsyncClient]:
    async with serving(Settings(model="all-MiniLM-L6-v2-int8")) as client:
        yield client


@pytest.fixture(scope="module")
async def hashing() -> AsyncIterator[httpx2.AsyncClient]:
    async with serving(Settings(provider=Provider.HASH, max_text_chars=5_000, max_body_bytes=20_000)) as client:
        yield client
