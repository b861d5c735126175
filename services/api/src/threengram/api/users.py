"""`python -m threengram.api.users`: accounts from inside the service's own container, with its settings.

    kubectl exec --stdin --tty deployment/… -- python -m threengram.api.users create EMAIL

A password is asked for twice at a terminal, else it is the first line of the input; it is never an argument. `invite`
needs none: it prints a link by which the person chooses one.
"""

import argparse
import asyncio
import getpass
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from threengram.api.mail.invitations import Invitations
from threengram.api.settings import Settings
from threengram.core.db.database import Database
from threengram.core.errors import Error, InvalidRequest, NotFound
from threengram.core.identity import provision
from threengram.core.people import accounts
from threengram.core.people.login import normal_email
from threengram.core.people.passwords import PasswordHashes

ACTIONS: Final = ("create", "passwd", "disable", "suspend", "enable")
INVITE: Final = "invite"
WITH_PASSWORD: Final = ("create", "passwd")


async def act(
    database: Database,
    action: str,
    email: str,
    *,
    now: datetime,
    password: str = "",
    revoke_access: bool = False,
) -> UUID:
    """Do one of `ACTIONS`; the id of the user. Raises `NotFound`, `Conflict` or `InvalidRequest`."""
    with closing(PasswordHashes(threads=1)) as hashes:
        if action == "create":
            return (await accounts.create_user(database, hashes, email=email, password=password, now=now)).user_id
        user = await provision.find_user(database, normal_email(email))
        if user is None:
            raise NotFound("user", field="email")
        match action:
            case "passwd":
                await accounts.set_password(database, hashes, user, password, now=now, revoke_access=revoke_access)
            case "disable":
                await accounts.disable_user(database, user, now=now)
            case "suspend":
                await accounts.suspend_account(database, user, now=now)
            case "enable":
                await accounts.enable_user(database, user, now=now)
            case _:
                raise InvalidRequest(f"there are {', '.join(ACTIONS)}", field="action")
        return user.user_id


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m threengram.api.users", description="Manage an account.")
    parser.add_argument("action", choices=(*ACTIONS, INVITE))
    parser.add_argument("email")
    parser.add_argument("--revoke-access", action="store_true", help="with passwd: also end apps, keys and tokens")
    given = parser.parse_args(arguments)
    try:
        password = _password() if given.action in WITH_PASSWORD else ""
        told = asyncio.run(_in_database(given.action, given.email, password, given.revoke_access))
    except Error as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{told}\n")
    return 0


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Repeat for confirmation: ") != first:
        raise InvalidRequest("the two passwords differ")
    return first


async def _in_database(action: str, email: str, password: str, revoke_access: bool) -> str:
    settings = Settings.model_validate({})
    async with Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1) as database:
        now = datetime.now(UTC)
        if action == INVITE:
            invitations = Invitations.of(settings.cursor_key.get_secret_value(), settings.issuer_url)
            return await invitations.url(database, email, now)
        return str(await act(database, action, email, now=now, password=password, revoke_access=revoke_access))


if __name__ == "__main__":
    sys.exit(main())
