"""The services as programs: which module, which settings, which secrets. Each gets what its settings need."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from threengram.cli.account import Account, first_unreachable
from threengram.cli.command import Command
from threengram.cli.ports import Ports
from threengram.cli.program import Program, Tier
from threengram.cli.ready import Readiness
from threengram.cli.secrets import Secrets
from threengram.cli.settings import inherited
from threengram.cli.sockets import HOST

MODULES = {
    "embedder": ("threengram.embedder",),
    "cimd": ("threengram.cimd",),
    "gateway": ("threengram.gateway",),
    "api": ("threengram.api",),
    "worker": ("threengram.worker",),
    "beat": ("threengram.worker", "beat"),
}
SERVICES = tuple(MODULES)
SUPPORTING = frozenset({"embedder", "cimd"})
SINGLE = frozenset({"beat"})
EMBED_INTERVAL_S = 2


@dataclass(frozen=True)
class Backends:
    """What the services are connected to; `is_direct` says that nothing is between them and PostgreSQL."""

    database_url: str
    redis_url: str
    is_direct: bool = False
    otlp_endpoint: str | None = None


@dataclass(frozen=True)
class Services:
    """Makes the program of any service and replica of one stack.

    `signing_keys` are asked at each start, since a rotation gives a service another one.
    """

    ports: Ports
    backends: Backends
    secrets: Secrets
    signing_keys: Callable[[], str]
    listen_fds: Mapping[str, int]
    directory: Path
    account: Account | None
    readiness: Readiness
    models: Callable[[], str]
    """What the embedder is to serve, as its setting has it; asked at every start of one."""

    @property
    def api_url(self) -> str:
        """The base URL of `api`, which is also the token issuer."""
        return f"http://{HOST}:{self.ports.listener('api')}"

    @property
    def public_url(self) -> str:
        """The base URL of `gateway`."""
        return f"http://{HOST}:{self.ports.listener('gateway')}"

    @property
    def embedder_url(self) -> str:
        """The base URL of `embedder`."""
        return f"http://{HOST}:{self.ports.listener('embedder')}"

    @property
    def cimd_url(self) -> str:
        """The base URL of `cimd`."""
        return f"http://{HOST}:{self.ports.listener('cimd')}"

    def program(self, service: str, replica: int = 0) -> Program:
        """Replicas are processes on the same listening socket with an admin port each."""
        return Program(
            name=service if replica == 0 else f"{service}.{replica}",
            service=service,
            tier=Tier.SUPPORT if service in SUPPORTING else Tier.SERVICE,
            command=partial(self._command, service, replica),
            is_ready=lambda generation: self.readiness.of(self.ports.admin(service, replica, generation)),
            why_not=lambda generation: self.readiness.why_not(self.ports.admin(service, replica, generation)),
            can_roll=True,
        )

    def _command(self, service: str, replica: int, generation: int) -> Command:
        descriptor = self.listen_fds.get(service)
        return Command(
            # -P keeps the working directory out of the import path.
            argv=(sys.executable, "-P", "-m", *MODULES[service]),
            environment=self.environment(service, replica, generation),
            directory=self.directory,
            account=self.account,
            listen_fds=() if descriptor is None else (descriptor,),
        )

    def environment(self, service: str, replica: int = 0, generation: int = 0) -> dict[str, str]:
        """The whole environment of one process; variables of the service's prefix given to `up` win."""
        prefix = f"THREENGRAM_{'WORKER' if service == 'beat' else service.upper()}_"
        settings = {
            "ADMIN_PORT": str(self.ports.admin(service, replica, generation)),
            "INSTANCE": f"{service}-{replica}",
            **self._own_settings(service),
        }
        if service in self.listen_fds:
            settings |= {"PORT": str(self.ports.listener(service)), "LISTEN_FD": str(self.listen_fds[service])}
        if self.backends.otlp_endpoint is not None:
            settings["OTLP_ENDPOINT"] = self.backends.otlp_endpoint
        common = {"PYTHONUNBUFFERED": "1", "HOME": str(self.directory)}
        given = inherited(prefix)
        if prefix + "DATABASE_URL" not in given and self.backends.is_direct and "DATABASE_URL" in settings:
            settings["DATABASE_PREPARED_STATEMENTS"] = "true"
        return common | {prefix + name: value for name, value in settings.items()} | given

    def _own_settings(self, service: str) -> dict[str, str]:
        data = {"DATABASE_URL": self.backends.database_url, "REDIS_URL": self.backends.redis_url}
        match service:
            case "gateway":
                return data | self._edge() | {"WEB_APP_URL": self.api_url}
            case "api":
                return data | self._edge() | {"SIGNING_KEY": self.signing_keys(), "CIMD_URL": self.cimd_url}
            case "worker" | "beat":
                return data | {"EMBEDDER_URL": self.embedder_url, "EMBED_INTERVAL_S": str(EMBED_INTERVAL_S)}
            case "embedder":
                return {"MODELS": self.models()}
            case _:
                return {}

    def _edge(self) -> dict[str, str]:
        return {
            "EMBEDDER_URL": self.embedder_url,
            "PUBLIC_URL": self.public_url,
            "ISSUER_URL": self.api_url,
            "CURSOR_KEY": self.secrets.cursor_key,
        }


def out_of_reach_of(account: Account | None) -> Path | None:
    """Where `account` is stopped on its way to the interpreter and to what it imports, or None."""
    return first_unreachable([Path(sys.executable), *(Path(entry) for entry in sys.path if entry)], account)
