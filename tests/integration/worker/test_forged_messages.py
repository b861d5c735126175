"""What somebody who can write to the broker can make a worker do: look at what is due, and nothing else."""

import base64
import json
import pickle
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis

from tests.integration.worker.programs import Stack
from tests.integration.worker.scripted_embedder import ScriptedEmbedder
from tests.integration.worker.writing import Diary
from tests.waiting import eventually
from threengram.worker.app import EMBED_PENDING
from threengram.worker.settings import EMBED

pytestmark = pytest.mark.anyio


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)


def message(
    body: bytes = b"[[], {}, {}]",
    *,
    content_type: str = "application/json",
    encoding: str = "utf-8",
    headers: object = None,
) -> dict[str, Any]:
    """As Celery puts it into a list of Valkey."""
    known = {"task": EMBED_PENDING, "id": str(uuid4()), "lang": "py", "argsrepr": "()", "kwargsrepr": "{}"}
    properties = {
        "body_encoding": "base64",
        "delivery_info": {"exchange": "", "routing_key": EMBED},
        "delivery_mode": 2,
        "delivery_tag": str(uuid4()),
        "priority": 0,
    }
    return {
        "body": base64.b64encode(body).decode(),
        "content-encoding": encoding,
        "content-type": content_type,
        "headers": {**known, **headers} if isinstance(headers, dict) else known,
        "properties": properties,
    }


def arguments(*args: object, **kwargs: object) -> bytes:
    return json.dumps([args, kwargs, {}]).encode()


def forged(touched: Path, run_id: str, tenant_id: str) -> list[dict[str, Any]]:
    """Messages of right form and wrong content."""
    pickled = pickle.dumps(Touch(touched))
    given = {"task": {"task": EMBED_PENDING}, "it": [[tenant_id]]}
    call = {"task": "celery.map", "args": [], "kwargs": given}
    return [
        message(arguments(run_id)),
        message(arguments(tenant_id=tenant_id, run_id=run_id)),
        message(arguments({"$ne": None}, [1], 1e308)),
        message(headers={"task": "os.system"}),
        message(headers={"task": "celery.map"}, body=arguments(**given)),
        message(headers={"task": 7}),
        message(headers={"task": None}),
        message(headers={"id": None}),
        message(headers={"retries": "many", "timelimit": ["a", {}], "expires": "never", "eta": "yesterday"}),
        message(headers={"eta": 7}),
        message(headers={"traceparent": 7}),
        message(headers={"traceparent": "00-nonsense"}),
        message(json.dumps([[], {}, {"callbacks": [call], "errbacks": [call], "chain": [call]}]).encode()),
        message(b"[]"),
        message(b"7"),
        message(b'"text"'),
        message(b"{"),
        message(b"\xff\xfe"),
        message(pickled, content_type="application/x-python-serialize"),
        message(pickled, content_type="application/x-python-serialize", encoding="binary"),
        message(b"- 1", content_type="application/x-yaml"),
        message(content_type="nonsense"),
        message(encoding="nonsense"),
        message(b""),
        message(headers={"task": []}),
        message(headers={"task": {}}),
        message(headers={"errbacks": [call], "callbacks": [call], "chain": 7, "group": 7, "chord": {"task": 7}}),
        message(headers={"errbacks": 7, "retries": {}}, body=arguments(1)),
    ]


async def test_a_forged_message_brings_no_work_for_others_no_code_and_no_end(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder, tmp_path: Path
) -> None:
    touched = tmp_path / "touched"
    worker = stack.worker(embedder_url=scripted.url)
    await eventually(worker.is_ready)
    with Redis.from_url(stack.variables["REDIS_URL"]) as broker:
        messages = forged(touched, str(uuid4()), str(diary.person.principal.tenant_id))
        broker.lpush(EMBED, *map(json.dumps, messages))
    await eventually(lambda: len(worker.events("message_refused")) == 7 and stack.unread() == 0)
    written = await diary.write("the tram stops here")
    stack.ring()
    await eventually(diary.is_done)
    assert await diary.windows() == dict.fromkeys(written, (1, 1))
    assert worker.process.poll() is None
    assert {line["outcome"] for line in worker.events("job_finished")} == {"ok"}
    assert not touched.exists()
