"""Users from the command line: made, shut, opened again; the first one can log in from the start."""

import base64
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conftest import CURSOR_KEY
from threengram.api.mail.invitations import Invitations
from threengram.cli.errors import CannotRun
from threengram.cli.requests.users import UserRequests
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id
from threengram.core.people.login import log_in
from threengram.core.people.mailed_links import Offer
from threengram.core.people.passwords import PasswordHashes

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PASSWORD = "correct horse battery staple"
INVITATIONS = Invitations.of(base64.urlsafe_b64encode(CURSOR_KEY).decode(), "https://memory.example.test")


@pytest.fixture
def users(database_url: str, owner_url: str) -> UserRequests:
    return UserRequests(database_url, owner_url, INVITATIONS)


@pytest.fixture
def hashes() -> Iterator[PasswordHashes]:
    made = PasswordHashes()
    yield made
    made.close()


@pytest.fixture
def email() -> str:
    return f"{new_id()}@example.test"


async def test_a_user_is_made_shut_and_opened_again(
    users: UserRequests, database: Database, hashes: PasswordHashes, email: str
) -> None:
    async def can_log_in(password: str) -> bool:
        return await log_in(database, hashes, email=email, password=password, now=NOW) is not None

    await users.answer({"action": "create", "email": email.upper(), "password": PASSWORD}, NOW)
    assert await can_log_in(PASSWORD)
    await users.answer({"action": "disable", "email": email}, NOW)
    assert not await can_log_in(PASSWORD)
    await users.answer({"action": "enable", "email": email}, NOW)
    assert await can_log_in(PASSWORD)
    another = {"action": "passwd", "email": email, "password": "another good one", "revokeAccess": True}
    await users.answer(another, NOW)
    assert not await can_log_in(PASSWORD)
    assert await can_log_in("another good one")


async def test_who_is_invited_gets_a_link_to_a_password(users: UserRequests, database: Database, email: str) -> None:
    for offer in (Offer.SIGN_UP, Offer.NEW_PASSWORD):
        url = urlsplit((await users.answer({"action": "invite", "email": email}, NOW))["url"])
        assert (url.netloc, url.path) == ("memory.example.test", "/password/choose")
        link = INVITATIONS.links.open(parse_qs(url.query)["link"][0], NOW + timedelta(days=2))
        assert link is not None
        assert (link.email, link.offer) == (email, offer)
        await users.answer(
            {"action": "create" if offer is Offer.SIGN_UP else "disable", "email": email, "password": PASSWORD}, NOW
        )
    with pytest.raises(CannotRun, match="the account is shut"):
        await users.answer({"action": "invite", "email": email}, NOW)


async def test_everybody_is_listed_by_the_owner_alone(users: UserRequests, email: str) -> None:
    made = await users.answer({"action": "create", "email": email, "password": PASSWORD}, NOW)
    other = await users.answer({"action": "create", "email": f"x{email}", "password": PASSWORD}, NOW)
    await users.answer({"action": "disable", "email": email}, NOW)
    await users.answer({"action": "suspend", "email": f"x{email}"}, NOW)
    answer = await users.answer({"action": "list"}, NOW)
    assert {"id": other["id"], "status": "suspended", "email": f"x{email}"} in answer["users"]
    assert {"id": made["id"], "status": "suspended", "email": email} in answer["users"]
    assert answer["users"] == sorted(answer["users"], key=lambda user: str(user["email"]))
    assert answer["hasMore"] is False


@pytest.mark.parametrize(
    ("request_of", "said"),
    [
        ({"action": "create", "email": "no address", "password": PASSWORD}, "that is no e-mail address"),
        ({"action": "create", "password": "short"}, "a password has at least 12 characters"),
        ({"action": "create", "password": "é" * 600}, "a password has at most 1024 bytes"),
        ({"action": "create", "password": "\ud800" * 20}, "a password has at least 12 characters"),
        ({"action": "passwd", "password": PASSWORD, "revokeAccess": False}, "no such user"),
        ({"action": "disable"}, "no such user"),
        ({"action": "rename"}, "no such user"),
        ({"action": "invite", "email": "a@x.test, b@y.test"}, "that is no e-mail address"),
        ({"action": None}, "unknown user request"),
    ],
)
async def test_what_can_not_be_done_is_said_in_one_line(
    users: UserRequests, email: str, request_of: dict[str, Any], said: str
) -> None:
    with pytest.raises(CannotRun, match=said):
        await users.answer({"email": email, **request_of}, NOW)


async def test_an_address_has_one_user(users: UserRequests, email: str) -> None:
    request = {"action": "create", "email": email, "password": PASSWORD}
    await users.answer(request, NOW)
    with pytest.raises(CannotRun, match="there is a user with this address already"):
        await users.answer(request | {"email": email.upper()}, NOW)


async def test_the_first_user_is_given_a_password_once(
    users: UserRequests, database: Database, hashes: PasswordHashes, email: str, tmp_path: Path
) -> None:
    await provision.create_tenant(database, email=email, name="first", now=NOW)
    file = tmp_path / "password"

    assert await users.first_password(file, email, NOW) == file
    given = file.read_text().strip()
    assert file.stat().st_mode & 0o777 == 0o600
    assert await log_in(database, hashes, email=email, password=given, now=NOW) is not None
    assert await users.first_password(file, email, NOW) == file
    assert file.read_text().strip() == given

    await users.answer({"action": "passwd", "email": email, "password": PASSWORD, "revokeAccess": False}, NOW)
    assert await users.first_password(file, email, NOW) is None
    file.unlink()
    assert await users.first_password(file, email, NOW) is None
    assert await log_in(database, hashes, email=email, password=PASSWORD, now=NOW) is not None
