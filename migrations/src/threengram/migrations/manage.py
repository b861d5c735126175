"""What an operator does to an installation that runs as containers: `python -m threengram.migrations.manage COMMAND`.

`publish-key` publishes the public half of the signing key that `api` holds, `activate-key` lets the first of several
sign from now on, `user EMAIL` makes somebody who may log in (the password is the first line of standard input),
`token EMAIL` prints an access token for the MCP server. The first two act as the owner, everything else as the runtime
role. A refusal is one line and exit code 1.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta

import psycopg
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from threengram.core.db import schema
from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.identity import provision
from threengram.core.identity.keys import MIN_REFETCH_S
from threengram.core.oauth.signing import private_keys
from threengram.core.people.accounts import create_user
from threengram.core.people.login import normal_email
from threengram.core.people.passwords import PasswordHashes
from threengram.migrations import waiting
from threengram.schema.enums import OAuthScope

TOKEN_SCOPES = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)
LONGEST_TOKEN_DAYS = 90

_PUBLISH = """
    INSERT INTO signing_keys (kid, public_jwk, state, created_at)
    SELECT %(kid)s, %(jwk)s, CASE
        WHEN EXISTS (SELECT FROM signing_keys WHERE state = 'active') THEN 'next'
        ELSE 'active'
    END, %(now)s
    ON CONFLICT (kid) DO NOTHING RETURNING kid
"""


MIN_PUBLISHED = timedelta(seconds=MIN_REFETCH_S + 1)
"""Every verifier has had the chance to read a key for so long before it signs."""

_RETIRE = "UPDATE signing_keys SET state = 'retiring', changed_at = %(now)s WHERE state = 'active' AND kid <> %(kid)s"
_ACTIVATE = "UPDATE signing_keys SET state = 'active', changed_at = %(now)s WHERE kid = %(kid)s AND state = 'next'"


class Settings(BaseSettings):
    """`manage`: keys, users and tokens of an installation. Each command needs its own of these only."""

    model_config = SettingsConfigDict(
        env_prefix="THREENGRAM_MANAGE_", frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    owner_url: SecretStr = Field(default=SecretStr(""), description="libpq URL of the owner; for `publish-key`.")
    database_url: SecretStr = Field(default=SecretStr(""), description="libpq URL of the runtime role.")
    signing_key: SecretStr = Field(default=SecretStr(""), description="The same as `THREENGRAM_API_SIGNING_KEY`.")
    public_url: str = Field(default="http://127.0.0.1:8300", description="Public base URL of the gateway.")
    issuer_url: str = Field(default="http://127.0.0.1:8301", description="Public base URL of `api`.")
    wait_s: float = Field(default=5, gt=0, description="Longest wait for the database and its schema.")


class Refused(Exception):
    """It can't be done; the message says why, in one line."""


def publish_keys(owner_url: str, pem: str, now: datetime) -> list[str]:
    """Publish the public halves of these keys, as the owner; the ids of those that were not known.

    The first key of an installation signs at once; a later one is announced, since verifiers have to know it first.
    """
    added = []
    with psycopg.connect(owner_url) as owner:
        for key in private_keys(pem):
            public = json.dumps(key.as_dict(private=False))
            row = owner.execute(_PUBLISH, {"kid": key.kid, "jwk": public, "now": now}).fetchone()
            added += [str(row[0])] if row is not None else []
    return added


def activate_key(owner_url: str, pem: str, now: datetime) -> str:
    """Let the first of these keys sign, as the owner; its id. The active one goes on being published.

    Every replica of `api` has to hold both keys by now. Raises `Refused` for a key that was not published long enough.
    """
    kid = str(private_keys(pem)[0].kid)
    with psycopg.connect(owner_url) as owner:
        query = "SELECT state, created_at FROM signing_keys WHERE kid = %s FOR UPDATE"
        row = owner.execute(query, (kid,)).fetchone()
        if row is None or row[0] not in ("next", "active"):
            raise Refused("the first key is not published; run `publish-key` and roll out `api` first")
        if row[0] == "next" and row[1] + MIN_PUBLISHED > now:
            raise Refused(f"the key is published since less than {MIN_PUBLISHED.total_seconds():g} s; wait")
        owner.execute(_RETIRE, {"kid": kid, "now": now})
        owner.execute(_ACTIVATE, {"kid": kid, "now": now})
    return kid


async def make_user(settings: Settings, email: str, password: str, now: datetime) -> None:
    """A user with a tenant of its own."""
    with closing(PasswordHashes(threads=1)) as hashes:
        async with _opened(settings) as database:
            await create_user(database, hashes, email=normal_email(email), password=password, now=now)


async def token(settings: Settings, email: str, lifetime: timedelta, now: datetime) -> str:
    """An access token for the MCP server, signed with the first of the keys, that its user could have got by OAuth."""
    async with _opened(settings) as database:
        user = await provision.find_user(database, normal_email(email))
        if user is None:
            raise Refused("there is no such user; make one with `user EMAIL`")
        return await provision.issue_access_token(
            database,
            user,
            scopes=TOKEN_SCOPES,
            issuer=settings.issuer_url,
            audience=f"{settings.public_url}/mcp",
            key=private_keys(settings.signing_key.get_secret_value())[0],
            now=now,
            lifetime=lifetime,
        )


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings.database_url.get_secret_value(), pool_min=1, pool_max=1)
    try:
        await schema.open_when_ready(database, timeout_s=settings.wait_s)
        yield database
    finally:
        await database.close()


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m threengram.migrations.manage")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("publish-key", help="publish the public half of the signing key")
    commands.add_parser("activate-key", help="let the first signing key sign from now on")
    commands.add_parser("user", help="make a user; the password is read from standard input").add_argument("email")
    tokens = commands.add_parser("token", help="print an access token for the MCP server")
    tokens.add_argument("email")
    tokens.add_argument("--days", type=int, default=30, choices=range(1, LONGEST_TOKEN_DAYS + 1), metavar="DAYS")
    given = parser.parse_args(arguments)
    try:
        sys.stdout.write(_answer(given, Settings(), datetime.now(UTC)) + "\n")
    except (
        Error,
        Refused,
        ValueError,
        waiting.NotReadyInTime,
        schema.SchemaBehind,
        psycopg.OperationalError,
    ) as refusal:
        reason = (str(refusal).strip() or type(refusal).__name__).splitlines()[-1]
        sys.stderr.write(f"manage: {reason}\n")
        return 1
    return 0


def _answer(given: argparse.Namespace, settings: Settings, now: datetime) -> str:
    match given.command:
        case "publish-key":
            owner_url = settings.owner_url.get_secret_value()
            waiting.for_schema(owner_url, timeout_s=settings.wait_s)
            return f"published {len(publish_keys(owner_url, settings.signing_key.get_secret_value(), now))} keys"
        case "activate-key":
            activate_key(settings.owner_url.get_secret_value(), settings.signing_key.get_secret_value(), now)
            return "activated"
        case "user":
            asyncio.run(make_user(settings, given.email, sys.stdin.readline().rstrip("\r\n"), now))
            return "created"
        case _:
            return asyncio.run(token(settings, given.email, timedelta(days=given.days), now))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
