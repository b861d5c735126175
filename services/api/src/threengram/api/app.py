"""Composition root of `api`: settings in, a running process out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

from starlette.types import ASGIApp

from threengram.api.account import AccountPages
from threengram.api.auth import Authenticator
from threengram.api.build import Collaborators, build_app
from threengram.api.gates import Limits
from threengram.api.limits import EdgeLimits
from threengram.api.login import Logins
from threengram.api.oauth import documents
from threengram.api.oauth.routes import OAuth
from threengram.api.pages import static_routes
from threengram.api.rate import RateLimits
from threengram.api.settings import Settings
from threengram.api.visits import Visits
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db import guard, schema
from threengram.core.db.database import Database
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.oauth.resources import ProtectedResources
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.signing import SigningKeys, private_keys
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime import logging, server, telemetry
from threengram.runtime.health import Check, Health
from threengram.runtime.observing import TelemetryObserver, observe_pool, traceparent_header
from threengram.runtime.ratelimit import RateLimiter

SERVICE = "api"


def _now() -> datetime:
    return datetime.now(UTC)


class Api:
    """The connections of the process. They are opened by the application's lifespan, before it serves."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(
            settings.database_url.get_secret_value(),
            pool_min=settings.database_pool_min,
            pool_max=settings.database_pool_max,
            observer=TelemetryObserver(),
        )
        observe_pool(self.database.pool.get_stats)
        self.limiter = RateLimiter(settings.redis_url.get_secret_value())
        self.key_uses = ApiKeyUses(self.database)
        self.hashes = PasswordHashes(threads=settings.password_threads)
        self.edge_limits = EdgeLimits(self.limiter, settings.rules())
        self.logins = Logins(
            self.database,
            self.hashes,
            self.edge_limits,
            _now,
            issuer_url=settings.issuer_url,
            lifetime=timedelta(minutes=settings.session_minutes),
        )
        self.documents = documents.ServiceDocuments(
            None if settings.cimd_url is None else documents.client(settings.cimd_url)
        )
        self.oauth = OAuth(
            AuthorizationServer(
                database=self.database,
                issuer=settings.issuer_url,
                resources=ProtectedResources(public_url=settings.public_url, issuer=settings.issuer_url),
                documents=self.documents,
                keys=SigningKeys(self.database, private_keys(settings.signing_key.get_secret_value())),
                clock=_now,
                redirect_schemes=frozenset(settings.redirect_schemes),
                max_unused_clients=settings.max_unused_clients,
            ),
            self.logins,
        )
        self.account = AccountPages(self.logins, self.database, self.hashes, _now)
        self.embedder: FollowingEmbedder | None = None
        if settings.embedder_url is not None:
            self.embedder = FollowingEmbedder(self.database, settings.embedder_url, headers=traceparent_header)
        self.core = Core(
            database=self.database,
            embedder=self.embedder,
            cursors=CursorSealer.from_text(settings.cursor_key.get_secret_value()),
            clock=_now,
            embed_query_timeout_s=settings.embed_query_timeout_ms / 1000,
            embed_write_timeout_s=settings.embed_write_timeout_ms / 1000,
        )
        self.open_call = partial(open_call, self.core)
        self.rates = RateLimits(
            self.limiter,
            key_calls_per_minute=settings.key_calls_per_minute,
            user_calls_per_minute=settings.user_calls_per_minute,
        )
        self.visits = Visits(self.logins, self.rates, self.open_call)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connections for as long as the block runs."""
        try:
            await schema.open_when_ready(self.database, timeout_s=self.settings.startup_timeout_s)
            await guard.check(self.database)
            await self.limiter.start()
            async with self.key_uses.recording():
                yield
        finally:
            if self.embedder is not None:
                await self.embedder.close()
            await self.documents.close()
            await self.limiter.aclose()
            self.hashes.close()
            await self.database.close()

    def app(self) -> ASGIApp:
        """The ASGI application."""
        return build_app(self.collaborators())

    def collaborators(self) -> Collaborators:
        """What the application is made from."""
        settings = self.settings
        return Collaborators(
            authenticator=Authenticator(
                ApiKeyResolver(self.database, self.key_uses), _now, access_tokens=self.oauth.access_tokens
            ),
            rates=self.rates,
            open_call=self.open_call,
            limits=Limits(settings.max_body_bytes, settings.request_timeout_s),
            routes=[
                *static_routes(self.edge_limits),
                *self.logins.routes(),
                *self.account.routes(),
                *self.oauth.routes(),
            ],
            metadata_url=self.oauth.metadata_url,
            lifespan=self.opened,
        )

    def health(self) -> Health:
        """Ready with a guarded database and reachable counters.

        Without the embedder search is lexical, without a published signing key no token is made, and all else works.
        """
        degraded: dict[str, Check] = {"signing_key": self.oauth.server.keys.check}
        if self.embedder is not None:
            degraded["embedder"] = self.embedder.check
        return Health(
            {"database": partial(guard.check, self.database), "limiter": self.limiter.check}, degraded=degraded
        )


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings.model_validate({})
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    api = Api(settings)
    server.run(api.app(), settings, service=SERVICE, health=api.health())
    tracing.shutdown()
