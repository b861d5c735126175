"""One event loop on a thread of its own, beside the main thread that Celery needs for itself.

Everything asynchronous of the process lives on it: the database pool, the embedder's connections, the health checks,
and the coroutines that tasks hand over.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self, TypeVar

_T = TypeVar("_T")


class BackgroundLoop:
    """A context manager around the thread; `lifespan` opens what the coroutines share and closes it at the end."""

    def __init__(self, lifespan: Callable[[], AbstractAsyncContextManager[object]]) -> None:
        self._lifespan = lifespan
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="loop")
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._end = asyncio.Event()

    def __enter__(self) -> Self:
        """Start the loop; raises what its lifespan raises."""
        self._ended = self._thread.submit(lambda: asyncio.run(self._live()))
        beginnings: list[Future[Any]] = [self._ready, self._ended]
        wait(beginnings, return_when=FIRST_COMPLETED)
        if not self._ready.done():
            self._ended.result()
        self.loop = self._ready.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close what is shared, then the loop."""
        self.loop.call_soon_threadsafe(self._end.set)
        self._ended.result()
        self._thread.shutdown()

    def submit(self, coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Run a coroutine in the caller's context (its span included). Cancelling the future cancels the coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    async def _live(self) -> None:
        async with self._lifespan():
            self._ready.set_result(asyncio.get_running_loop())
            await self._end.wait()
