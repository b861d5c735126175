"""What the process is connected to: the database, the broker, and the embedder behind each serving model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property, partial

from redis.asyncio import Redis

from threengram.core.consolidation.chat_gateway import ChatGateway
from threengram.core.consolidation.refinement import Refinement
from threengram.core.db import guard
from threengram.core.db.database import Database
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import ServingModel, serving_models
from threengram.core.time.clock import Clock
from threengram.core.usage import Budget
from threengram.runtime.health import Check, Health
from threengram.runtime.observing import TelemetryObserver, observe_pool, traceparent_header
from threengram.worker.settings import Settings

BROKER_TIMEOUT_S = 1.5


class Connections:
    """Opened lazily: a process that starts during an outage waits for its end, not ready, and needs no restart."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings = settings
        self.clock = clock
        self.database = Database(
            settings.database_url.get_secret_value(),
            pool_min=settings.database_pool_min,
            pool_max=settings.database_pool_max,
            keeps_plans=settings.database_prepared_statements,
            observer=TelemetryObserver(),
        )
        self._broker = Redis.from_url(
            settings.redis_url.get_secret_value(),
            socket_connect_timeout=BROKER_TIMEOUT_S,
            socket_timeout=BROKER_TIMEOUT_S,
        )
        self._embedders: dict[ServingModel, HttpEmbedder] = {}
        self._is_guarded = False

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The connections, for as long as the block runs."""
        await self.database.pool.open(wait=False)
        observe_pool(self.database.pool.get_stats)
        try:
            yield
        finally:
            for embedder in self._embedders.values():
                await embedder.close()
            if self.refinement is not None:
                await self.refinement.gateway.close()
            await self._broker.aclose()
            await self.database.close()

    @cached_property
    def refinement(self) -> Refinement | None:
        """What has a second look at proposals; None without a chat gateway."""
        settings = self.settings
        if settings.llm_url is None:
            return None
        key = settings.llm_api_key
        gateway = ChatGateway(
            settings.llm_url,
            model_name=settings.llm_model,
            api_key=None if key is None else key.get_secret_value(),
            timeout_s=settings.llm_timeout_s,
            headers=traceparent_header,
        )
        budget = Budget(settings.llm_calls_per_day, settings.llm_tokens_per_day)
        return Refinement(gateway, max_calls=settings.llm_max_calls, budget=budget)

    async def require_isolation(self) -> None:
        """No work is taken before isolation is known to be in force, whenever the database comes up."""
        if not self._is_guarded:
            await guard.check(self.database)
            self._is_guarded = True

    async def embedders(self) -> list[HttpEmbedder]:
        """One for each model that the database says is serving now, the active one first; none without a URL.

        Asked before every task, so a switch of model needs no restart. Clients are kept until the process ends: another
        task may still be at work with one whose model has just retired.
        """
        if self.settings.embedder_url is None:
            return []
        await self.require_isolation()
        models = await serving_models(self.database)
        for new in set(models) - self._embedders.keys():
            self._embedders[new] = HttpEmbedder(
                self.settings.embedder_url,
                model_name=new.name,
                dimensions=new.dimensions,
                is_metered=new.is_metered,
                headers=traceparent_header,
            )
        return [self._embedders[model] for model in models]

    def health(self, *, uses_embedder: bool) -> Health:
        """Ready with a guarded database and a broker; without the embedder rows wait, no more."""
        degraded: dict[str, Check] = {}
        if uses_embedder and self.settings.embedder_url is not None:
            degraded["embedder"] = self._check_embedder
        return Health({"database": partial(guard.check, self.database), "broker": self._check_broker}, degraded)

    async def _check_broker(self) -> None:
        await self._broker.ping()

    async def _check_embedder(self) -> None:
        for embedder in (await self.embedders())[:1]:
            await embedder.check()
