"""API keys from the command line: made, listed and revoked by the running stack; one is kept for its owner."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from threengram.cli.errors import CannotRun
from threengram.cli.requests.api_keys import KEPT_NAME, KeyRequests
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.identity.api_keys import resolve_api_key
from threengram.core.ids import new_id

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
async def email(database: Database) -> str:
    email = f"{new_id()}@example.test"
    await provision.create_tenant(database, email=email, name="a tenant", now=NOW)
    return email


@pytest.fixture
def ring(database_url: str) -> KeyRequests:
    return KeyRequests(database_url)


async def test_a_key_is_made_listed_and_revoked(ring: KeyRequests, database: Database, email: str) -> None:
    request = {"action": "create", "email": email, "name": "ci", "scopes": ["memory:read"], "lifetimeS": 60}
    made = await ring.answer(request, NOW)
    (listed,) = (await ring.answer({"action": "list", "email": email}, NOW))["keys"]
    assert await resolve_api_key(database, made["key"], NOW) is not None

    await ring.answer({"action": "revoke", "email": email, "id": made["id"]}, NOW)
    (revoked,) = (await ring.answer({"action": "list", "email": email}, NOW))["keys"]

    assert listed == {name: value for name, value in made.items() if name != "key"}
    assert (listed["isLive"], listed["expiresAt"], listed["scopes"]) == (True, "2026-03-02T09:01:00Z", ["memory:read"])
    assert (revoked["isLive"], revoked["revokedAt"]) == (False, "2026-03-02T09:00:00Z")
    assert await resolve_api_key(database, made["key"], NOW) is None


@pytest.mark.parametrize(
    ("request_of", "said"),
    [
        ({"action": "create", "name": "x", "scopes": ["memory"], "lifetimeS": None}, "--scope: there are memory:read"),
        ({"action": "create", "name": "", "scopes": ["account"], "lifetimeS": None}, "a key's name has 1 to 255"),
        ({"action": "revoke", "id": "nonsense"}, "threengram keys list"),
        ({"action": "revoke", "id": "0190d3a8-7c2e-7000-8000-000000000000"}, "no such API key"),
        ({"action": "list", "email": "nobody@example.test"}, "there is no such user"),
        ({"action": "rename"}, "unknown keys request"),
    ],
)
async def test_what_can_not_be_done_is_said_in_one_line(
    ring: KeyRequests, email: str, request_of: dict[str, Any], said: str
) -> None:
    with pytest.raises(CannotRun, match=said):
        await ring.answer({"email": email, **request_of}, NOW)


async def test_the_kept_key_is_found_again_until_it_is_revoked(
    ring: KeyRequests, database: Database, email: str, tmp_path: Path
) -> None:
    file = tmp_path / "api-key"
    first = await ring.kept(file, email, NOW)
    again = await ring.kept(file, email, NOW + timedelta(days=1))
    (key,) = (await ring.answer({"action": "list", "email": email}, NOW))["keys"]
    await ring.answer({"action": "revoke", "email": email, "id": key["id"]}, NOW)
    renewed = await ring.kept(file, email, NOW)

    assert first == again != renewed
    assert (key["name"], key["expiresAt"]) == (KEPT_NAME, None)
    assert file.stat().st_mode & 0o777 == 0o600
    assert await resolve_api_key(database, renewed, NOW) is not None
