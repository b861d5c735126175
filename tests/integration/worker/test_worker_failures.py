from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.integration.worker.programs import Stack
from tests.integration.worker.scripted_embedder import ScriptedEmbedder
from tests.integration.worker.writing import Diary
from tests.servers import account_directory, free_port, running
from tests.waiting import eventually
from threengram.cli.account import service_account
from threengram.cli.binaries import valkey_program
from threengram.cli.embedded_valkey import EmbeddedValkey

pytestmark = pytest.mark.anyio

SHORT_LEASE_S = "3"


def texts(count: int) -> list[str]:
    return [f"the tram number {number} stops here" for number in range(count)]


async def test_rows_of_a_killed_worker_are_taken_over_when_their_lease_ends(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    written = await diary.write(*texts(50))
    scripted.hold()
    first = stack.worker(embedder_url=scripted.url, lease_s=SHORT_LEASE_S)
    stack.beat()
    await eventually(lambda: scripted.held > 0)
    first.kill()
    scripted.let_go()
    assert len([row for row in await diary.jobs() if row["lease_until"] is not None]) == 32
    stack.worker(embedder_url=scripted.url, lease_s=SHORT_LEASE_S)
    await eventually(diary.is_done)
    assert await diary.windows() == dict.fromkeys(written, (1, 1))


async def test_a_task_that_is_running_at_sigterm_is_finished(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    await diary.write(*texts(4))
    scripted.hold()
    worker = stack.worker(embedder_url=scripted.url)
    stack.ring()
    await eventually(lambda: scripted.held == 4)
    worker.process.terminate()
    await eventually(lambda: (answer := worker.answer("/readyz")) is not None and answer.status_code == 503)
    scripted.let_go()
    assert worker.stop() == 0
    assert await diary.is_done()


async def test_a_task_that_outlasts_the_grace_is_given_up_and_its_rows_come_back(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    await diary.write(*texts(4))
    scripted.hold()
    worker = stack.worker(embedder_url=scripted.url, lease_s="6", shutdown_grace_s="0.5")
    stack.ring()
    await eventually(lambda: scripted.held == 4)
    assert worker.stop() == 0
    assert [line["outcome"] for line in worker.events("job_finished")] == ["lost_lease"]
    assert len(await diary.jobs()) == 4
    scripted.let_go()
    stack.worker(embedder_url=scripted.url)
    stack.beat()
    await eventually(diary.is_done)


@contextmanager
def a_broker() -> Iterator[EmbeddedValkey]:
    account = service_account()
    with account_directory() as directory:
        yield EmbeddedValkey(
            directory=directory,
            program=valkey_program(directory, account),
            port=free_port(),
            password="broker-secret",
            account=account,
        )


def serving(broker: EmbeddedValkey) -> AbstractContextManager[object]:
    return running(broker.command(), broker.accepts_connections)


async def test_work_resumes_when_the_broker_comes_back_empty(
    own_database_url: str, diary: Diary, scripted: ScriptedEmbedder, tmp_path: Path
) -> None:
    with a_broker() as broker:
        variables = {"DATABASE_URL": own_database_url, "REDIS_URL": broker.url, "EMBED_INTERVAL_S": "0.3"}
        with Stack(tmp_path, variables) as stack:
            with serving(broker):
                worker, beat = stack.worker(embedder_url=scripted.url), stack.beat()
                await diary.write(*texts(3))
                await eventually(diary.is_done)
            await eventually(lambda: bool(worker.events("broker_unreachable")) and bool(beat.events("ring_failed")))
            assert not worker.is_ready()
            await diary.write("the night bus leaves at two")
            with serving(broker):
                await eventually(diary.is_done)
                await eventually(lambda: worker.is_ready() and beat.is_ready())
            assert "broker-secret" not in worker.output + beat.output


async def test_a_worker_that_starts_before_its_broker_waits_for_it(
    own_database_url: str, diary: Diary, scripted: ScriptedEmbedder, tmp_path: Path
) -> None:
    await diary.write(*texts(3))
    with a_broker() as broker:
        variables = {"DATABASE_URL": own_database_url, "REDIS_URL": broker.url, "EMBED_INTERVAL_S": "0.3"}
        with Stack(tmp_path, variables) as stack:
            worker, _ = stack.worker(embedder_url=scripted.url), stack.beat()
            await eventually(lambda: bool(worker.events("broker_unreachable")))
            answer = worker.answer("/livez")
            assert answer is not None
            assert answer.status_code == 200
            with serving(broker):
                await eventually(diary.is_done)


async def test_a_worker_whose_role_sees_past_row_security_is_never_ready(stack: Stack, owner_url: str) -> None:
    worker = stack.worker(database_url=owner_url)
    await eventually(lambda: worker.answer("/readyz") is not None)
    answer = worker.answer("/readyz")
    assert answer is not None
    assert answer.status_code == 503
    assert answer.json()["failing"]["database"].endswith("GuardViolation")
