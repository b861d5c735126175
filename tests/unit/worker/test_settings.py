from typing import Any

import pytest
from pydantic import ValidationError

from threengram.worker.app import EMBED_PENDING, build, schedule, time_limit_s
from threengram.worker.process import main
from threengram.worker.settings import QUEUES, BeatSettings, Settings

REQUIRED: dict[str, Any] = {"database_url": "postgresql://r@h/d", "redis_url": "redis://h"}


def test_a_worker_takes_all_queues_unless_it_is_told_which(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(**REQUIRED).queues == QUEUES
    monkeypatch.setenv("THREENGRAM_WORKER_QUEUES", "consolidate, maintenance")
    assert Settings(**REQUIRED).queues == ("consolidate", "maintenance")


@pytest.mark.parametrize("queues", ["", "embed,mail", ","])
def test_a_queue_that_does_not_exist_is_refused(queues: str) -> None:
    with pytest.raises(ValidationError, match="queues"):
        Settings(**REQUIRED, queues=queues)  # type: ignore[arg-type]


def test_worker_and_beat_differ_in_their_admin_port_only() -> None:
    worker, beat = Settings(**REQUIRED).model_dump(), BeatSettings(**REQUIRED).model_dump()
    assert {name for name in worker if worker[name] != beat[name]} == {"admin_port"}


def test_messages_outlive_no_rows_and_tasks_outlive_no_messages() -> None:
    settings = Settings(**REQUIRED)
    conf = build(settings).conf
    assert conf.task_acks_late
    assert conf.task_ignore_result
    assert conf.accept_content == ["json"]
    assert conf.broker_transport_options["visibility_timeout"] > time_limit_s(settings) > settings.lease_s
    ring = schedule(settings)[EMBED_PENDING]
    assert ring["schedule"] == settings.embed_interval_s < ring["options"]["expires"]


def test_an_unknown_program_is_refused() -> None:
    assert main(["serve"]) == 2
