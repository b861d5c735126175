"""Celery's worker as part of this process: with a pulse, short waits while the broker is away, and nothing printed."""

import signal
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final

from celery import Celery
from celery.app import trace
from celery.apps.worker import Worker
from celery.concurrency.thread import TaskPool
from celery.utils.log import get_task_logger
from celery.worker import state
from celery.worker.consumer import Consumer
from celery.worker.request import Request

from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.worker.app import TASKS, TRACEPARENT
from threengram.worker.settings import Settings

PULSE_S: Final = 1.0
FIRST_WAIT_S: Final = 1.0
MAX_WAIT_S: Final = 10.0
_READ: Final = {"task": str, "id": str, "root_id": str, "retries": int, "eta": str, "expires": str, TRACEPARENT: str}
"""What a message may say, all in its headers."""
_log = get_logger(__name__)
_celery_log = get_task_logger(__name__)


class AnsweringRequest(Request):  # type: ignore[misc]
    """A request whose lost acknowledgement ends the connection.

    Celery logs it and goes on; but the message still counts as being worked on, nothing more is fetched while it does,
    and a connection that fetches nothing never notices that it is broken: the worker would stand still for good.
    """

    acknowledged: bool

    def acknowledge(self) -> None:
        """Acknowledge once; an error of the connection reaches the consumer, which connects anew."""
        if not self.acknowledged:
            self._on_ack(_celery_log, ())
            self.acknowledged = True


def only_ring(message: Any) -> bool:
    """Whether a message rings for one of our tasks; whatever else it says is gone then.

    Celery runs what callbacks and built-in tasks name, and a message that it fails to read outside of a task is never
    acknowledged: the worker would stand still for good.
    """
    said = message.headers
    if (
        not isinstance(said, dict)
        or said.get("task") not in list(TASKS.values())
        or not isinstance(said.get("id"), str)
    ):
        return False
    message.headers = {name: said[name] for name, kind in _READ.items() if isinstance(said.get(name), kind)}
    message.body, message.content_type, message.content_encoding = "[[], {}, {}]", "application/json", "utf-8"
    return True


class LivingConsumer(Consumer):  # type: ignore[misc]
    """Calls `on_pulse` every second, be it consuming or waiting for the broker to come back.

    Celery waits up to half a minute between attempts to connect, and its timer stands still meanwhile.
    """

    def __init__(self, *args: Any, on_pulse: Callable[[], None], **kwargs: Any) -> None:
        self._on_pulse = on_pulse
        super().__init__(*args, **kwargs)

    def register_with_event_loop(self, hub: Any) -> None:
        """Called at every connection; the timer entry ends with it."""
        super().register_with_event_loop(hub)
        hub.timer.call_repeatedly(PULSE_S, self._on_pulse)

    def create_task_handler(self) -> Callable[[Any], None]:
        """What is done with each message: one that is no ring is dropped."""
        handle = super().create_task_handler()

        def on_message(message: Any) -> None:
            if only_ring(message):
                handle(message)
            else:
                _log.warning("message_refused")
                message.reject_log_error(_celery_log, self.connection_errors)

        return on_message

    def ensure_connected(self, conn: Any) -> Any:
        """Connect, however long it takes; a shutdown ends the wait."""

        def failed(error: BaseException, wait_s: float) -> None:
            _log.warning("broker_unreachable", error_class=error_class(error), retry_after_s=wait_s)

        def waiting() -> None:
            self._on_pulse()
            state.maybe_shutdown()

        connected = conn.ensure_connection(
            failed,
            interval_start=FIRST_WAIT_S,
            interval_step=FIRST_WAIT_S,
            interval_max=MAX_WAIT_S,
            callback=waiting,
        )
        self.first_connection_attempt = False
        return connected


class SilentWorker(Worker):  # type: ignore[misc]
    """Celery's program without its own signal handlers, which print to the log's stream and offer a debugger."""

    def on_before_init(self, *, quiet: bool = False, **_: Any) -> None:
        """What Celery does before its bootsteps, but for a warning to whoever is root or has no name for its group.

        Both are usual in a container, and the danger that it means, pickled messages, is none where only JSON is taken.
        """
        self.quiet = quiet
        trace.setup_worker_optimizations(self.app, self.hostname)

    def install_platform_tweaks(self, worker: Worker) -> None:
        """Leave signals to `consume`."""


def consume(app: Celery, settings: Settings, *, on_pulse: Callable[[], None], on_stop: Callable[[], None]) -> int:
    """Work off the queues until SIGTERM or SIGINT, then let running tasks end; the exit code.

    `on_pulse` is called every second, `on_stop` at the first signal, both on this thread, which must be the main one.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        if state.should_stop is None:
            on_stop()
        state.should_stop = 0

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    worker = SilentWorker(
        app=app,
        hostname=settings.instance,
        pool=TaskPool,
        consumer_cls=partial(LivingConsumer, on_pulse=on_pulse),
        concurrency=settings.concurrency,
        queues=list(settings.queues),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
