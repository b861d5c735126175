from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.integration.worker.programs import Stack
from tests.integration.worker.scripted_embedder import REFUSED, ScriptedEmbedder
from tests.integration.worker.writing import Diary
from tests.servers import free_port
from tests.waiting import eventually
from threengram.core.db.statement import tenant_statement
from threengram.runtime.telemetry import current_traceparent, span

pytestmark = pytest.mark.anyio

LONG_TEXT = " ".join(f"the {number}th passage of a long letter about the harbour" for number in range(35))

LEASE_ONE = tenant_statement(
    "test_lease",
    "UPDATE embedding_jobs SET lease_until = now() + interval '1 hour' WHERE tenant_id = %(tenant_id)s"
    " AND memory_id = (SELECT memory_id FROM embedding_jobs WHERE tenant_id = %(tenant_id)s LIMIT 1)",
)


def texts(count: int) -> list[str]:
    return [f"the ferry number {number} leaves at noon" for number in range(count)]


@contextmanager
def within_a_trace() -> Iterator[str]:
    """The trace id of everything that is done in the block."""
    with span("mcp.tools_call"):
        yield (current_traceparent() or "")[3:35]


async def test_memories_get_all_their_windows_from_a_live_worker(
    stack: Stack, diary: Diary, hash_embedder_url: str
) -> None:
    written = await diary.write(*texts(80), LONG_TEXT)
    worker, beat = stack.worker(embedder_url=hash_embedder_url), stack.beat()
    await eventually(diary.is_done)
    windows = await diary.windows()
    assert windows.keys() == set(written)
    assert all(stored == expected for stored, expected in windows.values())
    assert windows[written[-1]][1] > 1
    await eventually(lambda: worker.metric('threengram_embedding_rows_total{outcome="stored"}') == len(written))
    await eventually(lambda: worker.is_ready() and beat.is_ready())
    assert [program.stop() for program in (worker, beat)] == [0, 0]
    said = [line for program in (worker, beat) for line in program.events("library_message")]
    assert [line for line in said if line["level"] not in ("debug", "info")] == []


async def test_no_line_of_a_log_holds_a_word_of_a_memory(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    await diary.write("canary sings", f"canary {REFUSED}")
    programs = stack.worker(embedder_url=scripted.url), stack.beat()
    await eventually(lambda: bool(programs[0].events("job_finished")))
    await eventually(lambda: len(scripted.asked) == 2)
    for program in programs:
        program.stop()
        assert program.events("process_stopped")
        assert "canary" not in program.output
        assert "a topic" not in program.output


async def test_a_job_continues_the_trace_of_its_ring_and_an_embedding_that_of_its_write(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    worker = stack.worker(embedder_url=scripted.url)
    with within_a_trace() as write_trace:
        await diary.write(*texts(1))
    with within_a_trace() as ring_trace:
        stack.ring()
    await eventually(diary.is_done)
    await eventually(lambda: bool(worker.events("job_finished")))
    assert [line["trace_id"] for line in worker.events("job_finished")] == [ring_trace]
    assert [header[3:35] for header in scripted.traceparents] == [write_trace]


async def test_two_workers_at_once_fill_each_row_once(stack: Stack, diary: Diary, scripted: ScriptedEmbedder) -> None:
    workers = [stack.worker(embedder_url=scripted.url) for _ in range(2)]
    await eventually(lambda: all(worker.is_ready() for worker in workers))
    contents = texts(200)
    await diary.write(*contents)
    for _ in workers:
        stack.ring()
    await eventually(diary.is_done)
    assert scripted.asked == dict.fromkeys(contents, 1)
    assert set((await diary.windows()).values()) == {(1, 1)}


async def test_a_text_that_is_always_refused_waits_by_itself(
    stack: Stack, diary: Diary, scripted: ScriptedEmbedder
) -> None:
    (refused,) = await diary.write(REFUSED)
    await diary.write(*texts(100))
    stack.worker(embedder_url=scripted.url)
    stack.beat()

    async def only_one_waits() -> bool:
        return [row["memory_id"] for row in await diary.jobs()] == [refused]

    await eventually(only_one_waits)
    (row,) = await diary.jobs()
    assert row["attempts"] >= 1
    assert row["error_class"] == "EmbeddingFailed"


async def test_rows_wait_for_an_embedder_that_is_away_and_their_tries_are_not_counted(
    stack: Stack, diary: Diary
) -> None:
    port = free_port()
    await diary.write(*texts(40))
    worker, _ = stack.worker(embedder_url=f"http://127.0.0.1:{port}"), stack.beat()

    async def all_were_tried() -> bool:
        return all(row["error_class"] == "EmbedderUnavailable" for row in await diary.jobs())

    await eventually(all_were_tried)
    assert {row["attempts"] for row in await diary.jobs() if row["lease_until"] is None} == {0}
    await eventually(worker.is_ready)
    answer = worker.answer("/readyz")
    assert answer is not None
    assert answer.json()["degraded"].keys() == {"embedder"}
    with ScriptedEmbedder(port) as embedder:
        await eventually(diary.is_done)
        assert len(embedder.asked) == 40


async def test_a_beat_that_nobody_hears_leaves_one_message_and_says_how_much_waits(stack: Stack, diary: Diary) -> None:
    await diary.write(*texts(3))
    async with diary.core.database.tenant(diary.person.principal) as tx:
        await tx.fetch(LEASE_ONE)
    beat = stack.beat(embed_interval_s="0.05")
    ticks = 'threengram_db_statement_duration_seconds_count{statement="embedding_backlog"}'
    await eventually(lambda: beat.metric(ticks) >= 10)
    assert beat.metric('threengram_jobs_waiting{kind="embed_pending",queue="embed"}') == 3
    assert beat.metric('threengram_jobs_running{kind="embed_pending",queue="embed"}') == 1
    assert beat.metric('threengram_jobs_oldest_age_seconds{kind="embed_pending",queue="embed"}') > 0
    assert stack.unread() == 1
