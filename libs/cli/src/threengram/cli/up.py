"""`threengram up`: the life of one stack, from the lock to the last child."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from threengram.cli import control, leftovers, lock, secrets, summary
from threengram.cli.account import service_account
from threengram.cli.errors import CannotRun
from threengram.cli.keeper import Keeper
from threengram.cli.layout import Layout
from threengram.cli.options import UpOptions
from threengram.cli.output import Output
from threengram.cli.ready import Readiness
from threengram.cli.stack import Stack
from threengram.cli.steps import Steps
from threengram.cli.supervisor import Supervisor


def run(options: UpOptions, console: Console) -> None:
    """Run the stack until it is asked to stop. Raises `CannotRun` if it can't be started."""
    account = service_account()
    layout = Layout(options.data_dir.absolute())
    layout.create(account)
    with lock.exclusive(layout.lock):
        leftovers.await_end(layout.run_file)
        output = Output(is_terminal=console.is_terminal, has_colour=not console.no_color)
        supervisor = Supervisor(output.show, output.report)
        stack = Stack(options, layout, secrets.load_or_create(layout.secrets), account, supervisor)
        asyncio.run(Up(options, layout, supervisor, stack, output, console).live())


class Up:
    """Start, serve and stop, with the signals and control requests that come in between."""

    def __init__(
        self,
        options: UpOptions,
        layout: Layout,
        supervisor: Supervisor,
        stack: Stack,
        output: Output,
        console: Console,
    ) -> None:
        self._options = options
        self._layout = layout
        self._supervisor = supervisor
        self._stack = stack
        self._output = output
        self._console = console
        self._started = time.monotonic()
        self._asked_to_stop = asyncio.Event()
        self._rolls: set[asyncio.Task[None]] = set()

    async def live(self) -> None:
        """Until a signal or a control request asks to stop; every child has ended on return."""
        with self._signals(), contextlib.ExitStack() as listeners:
            async with Readiness() as readiness, control.listening(self._layout.control_socket, self._answer):
                try:
                    if await self._start(readiness, listeners):
                        await self._asked_to_stop.wait()
                finally:
                    await self._stop(listeners)

    async def _start(self, readiness: Readiness, listeners: contextlib.ExitStack) -> bool:
        """True once everything is ready, False if a request to stop came first."""
        with Steps(self._console) as steps:
            starting = asyncio.create_task(self._stack.start(steps, readiness, listeners))
            stopping = asyncio.create_task(self._asked_to_stop.wait())
            await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
            for task in (starting, stopping):
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await starting
        if self._asked_to_stop.is_set():
            return False
        self._publish()
        self._supervisor.changed = self._publish
        summary.show(self._console, self._stack.record(), time.monotonic() - self._started)
        return True

    async def _stop(self, listeners: contextlib.ExitStack) -> None:
        self._supervisor.changed = lambda: None
        self._layout.run_file.unlink(missing_ok=True)
        if self._options.ready_file is not None:
            self._options.ready_file.unlink(missing_ok=True)
        listeners.close()
        for task in self._rolls:
            task.cancel()
        await self._supervisor.stop()

    def _publish(self) -> None:
        record = self._stack.record()
        record.write(self._layout.run_file)
        if self._options.ready_file is not None:
            record.write(self._options.ready_file)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handlers = {
            signal.SIGINT: self._asked_to_stop.set,
            signal.SIGTERM: self._asked_to_stop.set,
            signal.SIGHUP: self._roll_all,
        }
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        try:
            yield
        finally:
            for number in handlers:
                loop.remove_signal_handler(number)

    def _roll_all(self) -> None:
        async def roll() -> None:
            try:
                await self._supervisor.roll_all()
            except CannotRun as error:
                self._output.report(f"rolling restart given up: {error}")

        task = asyncio.create_task(roll())
        self._rolls.add(task)
        task.add_done_callback(self._rolls.discard)

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request:
            case {"command": "status"}:
                return {"programs": await asyncio.gather(*map(_state, self._supervisor.keepers))}
            case {"command": "restart", "service": str(service)}:
                return {"restarted": await self._supervisor.roll(service)}
            case {"command": "stop"}:
                self._asked_to_stop.set()
                return {"stopping": True}
            case _:
                return await self._stack.requests.answer(request)


async def _state(keeper: Keeper) -> dict[str, Any]:
    why_not = await keeper.why_not()
    return {
        "name": keeper.program.name,
        "pid": keeper.pid,
        "isReady": why_not is None,
        "whyNot": why_not,
        "generation": keeper.generation,
    }
