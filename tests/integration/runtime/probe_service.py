"""A service of the tests, run as a process of its own: every way in which a request can end, or leak."""

import asyncio
import contextlib
import logging as stdlib_logging
import threading
import warnings
from collections.abc import AsyncIterator

from pydantic import Field
from pydantic_settings import SettingsConfigDict
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.runtime import http, logging, server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.json import EXCEPTION_HANDLERS, JsonResponse
from threengram.runtime.settings import ServiceSettings

CANARY = "canary-7f3a: the launch code is 0000"
SERVICE = "runtime"

log = logging.get_logger("threengram.probe")


class ProbeSettings(ServiceSettings):
    """`probe`: a service of the tests."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_PROBE_")

    port: int = Field(default=0)
    admin_port: int = Field(default=0)
    peer_url: str | None = None
    fails_to_start: bool = False
    fails_its_check: bool = False


class Probe:
    """The routes; `slow` waits until somebody calls `release`."""

    def __init__(self, settings: ProbeSettings) -> None:
        self.settings = settings
        self.released = asyncio.Event()

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Say when the application starts and stops."""
        if self.settings.fails_to_start:
            raise RuntimeError(CANARY)
        log.info("probe_opened")
        yield
        log.info("probe_closed")

    async def slow(self, _request: Request) -> Response:
        """Answer after `release`."""
        log.info("probe_waiting")
        await self.released.wait()
        return JsonResponse({"slow": True})

    async def release(self, _request: Request) -> Response:
        """Let `slow` answer."""
        self.released.set()
        return JsonResponse({"released": True})

    async def leak(self, request: Request) -> Response:
        """Try to get the canary into the telemetry by every door but the response."""
        foreign = stdlib_logging.getLogger("some.library")
        foreign.warning("could not parse %s", CANARY)
        try:
            raise ValueError(CANARY)
        except ValueError as error:
            foreign.exception("failed on %s", CANARY, stack_info=True, extra={"body": CANARY})
            log.exception("probe_failed", error, correlation_id="c-1")
        log.info("probe_logged", content=CANARY, topic=CANARY, outcome=CANARY, content_chars=len(CANARY))
        warnings.warn(CANARY, stacklevel=1)
        with contextlib.suppress(KeyError), telemetry.span("search.page", query=CANARY, outcome=CANARY, hits=3):
            raise KeyError(CANARY)
        with telemetry.span(CANARY):
            pass
        thread = threading.Thread(target=int, args=(CANARY,))
        thread.start()
        thread.join()
        asyncio.get_running_loop().call_exception_handler({"message": CANARY, "exception": OSError(CANARY)})
        return JsonResponse({"path": request.url.path})

    async def crash(self, _request: Request) -> Response:
        """Fail with the canary."""
        raise LookupError(CANARY)

    async def relay(self, _request: Request) -> Response:
        """Call the peer."""
        assert self.settings.peer_url is not None
        async with http.client(self.settings.peer_url, timeout_s=60, max_connections=2) as peer:
            response = await peer.get("/echo")
        return JsonResponse({"peer": response.status_code})

    async def check(self) -> None:
        """A readiness check."""
        if self.settings.fails_its_check:
            raise ConnectionError(CANARY)


def build(settings: ProbeSettings) -> tuple[Starlette, Health]:
    """The application and its health."""
    probe = Probe(settings)
    names = ("slow", "release", "leak", "crash", "relay")
    routes = [Route(f"/{name}", getattr(probe, name)) for name in names]
    routes.append(Route("/leak/{item_id}", probe.leak))
    app = Starlette(routes=routes, lifespan=probe.lifespan, exception_handlers=EXCEPTION_HANDLERS)
    return app, Health({"probe": probe.check})


def main() -> None:
    """Serve until a signal says stop."""
    settings = ProbeSettings()
    with telemetry.observed(SERVICE, settings):
        app, health = build(settings)
        traced = telemetry.TraceMiddleware(app, telemetry.starlette_route)
        server.run(traced, settings, service=SERVICE, health=health)


if __name__ == "__main__":
    main()
