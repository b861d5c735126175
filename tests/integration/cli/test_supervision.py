import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.servers import free_port
from tests.waiting import eventually
from threengram.cli.child import Child
from threengram.cli.command import Command
from threengram.cli.errors import CannotRun
from threengram.cli.program import Program, Tier
from threengram.cli.ready import Readiness
from threengram.cli.sockets import listen
from threengram.cli.supervisor import Supervisor

pytestmark = pytest.mark.anyio

GREETER = Path(__file__).with_name("greeter.py")
WAIT_S = 60.0


def python(directory: Path, *arguments: str, **options: object) -> Command:
    environment = {"PYTHONUNBUFFERED": "1"}
    return Command((sys.executable, *arguments), environment, directory, **options)  # type: ignore[arg-type]


class Stage:
    """A supervisor with one greeter behind a socket of its own."""

    def __init__(self, directory: Path, readiness: Readiness) -> None:
        self.lines: list[tuple[str, bytes]] = []
        self.reports: list[str] = []
        self.supervisor = Supervisor(lambda name, line: self.lines.append((name, line)), self.reports.append)
        self.listener = listen(0, "test")
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self._directory = directory
        self.readiness = readiness
        self._admin_ports = (free_port(), free_port())

    def greeter(self, *, is_broken_from: int | None = None) -> Program:
        def command(generation: int) -> Command:
            admin_port = str(self._admin_ports[generation % 2])
            if is_broken_from is not None and generation >= is_broken_from:
                return python(self._directory, "-c", "raise SystemExit(7)")
            descriptor = self.listener.fileno()
            arguments = (str(GREETER), str(descriptor), admin_port, str(generation))
            return python(self._directory, *arguments, listen_fds=(descriptor,))

        return Program(
            name="greeter",
            service="greeter",
            tier=Tier.SERVICE,
            command=command,
            is_ready=lambda generation: self.readiness.of(self._admin_ports[generation % 2]),
            why_not=lambda generation: self.readiness.why_not(self._admin_ports[generation % 2]),
            can_roll=True,
            start_timeout_s=WAIT_S,
        )


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with Readiness() as readiness:
        stage = Stage(tmp_path, readiness)
        try:
            yield stage
        finally:
            await stage.supervisor.stop()
            stage.listener.close()


async def test_a_rolling_restart_refuses_and_breaks_no_request(stage: Stage) -> None:
    await stage.supervisor.start(stage.greeter())
    answers: list[str] = []
    done = asyncio.Event()

    async def ask_on() -> None:
        async with httpx2.AsyncClient(trust_env=False, timeout=WAIT_S) as client:
            while not done.is_set():
                answers.append((await client.get(stage.url)).text)

    asking = [asyncio.create_task(ask_on()) for _ in range(4)]
    await eventually(lambda: "0" in answers)
    assert await stage.supervisor.roll("greeter") == ["greeter"]
    await eventually(lambda: "1" in answers)
    await stage.supervisor.roll("greeter")
    await eventually(lambda: "2" in answers)
    done.set()
    await asyncio.gather(*asking)
    assert set(answers) == {"0", "1", "2"}
    assert answers[-1] == "2"


async def test_a_crashed_process_is_started_again_and_waiting_connections_are_served(stage: Stage) -> None:
    await stage.supervisor.start(stage.greeter())
    changes: list[int | None] = []
    (keeper,) = stage.supervisor.keepers
    stage.supervisor.changed = lambda: changes.append(keeper.pid)
    first = keeper.pid
    async with httpx2.AsyncClient(trust_env=False, timeout=WAIT_S) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(stage.url + "/crash")
        assert (await client.get(stage.url)).text == "0"
    assert stage.reports == ["greeter exited with code 3; starting it again in 0.2 s"]
    assert changes == [keeper.pid]
    assert keeper.pid != first


async def test_a_successor_that_never_gets_ready_leaves_its_predecessor_serving(stage: Stage) -> None:
    await stage.supervisor.start(stage.greeter(is_broken_from=1))
    (keeper,) = stage.supervisor.keepers
    before = keeper.pid
    with pytest.raises(
        CannotRun, match="greeter exited with code 7 before it was ready; the output of `threengram up` says why"
    ):
        await stage.supervisor.roll("greeter")
    assert (keeper.pid, keeper.generation) == (before, 0)
    async with httpx2.AsyncClient(trust_env=False, timeout=WAIT_S) as client:
        assert (await client.get(stage.url)).text == "0"


def children() -> set[int]:
    """Of the test process, which may have others running, such as a database."""
    return {child.pid for child in psutil.Process().children()}


