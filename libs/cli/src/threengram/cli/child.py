"""One running process: its output goes to `show` line by line, and it can be waited for and stopped."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable

from threengram.cli.command import Command
from threengram.cli.errors import CannotRun

Show = Callable[[str, bytes], None]
"""Receives the name of a child and one line of its output, without the line end."""

READ_BYTES = 65_536
LONGEST_LINE_BYTES = 1_048_576


class Child:
    """A process that was started; stdout and stderr are one stream."""

    def __init__(self, command: Command, process: asyncio.subprocess.Process, output: asyncio.Task[None]) -> None:
        self._command = command
        self._process = process
        self._output = output

    @classmethod
    async def start(cls, name: str, command: Command, show: Show) -> "Child":
        """Start the command. Has to run on the main thread; see `command.die_with_parent`."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                **command.popen_options(),
            )
        except OSError as error:
            raise CannotRun(f"{name}: can't start {command.argv[0]}: {error.strerror}") from error
        output = asyncio.create_task(_pump(name, process.stdout, show))
        child = cls(command, process, output)
        try:
            await _feed(process.stdin, command.stdin)
        except asyncio.CancelledError:
            await child.stop(grace_s=0)  # nobody else knows of it yet
            raise
        return child

    @property
    def pid(self) -> int:
        """The process, which is also the id of its process group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """False once the process has ended."""
        return self._process.returncode is None

    async def wait(self) -> int:
        """The exit code, negative for a signal."""
        return await self._process.wait()

    async def stop(self, grace_s: float) -> None:
        """Ask the process to end, kill its process group once `grace_s` is over, and show what it still said."""
        if self.is_running:
            self.signal(self._command.stop_signal)
            try:
                await asyncio.wait_for(self._process.wait(), grace_s)
            except TimeoutError:
                # A worker has processes of its own; they are in the group that its session started.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)
                await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._output, 1.0)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; one that comes too late is dropped."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)


async def _feed(stdin: asyncio.StreamWriter | None, content: bytes) -> None:
    if stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(content)
        await stdin.drain()
        stdin.close()
        await stdin.wait_closed()


async def _pump(name: str, stream: asyncio.StreamReader | None, show: Show) -> None:
    """Cut the stream into lines; a line without end is passed on in pieces, so that it can't fill the memory."""
    pending = b""
    while stream is not None and (chunk := await stream.read(READ_BYTES)):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            show(name, line.removesuffix(b"\r"))
        if len(pending) > LONGEST_LINE_BYTES:
            show(name, pending)
            pending = b""
    if pending:
        show(name, pending)
