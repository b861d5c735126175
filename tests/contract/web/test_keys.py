"""API keys on their page: made with the password, shown once, seen, revoked."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest

from tests.contract.rest.stack import Rest
from tests.contract.web.stack import (
    PASSWORD,
    QUICK,
    Browser,
    Owner,
    Pages,
    a_browser,
    an_owner,
    pages_of,
    path_of,
    serving,
)
from threengram.core.call import Core
from threengram.core.identity.api_keys import MAX_LIVE_KEYS, create_api_key, list_api_keys
from threengram.core.people.accounts import set_password
from threengram.core.people.passwords import Match, PasswordHashes
from threengram.schema.enums import OAuthScope

KEY = re.compile(r"3ng_[0-9A-Za-z]{43}")
SCRIPT = "<script>alert('x')</script>"
FORM = {"name": "laptop", "read": "yes", "expires_in_days": "30", "password": PASSWORD}


@pytest.fixture
async def olgas(browser: Browser, olga: Owner) -> Browser:
    """Olga's browser, logged in."""
    await browser.log_in(olga.email)
    return browser


async def test_a_key_is_made_shown_once_and_does_what_it_may(olgas: Browser, pages: Pages, olga: Owner) -> None:
    answer = await olgas.submit("/account/keys", "/account/keys", **FORM)
    assert answer.status_code == 201
    (text,) = set(KEY.findall(answer.text))
    caller = Rest(olgas.http, text)
    assert (await caller.get("/stats")).status_code == 200
    assert (await caller.get("/export")).json()["error"] == "insufficient_scope"
    shown = (await olgas.get("/account/keys")).text
    assert (KEY.findall(shown), text[:12] in shown, "laptop" in shown, "never used" in shown) == ([], True, True, True)
    (key,) = await list_api_keys(pages.core.database, olga.principal)
    assert key.expires_at is not None
    assert (key.expires_at - key.created_at, key.scopes) == (timedelta(days=30), ("memory:read",))


async def test_a_key_without_an_end_and_with_every_right_is_made_on_request(
    olgas: Browser, pages: Pages, olga: Owner
) -> None:
    form = {**FORM, "write": "yes", "account": "yes", "expires_in_days": ""}
    assert (await olgas.submit("/account/keys", "/account/keys", **form)).status_code == 201
    (key,) = await list_api_keys(pages.core.database, olga.principal)
    assert (key.expires_at, key.scopes) == (None, ("account", "memory:read", "memory:write"))


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"name": " "}, 400, "This can&#39;t be empty."),
        ({"name": "x" * 256}, 400, "at most 255 characters"),
        ({"read": "no"}, 400, "Choose at least one thing"),
        ({"expires_in_days": "0"}, 400, "greater than or equal to 1"),
        ({"expires_in_days": "99999"}, 400, "less than or equal to 3650"),
        ({"expires_in_days": "soon"}, 400, "valid integer"),
        ({"password": "not the password"}, 403, "Your password is another one."),
    ],
)
async def test_what_makes_no_sense_is_refused_beside_its_field(
    olgas: Browser, pages: Pages, olga: Owner, change: dict[str, str], status: int, said: str
) -> None:
    answer = await olgas.submit("/account/keys", "/account/keys", **{**FORM, **change})
    assert (answer.status_code, said in answer.text) == (status, True)
    assert await list_api_keys(pages.core.database, olga.principal) == []
    assert PASSWORD not in answer.text


async def test_no_more_keys_are_made_than_there_is_room_for(olgas: Browser, pages: Pages, olga: Owner) -> None:
    for _ in range(MAX_LIVE_KEYS):
        await create_api_key(
            pages.core.database, olga.principal, name="k", scopes=[OAuthScope.MEMORY_READ], now=pages.core.clock()
        )
    answer = await olgas.submit("/account/keys", "/account/keys", **FORM)
    assert (answer.status_code, "at most 25 live API keys" in answer.text) == (409, True)


async def test_a_revoked_key_opens_nothing_and_is_listed_as_ended(olgas: Browser) -> None:
    made = await olgas.submit("/account/keys", "/account/keys", **FORM)
    (path,) = re.findall(r'action="(/account/keys/[0-9a-f-]{36}/revoke)"', made.text)
    answer = await olgas.submit("/account/keys", path)
    assert path_of(answer.headers["location"]) == "/account/keys?done=revoked"
    shown = (await olgas.get("/account/keys?done=revoked")).text
    assert ("The key is revoked" in shown, "Keys that have ended" in shown, "Revoked <time" in shown) == (True,) * 3
    assert (await Rest(olgas.http, KEY.findall(made.text)[0]).get("/version")).status_code == 401


async def test_a_name_is_shown_and_never_run(olgas: Browser) -> None:
    await olgas.submit("/account/keys", "/account/keys", **{**FORM, "name": SCRIPT})
    shown = (await olgas.get("/account/keys")).text
    assert (SCRIPT in shown, "&lt;script&gt;" in shown) == (False, True)


async def test_the_key_of_somebody_else_is_as_unknown_as_one_that_never_was(olgas: Browser, pages: Pages) -> None:
    other = await an_owner(pages.core.database, pages.hashes, pages.core)
    theirs = await create_api_key(
        pages.core.database, other.principal, name="theirs", scopes=[OAuthScope.MEMORY_READ], now=pages.core.clock()
    )
    assert "theirs" not in (await olgas.get("/account/keys")).text
    answers = [
        await olgas.submit("/account/keys", f"/account/keys/{key_id}/revoke")
        for key_id in (theirs.key.id, uuid4(), "nonsense")
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
    (key,) = await list_api_keys(pages.core.database, other.principal)
    assert key.is_live(pages.core.clock())


async def test_a_key_can_not_make_keys(olgas: Browser) -> None:
    made = await olgas.submit("/account/keys", "/account/keys", **{**FORM, "account": "yes"})
    (text,) = set(KEY.findall(made.text))
    olgas.http.cookies.clear()
    answer = await olgas.get("/account/keys", **{"x-api-key": text})
    assert path_of(answer.headers["location"]).startswith("/login")


async def test_a_key_that_a_new_password_overtakes_is_not_made(core: Core, olga: Owner) -> None:
    class Overtaken(PasswordHashes):
        async def match(self, stored: str | None, password: str) -> Match:
            match = await super().match(stored, password)
            if is_stolen:
                now = core.clock()
                await set_password(core.database, self, olga.principal, "another good one", now=now, revoke_access=True)
            return match

    is_stolen, hashes = False, Overtaken(parameters=QUICK)
    pages = pages_of(core, hashes)
    async with serving(pages), a_browser(pages.app) as thief:
        await thief.log_in(olga.email)
        is_stolen = True
        answer = await thief.submit("/account/keys", "/account/keys", **FORM)
    hashes.close()
    assert path_of(answer.headers["location"]).startswith("/login")
    assert await list_api_keys(core.database, olga.principal) == []
