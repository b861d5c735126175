"""Composition root of `worker` and `beat`: settings in, a running process out.

Tasks run in threads of this process and their work on its one event loop, instead of in child processes: a task waits
for the database and the embedder and computes next to nothing, so a child would double the memory, need a pool of its
own and hide its metrics, and gain no speed. What dies and is replaced is the process as a whole, by its supervisor, and
leases give its rows to others. The main thread only receives messages, so the heartbeat goes on while a task runs.
"""

import contextlib
import logging as stdlib_logging
import os
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from types import FrameType
from typing import Final, NoReturn

from celery import signals

from threengram.core.jobs.executor import Executor
from threengram.core.time.clock import system_clock
from threengram.runtime import metrics, telemetry
from threengram.runtime.health import Health
from threengram.runtime.logging import get_logger
from threengram.worker import admin, beat, command
from threengram.worker.app import build
from threengram.worker.connections import Connections
from threengram.worker.consumer import consume
from threengram.worker.heartbeat import Heartbeat
from threengram.worker.lanes import Lanes
from threengram.worker.loop import BackgroundLoop
from threengram.worker.registry import registry
from threengram.worker.settings import BeatSettings, Settings
from threengram.worker.task_runner import TaskRunner
from threengram.worker.tasks import register
from threengram.worker.vitals import VitalsCollector

WORKER: Final = "worker"
BEAT: Final = "beat"
JOBS: Final = "jobs"
WORKER_DEAD_AFTER_S: Final = 30.0
MISSED_BEATS: Final = 3
# A ring that finds no broker takes a few seconds to give up.
BEAT_DEAD_AFTER_S: Final = 20.0
_log = get_logger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Run until a signal says stop; the exit code."""
    if list(arguments) == [BEAT]:
        return run_beat(BeatSettings.model_validate({}))
    if arguments and arguments[0] == JOBS:
        return command.jobs(arguments[1:])
    if not arguments:
        return run_worker(Settings.model_validate({}))
    return 2


def run_worker(settings: Settings) -> int:
    """Work off the queues. On SIGTERM what runs has `shutdown_grace_s` to finish; then its rows are given back."""
    heartbeat = Heartbeat(WORKER_DEAD_AFTER_S)
    connections = Connections(settings, system_clock)
    health = connections.health(uses_embedder=True)
    with _observed(WORKER, settings), _running(settings, connections, health, heartbeat) as background:
        app = build(settings)
        runner = TaskRunner(background)
        executor = Executor(
            connections.database, registry(settings), connections, clock=connections.clock, lease_s=settings.lease_s
        )
        lanes = Lanes(executor, connections, background, slots=settings.job_slots)
        register(app, runner, lanes, connections)

        def stop() -> None:
            health.drain()
            runner.stop(settings.shutdown_grace_s)
            lanes.stop(settings.shutdown_grace_s)

        exit_code = consume(app, settings, on_pulse=heartbeat.beat, on_stop=stop)
        lanes.join()
        return exit_code


def run_beat(settings: Settings) -> int:
    """Ring until SIGTERM."""
    heartbeat = Heartbeat(max(MISSED_BEATS * settings.embed_interval_s, BEAT_DEAD_AFTER_S))
    connections = Connections(settings, system_clock)
    health = connections.health(uses_embedder=False)
    with _observed(BEAT, settings), _running(settings, connections, health, heartbeat) as background:
        backlog = beat.Backlog(background, connections, interval_s=beat.look_interval_s(settings))
        vitals = VitalsCollector(background, connections)
        metrics.REGISTRY.register(vitals)

        def tick() -> None:
            heartbeat.beat()
            vitals.refresh()

        def stop(_number: int, _frame: FrameType | None) -> NoReturn:
            # Out of its sleep; the service takes this as the wish to stop.
            health.drain()
            raise SystemExit(0)

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        beat.service(build(settings), settings, backlog, on_tick=tick).start()
        return 0


@contextlib.contextmanager
def _observed(service: str, settings: Settings) -> Iterator[None]:
    # Says at INFO what our own lines say about tasks.
    for name in ("celery", "kombu"):
        stdlib_logging.getLogger(name).setLevel(stdlib_logging.WARNING)
    # Any receiver of this signal keeps Celery's hands off the log.
    signals.setup_logging.connect(_keep_logging, weak=False)
    with telemetry.observed(service, settings):
        metrics.set_build_info(WORKER)
        _log.info("process_started", pid=os.getpid())
        yield
    _log.info("process_stopped", pid=os.getpid())


@contextlib.contextmanager
def _running(
    settings: Settings, connections: Connections, health: Health, heartbeat: Heartbeat
) -> Iterator[BackgroundLoop]:
    @contextlib.asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with connections.opened(), admin.served(settings, health, heartbeat):
            yield

    with BackgroundLoop(lifespan) as background:
        yield background


def _keep_logging(**_: object) -> None:
    pass