async def test_a_stop_during_a_rolling_restart_leaves_no_process(stage: Stage) -> None:
    before = children()
    await stage.supervisor.start(stage.greeter())
    (keeper,) = stage.supervisor.keepers
    rolling = asyncio.create_task(keeper.roll())
    await eventually(lambda: len(children() - before) == 2)
    await asyncio.wait_for(stage.supervisor.stop(), WAIT_S)
    with contextlib.suppress(CannotRun):
        await rolling
    assert children() - before == set()


async def test_a_program_that_does_not_get_ready_in_time_is_reported_with_the_reason(stage: Stage) -> None:
    program = replace(
        stage.greeter(),
        is_ready=lambda _generation: stage.readiness.of(1),
        start_timeout_s=0.2,
        why_not=lambda _generation: stage.readiness.why_not(1),
    )
    with pytest.raises(CannotRun, match=r"greeter was not ready within 0\.2 s: nothing answers on admin port 1"):
        await stage.supervisor.start(program)


async def test_a_program_that_ends_before_it_is_ready_is_reported_with_its_exit_code(stage: Stage) -> None:
    with pytest.raises(CannotRun, match="greeter exited with code 7 before it was ready") as failure:
        await stage.supervisor.start(stage.greeter(is_broken_from=0))
    assert failure.value.exit_code == 1


async def test_an_unknown_service_is_refused_with_the_names_there_are(stage: Stage) -> None:
    await stage.supervisor.start(stage.greeter())
    with pytest.raises(CannotRun, match="there is no service 'postgres' to restart; there are greeter"):
        await stage.supervisor.roll("postgres")


async def test_output_arrives_line_by_line_under_the_name_of_the_program(stage: Stage) -> None:
    await stage.supervisor.start(stage.greeter())
    await eventually(lambda: ("greeter", b"generation 0 serves") in stage.lines)


async def test_a_tier_ends_only_when_those_above_it_are_gone(tmp_path: Path) -> None:
    ended: list[str] = []
    script = "import signal, sys; signal.sigwait([signal.SIGTERM]); print(sys.argv[1])"
    blocked = f"import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); print('up'); {script}"
    up: set[str] = set()

    def show(name: str, line: bytes) -> None:
        (up.add if line == b"up" else ended.append)(name)

    async def is_up(name: str) -> bool:
        return name in up

    async def why_not() -> str:
        return "no line yet"

    supervisor = Supervisor(show, lambda _: None)
    for tier in (Tier.SERVICE, Tier.DATA, Tier.SUPPORT):
        await supervisor.start(
            Program(
                name=tier.name,
                service=tier.name,
                tier=tier,
                command=lambda _, name=tier.name: python(tmp_path, "-c", blocked, name),  # type: ignore[misc]
                is_ready=lambda _, name=tier.name: is_up(name),  # type: ignore[misc]
                why_not=lambda _: why_not(),
            )
        )
    await supervisor.stop()
    assert ended == ["SERVICE", "SUPPORT", "DATA"]


async def test_a_process_that_ignores_the_request_to_end_is_killed_with_its_children(tmp_path: Path) -> None:
    script = (
        "import signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); print(inner.pid);"
        "inner.wait()"
    )
    lines: list[bytes] = []
    child = await Child.start("stubborn", python(tmp_path, "-c", script), lambda _, line: lines.append(line))
    await eventually(lambda: bool(lines))
    await child.stop(grace_s=0.2)
    assert await child.wait() == -signal.SIGKILL
    await eventually(lambda: not _is_alive(int(lines[0])))


async def test_children_end_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    script = f"""
import asyncio, pathlib, sys
from threengram.cli.child import Child
from threengram.cli.command import Command

async def main():
    inner = Command((sys.executable, "-c", "import time; time.sleep(600)"), {{}}, pathlib.Path({str(tmp_path)!r}))
    child = await Child.start("inner", inner, lambda name, line: None)
    print(child.pid, flush=True)
    await child.wait()

asyncio.run(main())
"""
    supervisor = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    assert supervisor.stdout is not None
    child = int(await supervisor.stdout.readline())
    assert _is_alive(child)
    supervisor.kill()
    await asyncio.wait_for(supervisor.wait(), WAIT_S)
    await eventually(lambda: not _is_alive(child))


async def test_a_child_gets_its_own_environment_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_CALLER", "1")
    lines: list[bytes] = []
    command = python(tmp_path, "-c", "import os; print('OF_THE_CALLER' in os.environ)")
    child = await Child.start("child", command, lambda _, line: lines.append(line))
    assert await child.wait() == 0
    await child.stop(grace_s=1)
    assert lines == [b"False"]


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
