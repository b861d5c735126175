"""Each request of the control socket about the database goes to the module of its subject.

Those are imported when they are asked: they bring the database driver or an HTTP client; no start should wait for that.
"""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from threengram.cli.backends import EmbeddedBackends
from threengram.cli.backup.archive import Archive
from threengram.cli.errors import CannotRun
from threengram.cli.grant import Grant, parse_scopes
from threengram.cli.layout import Layout
from threengram.cli.options import UpOptions
from threengram.cli.ports import Ports
from threengram.cli.served import ServedModels
from threengram.cli.signing_key_files import SigningKeyFiles
from threengram.cli.sockets import HOST
from threengram.cli.supervisor import Supervisor

if TYPE_CHECKING:
    from threengram.cli.provision import Provisioner
    from threengram.cli.requests.api_keys import KeyRequests
    from threengram.cli.requests.users import UserRequests

PUBLISHED_BEFORE_USE_S = 6.5
"""A little longer than the owner's side insists on."""


@dataclass
class Requests:
    """Open once the database is provisioned; until then every request is refused."""

    options: UpOptions
    layout: Layout
    ports: Ports
    servers: EmbeddedBackends
    served: ServedModels
    key_files: SigningKeyFiles
    cursor_key: str = field(repr=False)
    supervisor: Supervisor
    provisioner: "Provisioner | None" = None
    _rotating: asyncio.Lock = field(default_factory=asyncio.Lock)
    _backing_up: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request. Raises `CannotRun` for what can't be done, now or at all."""
        provisioner, now = self._provisioned(), datetime.now(UTC)
        match request:
            case {"command": "token", "email": str(email), "scopes": list(scopes), "lifetimeS": int(lifetime_s)}:
                grant = Grant(
                    email=email,
                    scopes=parse_scopes(scopes),
                    lifetime=timedelta(seconds=lifetime_s),
                    creates_user=request.get("create") is True,
                )
                return {"token": await provisioner.token(grant, now)}
            case {"command": "keys", "email": str()}:
                return await self.keys().answer(request, now)
            case {"command": "user"}:
                return await self.users().answer(request, now)
            case {"command": "jobs"}:
                from threengram.cli.requests import jobs

                return await jobs.answer(provisioner.runtime_url, request, now)
            case {"command": "models"}:
                return await self._models(provisioner, request)
            case {"command": "backup", "keep": int(keep)}:
                return {"created": await self._backup(keep)}
            case {"command": "rotate-signing-key"}:
                await self._rotate_signing_key()
                return {"rotated": True}
            case _:
                raise CannotRun("unknown control request")

    def keys(self) -> "KeyRequests":
        """What answers about API keys."""
        from threengram.cli.requests.api_keys import KeyRequests

        return KeyRequests(self._provisioned().runtime_url)

    def users(self) -> "UserRequests":
        """What answers about users."""
        from threengram.api.mail.invitations import Invitations
        from threengram.cli.requests.users import UserRequests

        provisioner = self._provisioned()
        invitations = Invitations.of(self.cursor_key, provisioner.issuer_url)
        return UserRequests(provisioner.runtime_url, provisioner.owner_url, invitations)

    def _provisioned(self) -> "Provisioner":
        if self.provisioner is None:
            raise CannotRun("the database is not ready yet", exit_code=1)
        return self.provisioner

    async def _models(self, provisioner: "Provisioner", request: dict[str, Any]) -> dict[str, Any]:
        from threengram.cli.requests.models import ModelRequests

        server = ModelRequests(
            served=self.served,
            owner_url=provisioner.owner_url,
            embedder_url=f"http://{HOST}:{self.ports.listener('embedder')}",
            roll=lambda: self.supervisor.roll("embedder"),
        )
        return await server.answer(request)

    async def _backup(self, keep: int) -> str:
        """One line about a new base backup."""
        if self.options.backup_dir is None:
            raise CannotRun("this stack was started without --backup-dir")
        from threengram.cli.backup.create import create

        archive = Archive(self.options.backup_dir)
        async with self._backing_up:
            return await asyncio.to_thread(
                create, self.servers.postgres(), archive, self.layout.secrets, keep=keep, now=lambda: datetime.now(UTC)
            )

    async def _rotate_signing_key(self) -> None:
        """Replace the key that signs access tokens, without a moment in which a token would be refused.

        Published first, then given to every replica, then used; the old key stays published while its tokens live. What
        is cut short goes on with the same key when it is asked for again.
        """
        async with self._rotating:
            provisioner, successor = self._provisioned(), self.key_files.successor()
            await asyncio.to_thread(provisioner.publish, successor, datetime.now(UTC))
            await asyncio.gather(self.supervisor.roll("api"), asyncio.sleep(PUBLISHED_BEFORE_USE_S))
            self.provisioner = await asyncio.to_thread(provisioner.activate, successor, datetime.now(UTC))
            self.key_files.promote()
