"""The tenants of the simulated day: who they are, what languages they speak, how much they write."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from tests.conftest import Clock
from tests.integration.consolidation.day.frames import load
from tests.integration.consolidation.day.living import QUARTER_MIN, Day, Tenant, live
from tests.integration.consolidation.day.traffic import traffic
from tests.people import a_person
from threengram.worker.connections import Connections
from threengram.worker.settings import Settings

SPEECH = (
    ("en",), ("de", "en"), ("fr",), ("en", "es"), ("ja", "en"), ("zh",), ("it", "fr"), ("pt", "es"), ("de",), ("en",),
    ("ja", "zh"), ("en", "de", "fr", "es", "it", "pt"),
)  # fmt: skip


@asynccontextmanager
async def a_day(
    database_url: str,
    redis_url: str,
    embedder_url: str,
    *,
    tenants: int,
    writes: tuple[int, int],
    quarters: int,
    seed: int,
) -> AsyncIterator[Day]:
    """A day that is over, its database still open: `tenants` of the town write between the two numbers each."""
    clock, source = Clock(), random.Random(seed)
    settings = Settings(database_url=SecretStr(database_url), redis_url=SecretStr(redis_url), embedder_url=embedder_url)
    connections = Connections(settings, clock)
    async with connections.opened():
        town = []
        for number in range(tenants):
            person = await a_person(connections.database, now=clock())
            deeds = traffic(
                load(),
                languages=SPEECH[number % len(SPEECH)],
                writes=source.randint(*writes),
                minutes=quarters * QUARTER_MIN,
                seed=seed + number,
            )
            town.append(Tenant(person, deeds))
        day = Day(connections, clock, town, source)
        await live(day, quarters=quarters)
        yield day
