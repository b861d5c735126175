"""API keys from inside the service's container: the module that an operator runs there."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

import pytest

from tests.people import SIGNING_KEY, in_database
from threengram.api import keys
from threengram.core.identity import provision
from threengram.core.identity.api_keys import ResolvedKey, resolve_api_key
from threengram.core.ids import new_id

Result = TypeVar("Result")
Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def asked(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs the module with the settings of a container: exit code and what was said."""
    monkeypatch.setenv("THREENGRAM_API_DATABASE_URL", database_url)
    monkeypatch.setenv("THREENGRAM_API_REDIS_URL", "redis://127.0.0.1:1")
    monkeypatch.setenv("THREENGRAM_API_CURSOR_KEY", base64.urlsafe_b64encode(b"k" * 32).decode())
    monkeypatch.setenv("THREENGRAM_API_SIGNING_KEY", SIGNING_KEY.as_pem(private=True).decode())

    def ask(*arguments: str) -> tuple[int, str]:
        code, said = keys.main(arguments), capsys.readouterr()
        return code, said.out + said.err

    return ask


@pytest.fixture
def email(database_url: str) -> str:
    """Of somebody new."""
    made = f"{new_id()}@example.test"
    in_database(
        database_url, lambda database: provision.create_tenant(database, email=made, name="x", now=datetime.now(UTC))
    )
    return made


def resolved(url: str, text: str) -> ResolvedKey | None:
    return in_database(url, lambda database: resolve_api_key(database, text.strip(), datetime.now(UTC)))


def test_a_key_is_made_listed_and_revoked_by_the_service_itself(asked: Ask, database_url: str, email: str) -> None:
    code, text = asked("create", email, "ci", "--scope", "account", "--expires-in-days", "30")
    key = resolved(database_url, text)
    assert code == 0
    assert key is not None
    assert key.principal.scopes == {"account"}
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - datetime.now(UTC) <= timedelta(days=30)

    code, lines = asked("list", email)
    key_id, prefix, state, *_ = lines.split()
    assert (code, UUID(key_id), prefix, state) == (0, key.principal.credential_id, text[:12], "live")
    assert lines.endswith("account  ci\n")
    assert asked("revoke", email, key_id) == (0, f"revoked {key_id}\n")
    assert resolved(database_url, text) is None
    assert " revoked " in asked("list", email)[1]


def test_a_key_reads_and_writes_without_an_end_unless_something_is_said(
    asked: Ask, database_url: str, email: str
) -> None:
    key = resolved(database_url, asked("create", email, "ci")[1])
    assert key is not None
    assert key.principal.scopes == {"memory:read", "memory:write"}
    assert key.expires_at is None


def test_what_can_not_be_done_is_said_in_one_line(asked: Ask, email: str) -> None:
    assert asked("list", "nobody@example.test") == (1, "no such user\n")
    assert asked("revoke", email, str(new_id())) == (1, "no such API key\n")
    assert asked("create", email, "") == (1, "a key's name has 1 to 255 characters\n")
