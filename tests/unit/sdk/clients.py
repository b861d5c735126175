"""Both clients on a scripted server, a clock that only sleeping moves, and no chance in their waits."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import httpx2

from threengram.sdk import AsyncThreengram, Retries, Threengram

KEY = "3ng_c4n4ry0fAKeyThatNobodyMayEverRead"
BASE_URL = "http://memory.test"
Step = httpx2.Response | type[httpx2.RequestError] | Callable[[httpx2.Request], httpx2.Response]


class Script:
    """A server that does one step a request, and notes what it was sent."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, type):
            raise step("the words of the cause", request=request)
        if isinstance(step, httpx2.Response):
            return httpx2.Response(step.status_code, headers=step.headers, content=step.content)
        return step(request)


class Time:
    """Seconds since the beginning; `slept` holds every wait."""

    def __init__(self) -> None:
        self.now_s = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)


Call = Callable[..., Any]
"""Of an operation by its name, and its arguments: the answer, or a list of what a walk gives."""


def blocking(script: Script, time: Time, **options: Any) -> Call:
    client = Threengram(BASE_URL, **_options(options), transport=httpx2.MockTransport(script), clock=time,
                        sleep=time.sleep)  # fmt: skip

    def call(name: str, **arguments: Any) -> Any:
        with client:
            given = getattr(client, name)(**arguments)
            return list(given) if inspect.isgenerator(given) else given

    return call


def awaiting(script: Script, time: Time, **options: Any) -> Call:
    client = AsyncThreengram(BASE_URL, **_options(options), transport=httpx2.MockTransport(script), clock=time,
                             sleep=time.async_sleep)  # fmt: skip

    def call(name: str, **arguments: Any) -> Any:
        async def run() -> Any:
            async with client:
                given = getattr(client, name)(**arguments)
                return [item async for item in given] if inspect.isasyncgen(given) else await given

        return anyio.run(run)

    return call


BOTH = (blocking, awaiting)


def _options(options: dict[str, Any]) -> dict[str, Any]:
    credential = {} if "token" in options else {"api_key": KEY}
    return {"retries": Retries(random=lambda: 1.0), **credential, **options}


def refusal(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> httpx2.Response:
    """A failed request with the body that the API gives it."""
    body = {"error": code, "detail": f"words about {code}", "retryable": status in (429, 503, 504), **more}
    return httpx2.Response(status, json=body, headers=headers)


def version(text: str = "1.2.3") -> httpx2.Response:
    return httpx2.Response(200, json={"version": text})


def page(items: Sequence[str], cursor: str | None = None) -> httpx2.Response:
    """A page of events of a run, one for each id."""
    run = "0190d3a8-7c2e-7000-8000-00000000000f"
    events = [
        {"id": item, "memoryId": item, "eventKind": "create", "actorKind": "user_api", "sessionRunId": run,
         "createdAt": "2026-03-02T09:00:00Z"}
        for item in items
    ]  # fmt: skip
    more = {} if cursor is None else {"nextCursor": cursor}
    return httpx2.Response(200, json={"items": events, "count": len(items), "hasMore": cursor is not None, **more})
