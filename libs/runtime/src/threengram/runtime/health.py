"""Liveness, readiness and metrics on the admin port. Nothing here is authenticated, so nothing here holds a detail."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import anyio
import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.runtime import metrics
from threengram.runtime.failures import describe, error_class
from threengram.runtime.json import error_body, error_code
from threengram.runtime.logging import get_logger

Check = Callable[[], Awaitable[None]]

CHECK_TIMEOUT_S: Final = 2.0
CACHE_S: Final = 1.0
_log = get_logger(__name__)
_JSON: Final = b"application/json"


class Phase(StrEnum):
    """Where a process stands between its start and its end."""

    STARTING = "starting"
    SERVING = "serving"
    DRAINING = "draining"


@dataclass(frozen=True)
class Report:
    """`failing` and `degraded` map names of checks to error classes; only `failing` makes a process not ready."""

    status: str
    failing: Mapping[str, str] = field(default_factory=dict)
    degraded: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """Whether traffic should come here."""
        return self.status == "ready"


class Health:
    """Named checks and the phase of the process.

    Checks run at the same time, each for at most two seconds; a result is served for one second, so that probes from
    many sides cost no more than one.
    """

    def __init__(self, checks: Mapping[str, Check] | None = None, degraded: Mapping[str, Check] | None = None) -> None:
        self._checks = dict(checks or {})
        self._degraded = dict(degraded or {})
        self._lock = asyncio.Lock()
        self._cached: Report | None = None
        self._cached_until = 0.0
        self._told: dict[str, object] = {}
        self.phase = Phase.SERVING

    def begin_startup(self) -> None:
        """Not ready until `finish_startup`."""
        self.phase = Phase.STARTING

    def finish_startup(self) -> None:
        """Readiness follows the checks from now on, unless the process already drains."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.SERVING

    def drain(self) -> None:
        """Not ready any more, whatever the checks say."""
        self.phase = Phase.DRAINING
        metrics.DRAINING.set(1)

    @property
    def is_draining(self) -> bool:
        """Whether the process is on its way out."""
        return self.phase is Phase.DRAINING

    async def ready(self) -> Report:
        """The current report; at most one second old."""
        if self.phase is not Phase.SERVING:
            return Report(self.phase.value)
        async with self._lock:
            if self._cached is None or time.monotonic() >= self._cached_until:
                self._cached = await self._run()
                self._cached_until = time.monotonic() + CACHE_S
            report = self._cached
        # A drain may have begun while the checks ran.
        return Report(Phase.DRAINING.value) if self.is_draining else report

    async def _run(self) -> Report:
        named = [*self._checks.items(), *self._degraded.items()]
        outcomes = await asyncio.gather(*(_bounded(check) for _, check in named), return_exceptions=True)
        errors = {
            name: error_class(error) for (name, _), error in zip(named, outcomes, strict=True) if error is not None
        }
        for (name, _), error in zip(named, outcomes, strict=True):
            metrics.HEALTH_CHECK.labels(name).set(1 if error is None else 0)
            self._tell(name, error)
        failing = {name: error for name, error in errors.items() if name in self._checks}
        degraded = {name: error for name, error in errors.items() if name not in self._checks}
        return Report("not_ready" if failing else "ready", failing, degraded)

    def _tell(self, check: str, error: BaseException | None) -> None:
        """A line when a check begins to fail or fails for another reason, and one when it passes again."""
        if error is None:
            if self._told.pop(check, None) is not None:
                _log.info("check_recovered", check=check)
            return
        described = describe(error)
        reason = (described["error_class"], described.get("violations"))
        if self._told.get(check) != reason:
            self._told[check] = reason
            _log.exception("check_failed", error, check=check)


async def _bounded(check: Check) -> None:
    with anyio.fail_after(CHECK_TIMEOUT_S):
        await check()


def _report_body(report: Report) -> bytes:
    return orjson.dumps(
        {
            "status": report.status,
            **({"failing": report.failing} if report.failing else {}),
            **({"degraded": report.degraded} if report.degraded else {}),
        }
    )


def admin_app(health: Health) -> ASGIApp:
    """`/livez` (no I/O), `/readyz` (503 with the names of failing checks) and `/metrics`."""

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, content_type, body = await _answer(health, scope["method"], scope["path"])
        headers = [
            (b"content-type", content_type),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        if status == 405:
            headers.append((b"allow", b"GET, HEAD"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


async def _answer(health: Health, method: str, path: str) -> tuple[int, bytes, bytes]:
    if path not in {"/livez", "/readyz", "/metrics"}:
        return 404, _JSON, error_body(error_code(404))
    if method not in {"GET", "HEAD"}:
        return 405, _JSON, error_body(error_code(405))
    if path == "/livez":
        return 200, _JSON, b'{"status":"ok"}'
    if path == "/metrics":
        return 200, metrics.CONTENT_TYPE, metrics.render()
    report = await health.ready()
    return 200 if report.is_ready else 503, _JSON, _report_body(report)
