"""Keeps one program running: starts it again after a crash, and replaces it without a gap."""

import asyncio
import time
from collections.abc import Callable

from threengram.cli.backoff import next_delay_s
from threengram.cli.child import Child, Show
from threengram.cli.errors import CannotRun
from threengram.cli.program import Program

READINESS_POLL_S = 0.05

Report = Callable[[str], None]
"""Receives a sentence about what the supervisor does."""


class Keeper:
    """The running generation of one program."""

    def __init__(self, program: Program, show: Show, report: Report, changed: Callable[[], None]) -> None:
        self.program = program
        self.generation = 0
        self._show = show
        self._report = report
        self._changed = changed
        self._child: Child | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._rolling = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The process that runs now, or None between a crash and the next start."""
        return self._child.pid if self._child is not None and self._child.is_running else None

    async def is_ready(self) -> bool:
        """Whether the current process runs and says that it is ready."""
        return self.pid is not None and await self.program.is_ready(self.generation)

    async def why_not(self) -> str | None:
        """What keeps the current process from being ready, in words; None when nothing does."""
        if self.pid is None:
            return "it has ended and is about to be started again"
        return None if await self.is_ready() else await self.program.why_not(self.generation)

    async def start(self) -> None:
        """Start and return once it is ready. Raises `CannotRun` if it ends before, or takes too long."""
        self._child = await self._spawn(self.generation)
        await self._until_ready(self._child, self.generation)
        self._watch = asyncio.create_task(self._keep())

    async def roll(self) -> None:
        """Replace the process: the old one serves until the new one is ready, and stays if that never happens."""
        async with self._rolling:
            generation = self.generation + 1
            successor = await self._spawn(generation)
            try:
                await self._until_ready(successor, generation)
            except BaseException:
                await successor.stop(self.program.grace_s)
                raise
            predecessor, self._child, self.generation = self._child, successor, generation
            self._changed()
            if predecessor is not None:
                await predecessor.stop(self.program.grace_s)

    async def stop(self) -> None:
        """End the program for good; a start or restart in progress is given up."""
        self._stopping.set()
        async with self._rolling:  # a rolling restart gives up when it sees the event, or has swapped by then
            if self._child is not None:
                await self._child.stop(self.program.grace_s)
        if self._watch is not None:
            await self._watch

    async def _spawn(self, generation: int) -> Child:
        return await Child.start(self.program.name, self.program.command(generation), self._show)

    async def _until_ready(self, child: Child, generation: int) -> None:
        try:
            async with asyncio.timeout(self.program.start_timeout_s):
                while not await self.program.is_ready(generation):
                    if not child.is_running:
                        code = await child.wait()
                        raise CannotRun(
                            f"{self.program.name} {_ended(code)} before it was ready; "
                            "the output of `threengram up` says why",
                            exit_code=1,
                        )
                    if self._stopping.is_set():
                        raise CannotRun(f"{self.program.name} was stopped before it was ready", exit_code=1)
                    await asyncio.sleep(READINESS_POLL_S)
        except TimeoutError:
            reason = f"{self.program.name} was not ready within {self.program.start_timeout_s:g} s"
            raise CannotRun(f"{reason}: {await self.program.why_not(generation)}", exit_code=1) from None

    async def _keep(self) -> None:
        """Watch the current child for ever; one that a rolling restart replaced ends without consequence."""
        delay_s: float | None = None
        while (child := self._child) is not None:
            watched_since = time.monotonic()
            code = await child.wait()
            if self._child is not child:
                continue
            if self._stopping.is_set():
                return
            delay_s = next_delay_s(delay_s, time.monotonic() - watched_since)
            self._report(f"{self.program.name} {_ended(code)}; starting it again in {delay_s:g} s")
            if await self._stopped_within(delay_s):
                return
            if self._child is child:
                await self._start_again()

    async def _start_again(self) -> None:
        try:
            successor = await self._spawn(self.generation)
        except CannotRun as error:
            self._report(str(error))  # the dead child stays the current one, so the next delay is longer
            return
        if self._stopping.is_set():  # `stop` looked at the predecessor
            await successor.stop(self.program.grace_s)
            return
        self._child = successor
        self._changed()

    async def _stopped_within(self, delay_s: float) -> bool:
        try:
            await asyncio.wait_for(self._stopping.wait(), delay_s)
        except TimeoutError:
            return False
        return True


def _ended(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was ended by signal {-code}"
