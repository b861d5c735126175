"""Everything that `threengram up` starts, in an order in which nothing waits that need not."""

import asyncio
import contextlib
import os
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from threengram.cli.account import Account
from threengram.cli.backends import RUNTIME_ROLE, EmbeddedBackends, runtime_url, start_postgres, start_valkey
from threengram.cli.backup.archive import Archive
from threengram.cli.errors import CannotRun
from threengram.cli.grant import FIRST_USER, Grant
from threengram.cli.layout import Layout
from threengram.cli.options import UpOptions
from threengram.cli.ports import LISTENERS, Ports
from threengram.cli.ready import Readiness
from threengram.cli.requests.dispatch import Requests
from threengram.cli.run_file import RunRecord
from threengram.cli.secrets import Secrets
from threengram.cli.served import STATIC_MODEL, ServedModels
from threengram.cli.services import SERVICES, SUPPORTING, Backends, Services, out_of_reach_of
from threengram.cli.signing_key_files import SigningKeyFiles
from threengram.cli.sockets import HOST, listen, require_free
from threengram.cli.steps import Steps
from threengram.cli.supervisor import Supervisor

if TYPE_CHECKING:
    from threengram.cli.provision import Provisioner


class Stack:
    """One stack on one data directory; `start` once, then `record` says what runs and `requests` are answered."""

    def __init__(
        self, options: UpOptions, layout: Layout, secrets: Secrets, account: Account | None, supervisor: Supervisor
    ) -> None:
        self._options = options
        self._layout = layout
        self._secrets = secrets
        self._account = account
        self._supervisor = supervisor
        self._ports = Ports(options.port_base)
        self._servers = EmbeddedBackends(layout, self._ports, secrets, account, options.backup_dir)
        self._key_files = SigningKeyFiles(layout.secrets)
        self._served = ServedModels(layout.models)
        self.requests = Requests(
            options=options,
            layout=layout,
            ports=self._ports,
            servers=self._servers,
            served=self._served,
            key_files=self._key_files,
            cursor_key=self._secrets.cursor_key,
            supervisor=supervisor,
        )
        self._token = self._api_key = ""
        self._password_file: Path | None = None

    async def start(self, steps: Steps, readiness: Readiness, listeners: contextlib.ExitStack) -> None:
        """Start everything and return once all of it is ready. Raises the first `CannotRun` of any part."""
        self._require_ports()
        if self._options.backup_dir is not None:
            Archive(self._options.backup_dir).create(self._account)
        await self._begin_models()
        listen_fds = self._listen(listeners)
        services = self._services(listen_fds, readiness)
        await concurrently(
            *(self._start_service(services, name, steps) for name in SUPPORTING),
            self._start_on_data(services, steps),
        )

    def record(self) -> RunRecord:
        """Addresses and process ids of this moment."""
        pids: dict[str, list[int]] = {"supervisor": [os.getpid()]}
        admin: dict[str, list[str]] = {}
        replica: dict[str, int] = {}
        for keeper in self._supervisor.keepers:
            service = keeper.program.service
            if keeper.pid is not None:
                pids.setdefault(service, []).append(keeper.pid)
            if service in SERVICES:
                number = replica[service] = replica.get(service, -1) + 1
                port = self._ports.admin(service, number, keeper.generation)
                admin.setdefault(service, []).append(f"http://{HOST}:{port}")
        return RunRecord(
            api_url=f"http://{HOST}:{self._ports.listener('api')}",
            mcp_url=f"http://{HOST}:{self._ports.listener('gateway')}/mcp",
            email=FIRST_USER,
            password_file=None if self._password_file is None else str(self._password_file),
            token=self._token,
            api_key=self._api_key,
            admin_urls={name: urls[0] if len(urls) == 1 else urls for name, urls in admin.items()},
            pids={name: numbers[0] if len(numbers) == 1 else numbers for name, numbers in pids.items()},
            data_dir=str(self._layout.root),
        )

    async def _begin_models(self) -> None:
        """Know what to serve before the embedder starts, which is before the database does."""
        active = None
        if not self._served.exists:
            if self._options.database_url is not None:
                active = await asyncio.to_thread(_active_model, self._options.database_url)
            elif self._layout.postgres.exists():
                active = STATIC_MODEL if self._options.embedder != "hash" else None
        self._served.begin(self._options.embedder, active=active)

    def _require_ports(self) -> None:
        for service in SERVICES:
            for replica in range(self._options.replicas_of(service)):
                require_free(self._ports.admin(service, replica), f"admin port of {service}")
        if self._options.database_url is None:
            require_free(self._ports.postgres, "PostgreSQL")
        if self._options.redis_url is None:
            require_free(self._ports.valkey, "Valkey")

    def _listen(self, listeners: contextlib.ExitStack) -> dict[str, int]:
        sockets = {
            service: listeners.enter_context(contextlib.closing(listen(self._ports.listener(service), service)))
            for service in LISTENERS
        }
        return {service: listener.fileno() for service, listener in sockets.items()}

    def _services(self, listen_fds: dict[str, int], readiness: Readiness) -> Services:
        owner_url = self._options.database_url or self._servers.postgres().owner_url
        return Services(
            ports=self._ports,
            backends=Backends(
                database_url=runtime_url(owner_url, self._secrets.runtime_password),
                redis_url=self._options.redis_url or self._servers.valkey().url,
                is_direct=self._options.database_url is None,
                otlp_endpoint=self._options.otlp_endpoint,
            ),
            secrets=self._secrets,
            signing_keys=self._key_files.all,
            listen_fds=listen_fds,
            directory=self._layout.work,
            account=self._services_account(),
            readiness=readiness,
            models=self._served.setting,
        )

    def _services_account(self) -> Account | None:
        """The service account if it can run Python, else the caller's own."""
        blocked_at = out_of_reach_of(self._account)
        if blocked_at is None or self._account is None:
            return self._account
        self._supervisor.report(f"the services run as root: {self._account.name} can't pass {blocked_at}")
        return None

    async def _start_on_data(self, services: Services, steps: Steps) -> None:
        await concurrently(self._start_database(services, steps), self._start_broker(steps))
        rest = [name for name in SERVICES if name not in SUPPORTING]
        await concurrently(*(self._start_service(services, name, steps) for name in rest))

    async def _start_database(self, services: Services, steps: Steps) -> None:
        loading = asyncio.create_task(asyncio.to_thread(_load_provisioner))
        owner_url = self._options.database_url
        if owner_url is None:
            with steps.step("PostgreSQL"):
                owner_url = await start_postgres(self._servers.postgres(), self._supervisor)
        with steps.step("migrations and roles"):
            provisioner = (await loading)(
                owner_url=owner_url,
                runtime_url=services.backends.database_url,
                runtime_role=RUNTIME_ROLE,
                runtime_password=self._secrets.runtime_password,
                signing_key_pem=self._secrets.signing_key_pem,
                issuer_url=services.api_url,
                audience=f"{services.public_url}/mcp",
            )
            await asyncio.to_thread(provisioner.prepare, self._served.all(), datetime.now(UTC))
            self.requests.provisioner = provisioner
        with steps.step("first user, password, token and key"):
            now = datetime.now(UTC)
            self._token = await provisioner.token(Grant(creates_user=True), now)
            self._password_file = await self.requests.users().first_password(self._layout.password, FIRST_USER, now)
            self._api_key = await self.requests.keys().kept(self._layout.api_key, FIRST_USER, now)

    async def _start_broker(self, steps: Steps) -> None:
        if self._options.redis_url is None:
            with steps.step("Valkey"):
                await start_valkey(self._servers.valkey(), self._supervisor)

    async def _start_service(self, services: Services, service: str, steps: Steps) -> None:
        replicas = range(self._options.replicas_of(service))
        with steps.step(service):
            await concurrently(*(self._supervisor.start(services.program(service, replica)) for replica in replicas))


async def concurrently(*parts: Coroutine[Any, Any, None]) -> None:
    """Run the parts side by side; the first `CannotRun` ends the others and is raised alone."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part)
    except* CannotRun as failures:
        raise first_leaf(failures) from None


def first_leaf(group: BaseExceptionGroup[CannotRun]) -> CannotRun:
    """The first exception of a possibly nested group."""
    error = group.exceptions[0]
    return first_leaf(error) if isinstance(error, BaseExceptionGroup) else error


def _load_provisioner() -> "type[Provisioner]":
    """Brings SQLAlchemy, Alembic and core: a second of imports, for which the other processes need not wait."""
    from threengram.cli.provision import Provisioner

    return Provisioner


def _active_model(owner_url: str) -> str | None:
    """The model whose vectors a database of somebody else's has; None for a new one."""
    # Brings the database driver.
    from threengram.cli.provision import active_model

    return active_model(owner_url)
