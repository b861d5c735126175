"""Composition root of `cimd`: settings in, a running process out."""

import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from threengram.cimd import transport
from threengram.cimd.addresses import parse_networks, public_except
from threengram.cimd.endpoint import Endpoint, gone
from threengram.cimd.fetch import Fetcher
from threengram.cimd.resolve import Documents
from threengram.cimd.resolver import DnsResolver
from threengram.cimd.settings import Settings
from threengram.runtime import server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.json import EXCEPTION_HANDLERS

SERVICE = "cimd"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def public_fetcher(settings: Settings, tls: ssl.SSLContext) -> Fetcher:
    """The fetcher that a process has: the system's name servers, public addresses only."""
    return Fetcher(
        settings,
        resolver=DnsResolver(),
        is_allowed=public_except(parse_networks(settings.refused_networks)),
        tls=tls,
        clock=_utc_now,
    )


def build(settings: Settings, fetcher: Fetcher, clock: Callable[[], datetime] = _utc_now) -> Starlette:
    """The ASGI application. A path that it doesn't know answers 404 with the error envelope."""
    documents = Documents(settings, fetcher, clock)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await documents.close()

    return Starlette(
        routes=[Route("/v1/resolve", Endpoint(documents).resolve, methods=["POST"])],
        exception_handlers={**EXCEPTION_HANDLERS, ClientDisconnect: gone},
        lifespan=lifespan,
    )


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings()
    with telemetry.observed(SERVICE, settings):
        tls = transport.tls_context()
        app = telemetry.TraceMiddleware(build(settings, public_fetcher(settings, tls)), telemetry.starlette_route)
        authorities = partial(transport.check_authorities, tls)
        health = Health(degraded={"authorities": authorities, "name_servers": DnsResolver().check})
        server.run(app, settings, service=SERVICE, health=health)
