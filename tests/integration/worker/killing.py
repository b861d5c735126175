"""Jobs of every kind held in the middle of their work, and the end of the worker that does it."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID

import psycopg

from tests.integration.jobs.canaries import CANARY, bind, places_of
from tests.integration.worker.generations_of import Shelf
from tests.integration.worker.programs import Program, Stack
from tests.integration.worker.writing import Diary
from tests.people import Person, a_person
from tests.waiting import eventually
from threengram.core.call import open_call
from threengram.core.consolidation.switch import switch_consolidation
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.erasure import request_erasure
from threengram.core.ids import new_id
from threengram.core.jobs.queue import enqueue
from threengram.core.jobs.runs import list_runs, show_run
from threengram.core.memories.remember import remember
from threengram.schema.consolidation import SwitchConsolidationInput
from threengram.schema.enums import JobState, MemoryType
from threengram.schema.memories import RememberInput
from threengram.worker.registry import registry
from threengram.worker.settings import CONSOLIDATE, MAINTENANCE, Settings

LEASE_S = 2.0
TASKS = 3
"""Tasks at the same time: one is held at each model's vectors, and one goes on opening lanes."""

MODELS = 2
CLAIM = "The pool is 25 m long."
TAKEN_OVER_WITHIN_S = LEASE_S + 40
"""The lease, the next ring, and a margin for a machine that does other things."""

BLOCKED = Statement(
    "test_blocked",
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
)
EXPIRED = tenant_statement(
    "test_expired",
    "SELECT count(*) FROM memory_events WHERE tenant_id = %(tenant_id)s AND event_kind = 'expire'",
)
INSERT_ENDED_SESSION = tenant_statement(
    "test_ended_session",
    "INSERT INTO user_sessions (tenant_id, id, user_id, token_hash, created_at, last_seen_at, expires_at)"
    " VALUES (%(tenant_id)s, %(id)s, %(user_id)s, uuid_send(%(id)s), %(ended)s, %(ended)s, %(ended)s)",
)
VECTORS = tenant_statement(
    "test_vectors",
    "SELECT model_id, count(*) = max(window_count) AS is_complete FROM memory_embeddings"
    " WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s GROUP BY model_id",
)
WAITING = tenant_statement(
    "test_waiting_rows",
    "SELECT memory_id, attempts FROM embedding_jobs WHERE tenant_id = %(tenant_id)s",
)
FORGET_VECTORS = "DELETE FROM memory_embeddings WHERE memory_id = %s"
STORE_VECTORS = (
    "INSERT INTO memory_embeddings (tenant_id, memory_id, model_id, window_no, window_count, embedding)"
    " SELECT m.tenant_id, m.id, g.id, 0, 1, array_fill(1, ARRAY[g.dimensions])::real[]::halfvec"
    " FROM memories m, embedding_models g WHERE m.id = %s"
)
MISS_VECTORS = (
    "INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, enqueued_at)"
    " SELECT m.tenant_id, m.id, g.id, now(), now() FROM memories m, embedding_models g WHERE m.id = %s"
)
CLAIMS = tenant_statement("test_claims", "SELECT count(*) FROM fact_proposals WHERE tenant_id = %(tenant_id)s")
SESSIONS = tenant_statement("test_sessions", "SELECT count(*) FROM user_sessions WHERE tenant_id = %(tenant_id)s")


@dataclass(frozen=True)
class Work:
    """One run of each kind: a promise to expire, a session to purge, an account to erase, a claim to propose.

    Beside them a memory without vectors, by the active model and by one whose generation is being filled.
    """

    promising: Person
    leaving: Person
    unseen_id: UUID
    runs: dict[str, UUID]


async def settled(database: Database) -> bool:
    """Whether beat has filled this slot of the schedule and nothing is left to do."""
    runs = await list_runs(database, limit=500)
    return {"surface", "purge"} <= {run.kind for run in runs} and all(run.state is JobState.DONE for run in runs)


async def prepare(diary: Diary) -> tuple[Person, Person, UUID]:
    """Somebody with an overdue promise, an ended session and a claim to find, and somebody who wants to leave.

    All that they have written has its vectors, but for one memory, whose id is the third answer.
    """
    core, long_ago = diary.core, datetime.now(UTC) - timedelta(days=30)
    promising, leaving = await a_person(core.database), await a_person(core.database)
    async with open_call(core, promising.principal) as call:
        promise = {"content": "water the plants", "topic": "plants", "due_at": long_ago}
        await remember(call, RememberInput.model_validate({**promise, "memory_type": MemoryType.COMMITMENT}))
    async with open_call(core, promising.principal) as call:
        claim = await remember(call, RememberInput(content=CLAIM, topic="pool", memory_type=MemoryType.FACT))
    async with open_call(core, promising.principal) as call:
        await switch_consolidation(call, SwitchConsolidationInput(enabled=True))
    async with core.database.tenant(promising.principal) as tx:
        session = {"id": new_id(), "user_id": promising.principal.user_id, "ended": long_ago}
        await tx.fetch_last(INSERT_ENDED_SESSION, session)
    async with open_call(core, leaving.principal) as call:
        await remember(call, RememberInput(content=CANARY, topic=CANARY, memory_type=MemoryType.NOTE))
    for person in (promising, leaving):
        await eventually(partial(is_embedded, core.database, person))
    return promising, leaving, claim.memory.id


