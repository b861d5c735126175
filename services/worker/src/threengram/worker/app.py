"""The Celery application: queues, delivery and retries. Messages are doorbells; what is to be done stands in rows.

A message may be lost, late or doubled without harm, so nothing is stored about results and nothing is kept about
messages: late acknowledgement hands the doorbell of a dead worker to another one after the visibility timeout, and long
before that the rows' leases have ended and beat has rung again.
"""

from typing import Any, Final

from celery import Celery, signals

from threengram.runtime.telemetry import current_traceparent
from threengram.worker.settings import CONSOLIDATE, EMBED, MAINTENANCE, QUEUES, Settings

EMBED_PENDING: Final = "embed_pending"
TASKS: Final = {EMBED: EMBED_PENDING, CONSOLIDATE: "run_consolidate", MAINTENANCE: "run_maintenance"}
"""The one task of each queue: whoever gets it looks at what is due there."""

TRACEPARENT: Final = "traceparent"
SOCKET_TIMEOUT_S: Final = 5.0
UNREAD_INTERVALS: Final = 12

_PUBLISH_RETRY: Final = {"max_retries": 2, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.5}


def time_limit_s(settings: Settings) -> float:
    """When a task is cancelled: it begins no batch after one lease, and a batch takes at most one."""
    return 2 * settings.lease_s + 5


def schedule(settings: Settings) -> dict[str, dict[str, Any]]:
    """What beat rings for, and how often."""
    intervals_s = dict.fromkeys(QUEUES, settings.job_interval_s) | {EMBED: settings.embed_interval_s}
    return {
        TASKS[queue]: {
            "task": TASKS[queue],
            "schedule": interval_s,
            "options": {"queue": queue, "expires": interval_s * UNREAD_INTERVALS},
        }
        for queue, interval_s in intervals_s.items()
    }


def build(settings: Settings) -> Celery:
    """The application without its tasks; beat knows them by name only."""
    app = Celery("threengram", broker=settings.redis_url.get_secret_value(), set_as_current=False)
    app.conf.update(
        task_queues={name: {} for name in QUEUES},
        task_default_queue=MAINTENANCE,
        task_create_missing_queues=False,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_publish_retry_policy=_PUBLISH_RETRY,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        # Each wait between two attempts is bounded, their number is not: the worker outlives an outage of the broker.
        broker_connection_max_retries=None,
        broker_pool_limit=2,
        broker_transport_options={
            "visibility_timeout": int(2 * time_limit_s(settings)) + 60,
            "socket_timeout": SOCKET_TIMEOUT_S,
            "socket_connect_timeout": SOCKET_TIMEOUT_S,
            "socket_keepalive": True,
            "health_check_interval": 10,
        },
        beat_schedule=schedule(settings),
        timezone="UTC",
    )
    return app


def _carry_trace(headers: dict[str, Any] | None = None, **_: object) -> None:
    traceparent = current_traceparent()
    if headers is not None and traceparent is not None:
        headers[TRACEPARENT] = traceparent


signals.before_task_publish.connect(_carry_trace, weak=False)
