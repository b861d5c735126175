"""Accounts from inside the service's container: the module that an operator runs there."""

import base64
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from tests.people import SIGNING_KEY
from threengram.core.db.database import Database
from threengram.core.ids import new_id
from threengram.core.people.login import log_in
from threengram.core.people.passwords import PasswordHashes

PASSWORD = "correct horse battery staple"


def users(database_url: str, *arguments: str, typed: str = "") -> tuple[int, str]:
    """Exit code and what was said, with the password typed into it."""
    environment = {
        "THREENGRAM_API_DATABASE_URL": database_url,
        "THREENGRAM_API_REDIS_URL": "redis://127.0.0.1:1",
        "THREENGRAM_API_CURSOR_KEY": base64.urlsafe_b64encode(b"k" * 32).decode(),
        "THREENGRAM_API_SIGNING_KEY": SIGNING_KEY.as_pem(private=True).decode(),
    }
    command = (sys.executable, "-m", "threengram.api.users", *arguments)
    ran = subprocess.run(command, env=environment, input=typed, capture_output=True, text=True, timeout=60, check=False)
    return ran.returncode, ran.stdout + ran.stderr


async def test_an_account_is_made_and_shut_by_the_service_itself(database_url: str, database: Database) -> None:
    email, now = f"{new_id()}@example.test", datetime.now(UTC)
    hashes = PasswordHashes()
    code, said = users(database_url, "create", email, typed=f"{PASSWORD}\n")
    assert code == 0
    opened = await log_in(database, hashes, email=email, password=PASSWORD, now=now)
    assert opened is not None
    assert said == f"{opened.session.principal.user_id}\n"
    assert users(database_url, "suspend", email)[0] == 0
    entered = await log_in(database, hashes, email=email, password=PASSWORD, now=now)
    assert entered is not None
    assert entered.session.is_suspended
    assert users(database_url, "disable", email)[0] == 0
    assert await log_in(database, hashes, email=email, password=PASSWORD, now=now) is None
    hashes.close()


def test_an_invitation_is_a_link_of_this_service(database_url: str) -> None:
    code, said = users(database_url, "invite", f"{new_id()}@example.test")
    assert code == 0
    assert said.startswith("http://127.0.0.1:8301/password/choose?link=")


@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        (("create", "me@example.test"), "short\n", "a password has at least 12 characters\n"),
        (("enable", "nobody@example.test"), "", "no such user\n"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(
    database_url: str, arguments: tuple[str, ...], typed: str, said: str
) -> None:
    assert users(database_url, *arguments, typed=typed) == (1, said)