async def is_embedded(database: Database, person: Person) -> bool:
    """Whether nothing that the person wrote waits for vectors."""
    async with database.tenant(person.principal) as tx:
        return not await tx.fetch_last(WAITING)


async def enqueue_all(database: Database, owner_url: str, promising: Person, leaving: Person, unseen_id: UUID) -> Work:
    now = datetime.now(UTC)
    with psycopg.connect(owner_url) as owner:
        bind(owner, promising.principal.tenant_id)
        owner.execute(MISS_VECTORS, [unseen_id])
    erasure = await request_erasure(database, leaving.principal, now=now - timedelta(minutes=1))
    surfacing = await enqueue(database, "surface", MAINTENANCE, promising.principal.tenant_id, now=now)
    purge = await enqueue(database, "purge", MAINTENANCE, None, now=now)
    consolidation = await enqueue(database, "consolidate", CONSOLIDATE, promising.principal.tenant_id, now=now)
    assert surfacing is not None
    assert consolidation is not None
    assert purge is not None
    runs = {"surface": surfacing, "purge": purge, "erase": erasure.run_id, "consolidate": consolidation}
    assert runs.keys() == {job.kind for job in registry(Settings.model_construct())}
    return Work(promising, leaving, unseen_id, runs)


@contextmanager
def held(owner_url: str, promising: Person, leaving: Person, unseen_id: UUID) -> Iterator[None]:
    """Hold the rows that the jobs come to in the middle of their work, the vectors to be stored included."""
    with psycopg.connect(owner_url) as owner:
        bind(owner, promising.principal.tenant_id)
        owner.execute(FORGET_VECTORS, [unseen_id])
    with psycopg.connect(owner_url) as owner:
        bind(owner, promising.principal.tenant_id)
        owner.execute(STORE_VECTORS, [unseen_id])
        owner.execute("SELECT FROM commitments FOR UPDATE")
        owner.execute("SELECT FROM user_sessions FOR UPDATE")
        owner.execute("SELECT FROM consolidation_progress FOR UPDATE")
        bind(owner, leaving.principal.tenant_id)
        owner.execute("SELECT FROM memories FOR UPDATE")
        yield
        owner.rollback()


async def kill_in_the_middle(
    stack: Stack, diary: Diary, owner_url: str, embedder_url: str, *, times: int
) -> list[float]:
    """Kill a worker in the middle of a run of every kind, again and again; the seconds until another had them all.

    So does the storing of vectors by either of two models, of which one is being filled. Each run is done in the end,
    and what it was to do is done once.
    """
    database = diary.core.database
    await Shelf(diary.core, diary.person, embedder_url, owner_url).add()
    stack.variables |= {"EMBEDDER_URL": embedder_url, "LEASE_S": str(LEASE_S), "CONCURRENCY": str(TASKS)}
    stack.beat()
    worker = stack.worker()
    await eventually(partial(settled, database))
    taken_over_s = []
    for _ in range(times):
        successor = await asleep(stack)
        people = await prepare(diary)
        with held(owner_url, *people):
            work = await enqueue_all(database, owner_url, *people)
            await eventually(partial(is_blocked, database, len(work.runs) + MODELS))
            worker.kill()
            killed_at = time.monotonic()
            successor.process.send_signal(signal.SIGCONT)
            await eventually(partial(is_taken_over, database, work))
            taken_over_s.append(time.monotonic() - killed_at)
        worker = successor
        await eventually(partial(is_done, database, work))
        await require_done_once(diary, owner_url, work)
    return taken_over_s


async def asleep(stack: Stack) -> Program:
    """A worker that is ready and stands still, so that it takes nothing and needs no time to start."""
    worker = stack.worker()
    await eventually(worker.is_ready)
    worker.process.send_signal(signal.SIGSTOP)
    return worker


async def is_blocked(database: Database, count: int) -> bool:
    async with database.system() as tx:
        return int((await tx.fetch_last(BLOCKED))[0]["count"]) >= count


async def is_taken_over(database: Database, work: Work) -> bool:
    async with database.tenant(work.promising.principal) as tx:
        waiting = await tx.fetch_last(WAITING)
    attempts = [(await show_run(database, run_id)).attempts for run_id in work.runs.values()]
    return all(tried > 1 for tried in (*attempts, *(row["attempts"] for row in waiting)))


async def is_done(database: Database, work: Work) -> bool:
    states = [(await show_run(database, run_id)).state for run_id in work.runs.values()]
    return all(state is JobState.DONE for state in states) and await is_embedded(database, work.promising)


async def require_done_once(diary: Diary, owner_url: str, work: Work) -> None:
    """Fail unless the promise has expired once, the claim is proposed once, and session and account are gone.

    And unless the vectors are there, of both models.
    """
    async with diary.core.database.tenant(work.promising.principal) as tx:
        expired = await tx.fetch(EXPIRED)
        sessions = await tx.fetch(SESSIONS)
        claims = await tx.fetch(CLAIMS)
        vectors = await tx.fetch(VECTORS, {"memory_id": work.unseen_id})
    assert (expired[0]["count"], sessions[0]["count"], claims[0]["count"]) == (1, 0, 1)
    assert [row["is_complete"] for row in vectors] == [True] * MODELS
    with psycopg.connect(owner_url) as owner:
        bind(owner, work.leaving.principal.tenant_id)
        assert places_of(owner, [CANARY]) == set()
