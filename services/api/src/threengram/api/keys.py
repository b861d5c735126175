"""`python -m threengram.api.keys`: API keys from inside the service's own container, with its settings.

    kubectl exec deployment/… -- python -m threengram.api.keys create EMAIL NAME --scope memory:read

`create` prints the new key, and nothing else, this once.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from threengram.api.settings import Settings
from threengram.core.db.database import Database
from threengram.core.errors import Error, NotFound
from threengram.core.identity import provision
from threengram.core.identity.api_keys import ApiKey, create_api_key, list_api_keys, revoke_api_key
from threengram.core.people.login import normal_email
from threengram.core.principal import Principal
from threengram.schema.bounds import MAX_KEY_DAYS
from threengram.schema.enums import OAuthScope
from threengram.schema.instants import format_instant

DEFAULT_SCOPES = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    given = _parser().parse_args(arguments)
    try:
        for line in asyncio.run(_act(given)):
            sys.stdout.write(f"{line}\n")
    except Error as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def line_of(key: ApiKey, now: datetime) -> str:
    """What a list says of a key: id, prefix, state, last use, scopes, name."""
    state = "live" if key.is_live(now) else "revoked" if key.revoked_at else "expired"
    used = "never used" if key.last_used_at is None else format_instant(key.last_used_at)
    return f"{key.id}  {key.prefix}  {state:<7}  {used:<27}  {','.join(key.scopes)}  {key.name}"


async def _act(given: argparse.Namespace) -> list[str]:
    """The lines to print."""
    now, settings = datetime.now(UTC), Settings.model_validate({})
    async with Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1) as database:
        user = await _user(database, given.email)
        match given.action:
            case "create":
                days: int | None = given.expires_in_days
                made = await create_api_key(
                    database,
                    user,
                    name=given.name,
                    scopes=given.scope or DEFAULT_SCOPES,
                    now=now,
                    expires_at=None if days is None else now + timedelta(days=days),
                )
                return [made.text]
            case "list":
                return [line_of(key, now) for key in await list_api_keys(database, user)]
            case _:
                await revoke_api_key(database, user, given.id, now=now)
                return [f"revoked {given.id}"]


async def _user(database: Database, email: str) -> Principal:
    user = await provision.find_user(database, normal_email(email))
    if user is None:
        raise NotFound("user", field="email")
    return user


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m threengram.api.keys", description="API keys of a user.")
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help="print a new key, this once")
    lister = actions.add_parser("list", help="one line a key, newest first")
    revoke = actions.add_parser("revoke", help="withdraw a key at once")
    for action in (create, lister, revoke):
        action.add_argument("email")
    create.add_argument("name", help="what the key is for")
    create.add_argument(
        "--scope",
        action="append",
        type=OAuthScope,
        choices=list(OAuthScope),
        help=f"may be repeated; {' and '.join(DEFAULT_SCOPES)} if not given",
    )
    create.add_argument("--expires-in-days", type=int, choices=range(1, MAX_KEY_DAYS + 1), metavar="DAYS")
    revoke.add_argument("id", type=UUID, help="as `list` shows it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
