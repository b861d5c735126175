"""Composition root of `api`: settings in, a running process out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from starlette.types import ASGIApp

from threengram.api import breaches
from threengram.api.account import AccountPages
from threengram.api.auth import Authenticator
from threengram.api.breaches import Breaches
from threengram.api.browsing import routes as browsing
from threengram.api.build import Collaborators, build_app
from threengram.api.exports import Exports
from threengram.api.gates import Limits
from threengram.api.imports import ImportLimits
from threengram.api.limits import EdgeLimits
from threengram.api.login import Logins
from threengram.api.mail.mail import Mail
from threengram.api.mail.pages import LinkPages
from threengram.api.oauth import documents
from threengram.api.oauth.routes import OAuth
from threengram.api.pages import static_routes
from threengram.api.proposals import ProposalPages
from threengram.api.rate import RateLimits
from threengram.api.settings import Settings
from threengram.api.visits import Visits
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.oauth.resources import ProtectedResources
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.signing import SigningKeys, private_keys
from threengram.core.people.passwords import PasswordHashes
from threengram.edge.connections import Connections
from threengram.runtime import server, telemetry
from threengram.runtime.health import Health

SERVICE = "api"


class Api:
    """The parts of the process on its connections; some hold threads and sockets of their own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.connections = Connections(settings)
        database, clock = self.connections.database, self.connections.clock
        self.key_uses = ApiKeyUses(database)
        self.hashes = PasswordHashes(threads=settings.password_threads)
        self.edge_limits = EdgeLimits(self.connections.limiter, settings.rules())
        self.logins = Logins(
            database,
            self.hashes,
            self.edge_limits,
            clock,
            issuer_url=settings.issuer_url,
            lifetime=timedelta(minutes=settings.session_minutes),
            ways_in=settings.ways_in(),
        )
        self.breaches = Breaches(
            None if settings.breach_check_url is None else breaches.client(settings.breach_check_url)
        )
        self.mail = Mail(settings, self.connections)
        self.links = LinkPages(
            self.logins, self.mail.links, self.mail.outbox, database, self.hashes, clock, self.breaches
        )
        self.documents = documents.ServiceDocuments(
            None if settings.cimd_url is None else documents.client(settings.cimd_url)
        )
        self.oauth = OAuth(
            AuthorizationServer(
                database=database,
                issuer=settings.issuer_url,
                resources=ProtectedResources(public_url=settings.public_url, issuer=settings.issuer_url),
                documents=self.documents,
                keys=SigningKeys(database, private_keys(settings.signing_key.get_secret_value())),
                clock=clock,
                redirect_schemes=frozenset(settings.redirect_schemes),
                max_unused_clients=settings.max_unused_clients,
            ),
            self.logins,
        )
        self.rates = RateLimits(
            self.connections.limiter,
            key_calls_per_minute=settings.key_calls_per_minute,
            user_calls_per_minute=settings.user_calls_per_minute,
        )
        self.exports = Exports(
            self.connections.open_call, timeout_s=settings.export_timeout_s, max_at_once=settings.exports_at_once
        )
        self.account = AccountPages(self.logins, database, self.hashes, clock, self.exports, self.breaches)
        self.visits = Visits(self.logins, self.rates, self.connections.open_call)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Everything at work, for as long as the block runs."""
        try:
            async with self.connections.opened(), self.key_uses.recording(), self.mail.sending():
                yield
        finally:
            await self.documents.close()
            await self.breaches.close()
            self.hashes.close()

    def app(self) -> ASGIApp:
        """The ASGI application."""
        return build_app(self.collaborators())

    def collaborators(self) -> Collaborators:
        """What the application is made from."""
        settings = self.settings
        return Collaborators(
            authenticator=Authenticator(
                ApiKeyResolver(self.connections.database, self.key_uses),
                self.connections.clock,
                access_tokens=self.oauth.access_tokens,
            ),
            rates=self.rates,
            open_call=self.connections.open_call,
            limits=Limits(settings.max_body_bytes, settings.request_timeout_s),
            import_limits=ImportLimits(
                timeout_s=settings.import_timeout_s,
                batch_timeout_s=settings.request_timeout_s,
                max_body_bytes=settings.import_max_bytes,
                max_at_once=settings.imports_at_once,
            ),
            routes=[
                *static_routes(self.edge_limits),
                *self.logins.routes(),
                *self.links.routes(),
                *browsing.routes(self.visits, self.connections.cursors, self.connections.clock),
                *self.account.routes(),
                *ProposalPages(self.visits).routes(),
                *self.oauth.routes(),
            ],
            metadata_url=self.oauth.metadata_url,
            exports=self.exports,
            lifespan=self.opened,
        )

    def health(self) -> Health:
        """As the connections are; without a published signing key no token is made, and all else works."""
        return self.connections.health({"signing_key": self.oauth.server.keys.check})


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings.model_validate({})
    with telemetry.observed(SERVICE, settings):
        api = Api(settings)
        server.run(api.app(), settings, service=SERVICE, health=api.health())
