"""Real servers, once a session; databases, tenants and clocks, once a test."""

import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import hypothesis
import psycopg
import pytest

from tests.embedder import DIMENSIONS, MODELS, embedder_service
from tests.people import SIGNING_KEY, Person, a_person
from tests.servers import as_role, postgres_server, valkey_server
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.embeddings.http import HttpEmbedder
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade

RUNTIME_PASSWORD = "runtime-secret"
CURSOR_KEY = b"k" * 32

# How long an example takes depends on what else the machine does, and no test is a timed one.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def patient_pools() -> Iterator[None]:
    """Where more calls than connections are under way, a busy machine must not look like an outage."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("threengram.core.db.database.POOL_TIMEOUT_S", 60.0)
        yield


@pytest.fixture(scope="session")
def owner_url() -> Iterator[str]:
    """The owner's URL of a migrated database with the test model registered."""
    with postgres_server() as url:
        prepare(url)
        yield url


def prepare(owner_url: str) -> None:
    """Migrate an empty database, register the test model, publish the key of the tests."""
    upgrade(owner_url, runtime_password=RUNTIME_PASSWORD)
    ensure_model(owner_url, name=MODELS["hash"], dimensions=DIMENSIONS)
    with psycopg.connect(owner_url) as owner:
        owner.execute(
            "INSERT INTO signing_keys (kid, public_jwk, state, created_at) VALUES (%s, %s, 'active', now())",
            (SIGNING_KEY.kid, psycopg.types.json.Jsonb(SIGNING_KEY.as_dict(private=False))),
        )


@pytest.fixture(scope="session")
def database_url(owner_url: str) -> str:
    """The same database as the runtime role."""
    return as_role(owner_url, RUNTIME_ROLE, RUNTIME_PASSWORD)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with valkey_server() as url:
        yield url


@pytest.fixture(scope="session")
def hash_embedder_url() -> Iterator[str]:
    """The embedding service with the hashing model: instant, and related texts are near each other."""
    with embedder_service("hash") as url:
        yield url


@pytest.fixture(scope="session")
def keeps_plans() -> bool:
    """Whether statements may be prepared: nothing is between the tests and PostgreSQL."""
    return True


@pytest.fixture
async def database(database_url: str, keeps_plans: bool) -> AsyncIterator[Database]:
    """A pool of the runtime role."""
    async with Database(database_url, pool_min=1, pool_max=8, keeps_plans=keeps_plans) as pool:
        yield pool


class Clock:
    """A clock that moves when it is told to, and by a microsecond whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=1)
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window in which this process counts calls by itself ends during the test.

    They end at whole multiples of their length, and a test may begin just before one.
    """
    now = time.time()
    monkeypatch.setattr("limits.aio.storage.memory.time", SimpleNamespace(time=lambda: now))


@pytest.fixture
async def embedder(hash_embedder_url: str) -> AsyncIterator[HttpEmbedder]:
    client = HttpEmbedder(hash_embedder_url, model_name=MODELS["hash"], dimensions=DIMENSIONS)
    yield client
    await client.close()


@pytest.fixture
def core(database: Database, embedder: HttpEmbedder, clock: Clock) -> Core:
    """Everything a verb needs; embedding deadlines are wide, since a busy machine is no test subject."""
    return Core(database, embedder, CursorSealer(CURSOR_KEY), clock, 5.0, 5.0)


@pytest.fixture
async def alice(database: Database, clock: Clock) -> Person:
    return await a_person(database, now=clock())


@pytest.fixture
async def bob(database: Database, clock: Clock) -> Person:
    return await a_person(database, now=clock())
