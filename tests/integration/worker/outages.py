"""A database server and a broker of a test's own, which can be ended and started again under whatever works on them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from tests.conftest import RUNTIME_PASSWORD
from tests.embedder import DIMENSIONS, MODELS
from tests.servers import account_directory, free_port, running
from threengram.cli.account import service_account
from threengram.cli.binaries import postgres_installation, valkey_program
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.embedded_valkey import EmbeddedValkey
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade


@dataclass
class Mortal:
    """One server: `end` stops it in order, `start` starts it where it was."""

    server: EmbeddedPostgres | EmbeddedValkey
    _life: ExitStack = field(default_factory=ExitStack)

    def start(self) -> None:
        self._life.enter_context(running(self.server.command(), self.server.accepts_connections))

    def end(self) -> None:
        self._life.close()


@dataclass(frozen=True)
class Backends:
    """Both servers, and their URLs for a service."""

    postgres: Mortal
    valkey: Mortal
    owner_url: str
    database_url: str
    redis_url: str

    def restart_both(self) -> None:
        """The broker forgets what it held; the database ends every session."""
        for server in (self.postgres, self.valkey):
            server.end()
            server.start()


@contextmanager
def mortal_backends() -> Iterator[Backends]:
    """Both running, the database migrated."""
    account = service_account()
    with account_directory() as directory, ExitStack() as lives:
        postgres = EmbeddedPostgres(
            directory=directory / "postgres",
            installation=postgres_installation(directory, account),
            port=free_port(),
            superuser_password="superuser-secret",
            owner_password="owner-secret",
            account=account,
            is_durable=False,
            settings={"shared_buffers": "64MB"},
        )
        valkey = EmbeddedValkey(
            directory=directory,
            program=valkey_program(directory, account),
            port=free_port(),
            password="broker-secret",
            account=account,
        )
        postgres.create()
        mortals = Mortal(postgres), Mortal(valkey)
        for mortal in mortals:
            lives.callback(mortal.end)
            mortal.start()
        postgres.bootstrap()
        upgrade(postgres.owner_url, runtime_password=RUNTIME_PASSWORD)
        ensure_model(postgres.owner_url, name=MODELS["hash"], dimensions=DIMENSIONS)
        parts = urlsplit(postgres.owner_url)
        netloc = f"{RUNTIME_ROLE}:{RUNTIME_PASSWORD}@{parts.hostname}:{parts.port}"
        yield Backends(*mortals, postgres.owner_url, urlunsplit(parts._replace(netloc=netloc)), valkey.url)
