"""The two databases of a stack: started here, or somebody else's by URL."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from threengram.cli.account import Account
from threengram.cli.backup.archive import Archive
from threengram.cli.binaries import postgres_installation, valkey_program
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.embedded_valkey import EmbeddedValkey
from threengram.cli.errors import CannotRun
from threengram.cli.layout import Layout
from threengram.cli.ports import Ports
from threengram.cli.program import Program, Tier
from threengram.cli.secrets import Secrets
from threengram.cli.supervisor import Supervisor

RUNTIME_ROLE = "threengram_runtime"


@dataclass(frozen=True)
class EmbeddedBackends:
    """Makes the embedded servers of one data directory."""

    layout: Layout
    ports: Ports
    secrets: Secrets = field(repr=False)
    account: Account | None
    backup_dir: Path | None = None

    def postgres(self) -> EmbeddedPostgres:
        """The PostgreSQL of this data directory."""
        return EmbeddedPostgres(
            directory=self.layout.postgres,
            installation=postgres_installation(self.layout.binaries, self.account),
            port=self.ports.postgres,
            superuser_password=self.secrets.postgres_password,
            owner_password=self.secrets.owner_password,
            account=self.account,
            settings={} if self.backup_dir is None else Archive(self.backup_dir).settings(),
        )

    def valkey(self) -> EmbeddedValkey:
        """The Valkey of this data directory."""
        return EmbeddedValkey(
            directory=self.layout.valkey,
            program=valkey_program(self.layout.binaries, self.account),
            port=self.ports.valkey,
            password=self.secrets.valkey_password,
            account=self.account,
        )


async def start_postgres(server: EmbeddedPostgres, supervisor: Supervisor) -> str:
    """The owner's URL of the server, once it runs and has its first roles."""
    await asyncio.to_thread(server.create)
    await supervisor.start(_program("postgres", server))
    await asyncio.to_thread(server.bootstrap)
    return server.owner_url


async def start_valkey(server: EmbeddedValkey, supervisor: Supervisor) -> str:
    """The URL of the server, once it answers."""
    await supervisor.start(_program("valkey", server))
    return server.url


def _program(name: str, server: EmbeddedPostgres | EmbeddedValkey) -> Program:
    async def is_ready(_generation: int) -> bool:
        return await asyncio.to_thread(server.accepts_connections)

    async def why_not(_generation: int) -> str:
        return f"nothing answers on port {server.port} with the password of this data directory"

    return Program(
        name=name,
        service=name,
        tier=Tier.DATA,
        command=lambda _generation: server.command(),
        is_ready=is_ready,
        why_not=why_not,
    )


def runtime_url(owner_url: str, password: str) -> str:
    """The same database as the role that the services use."""
    parts = urlsplit(owner_url)
    if parts.scheme not in ("postgresql", "postgres") or not parts.hostname:
        raise CannotRun("--database-url has to look like postgresql://owner:password@host:port/database")
    address = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{RUNTIME_ROLE}:{quote(password, safe='')}@{address}").geturl()
