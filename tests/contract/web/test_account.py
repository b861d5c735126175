"""The account page: sessions, password."""

import re
from contextlib import closing
from uuid import uuid4

import pytest

from tests.contract.web.stack import PASSWORD, Browser, Owner, Pages, a_browser, an_owner, path_of, token_in
from threengram.core.db.statement import Statement
from threengram.core.identity.api_keys import create_api_key, list_api_keys
from threengram.core.people.accounts import change_password, has_password, set_password
from threengram.core.people.passwords import PasswordHashes
from threengram.schema.enums import OAuthScope

SOME_ID = "0190d3a8-7c2e-7000-8000-000000000000"
NEW = "an even better password"
REVOKE = re.compile(r'action="(/account/sessions/[0-9a-f-]{36}/revoke)"')
AUDIT = Statement("audit", "SELECT action, actor_kind FROM audit_log ORDER BY recorded_at, id")


async def change(browser: Browser, current: str, new: str, again: str | None = None, **more: str) -> tuple[int, str]:
    fields = {"current_password": current, "new_password": new, "repeated_password": new if again is None else again}
    answer = await browser.submit("/account", "/account/password", **fields, **more)
    if answer.status_code == 303:
        return 303, path_of(answer.headers["location"])
    (notice,) = re.findall(r'role="alert"[^>]*>([^<]*)', answer.text)
    return answer.status_code, notice


async def test_a_login_elsewhere_is_listed_and_ended(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as here, a_browser(pages.app) as there:
        await here.log_in(olga.email)
        await there.log_in(olga.email)
        shown = await here.get("/account")
        (path,) = REVOKE.findall(shown.text)
        assert shown.text.count("This browser") == 1
        answer = await here.submit("/account", path)
        assert path_of(answer.headers["location"]) == "/account?done=session"
        assert "That login has ended" in (await here.get("/account?done=session")).text
        assert (await there.get("/account")).status_code == 303
        assert (await here.submit("/account", path)).status_code == 404


async def test_every_other_login_is_ended_at_once(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as here, a_browser(pages.app) as there:
        await there.log_in(olga.email)
        await here.log_in(olga.email)
        await here.submit("/account", "/account/sessions/revoke-others")
        assert (await there.get("/account")).status_code == 303
        shown = await here.get("/account")
        assert shown.status_code == 200
        assert "Another browser" not in shown.text


async def test_the_login_of_somebody_else_is_as_unknown_as_one_that_never_was(pages: Pages, olga: Owner) -> None:
    other = await an_owner(pages.core.database, pages.hashes, pages.core)
    async with a_browser(pages.app) as here, a_browser(pages.app) as theirs, a_browser(pages.app) as again:
        await here.log_in(olga.email)
        await theirs.log_in(other.email)
        await again.log_in(other.email)
        (foreign,) = REVOKE.findall((await theirs.get("/account")).text)
        answers = [
            await here.submit("/account", path)
            for path in (foreign, f"/account/sessions/{uuid4()}/revoke", "/account/sessions/nonsense/revoke")
        ]
        assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
        assert (await again.get("/account")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/account/password",
        "/account/sessions/revoke-others",
        f"/account/sessions/{SOME_ID}/revoke",
        f"/account/apps/{SOME_ID}/revoke",
        "/account/keys",
        f"/account/keys/{SOME_ID}/revoke",
        "/account/export",
        "/account/delete",
        "/logout",
    ],
)
async def test_a_form_of_the_account_needs_the_token_of_its_session(pages: Pages, olga: Owner, path: str) -> None:
    async with a_browser(pages.app) as here, a_browser(pages.app) as there:
        await here.log_in(olga.email)
        await there.log_in(olga.email)
        token = token_in(await there.get("/account"))
        for form in ({}, {"csrf_token": token}):
            assert (await here.post(path, form)).status_code == 403
        own = {"csrf_token": token_in(await here.get("/account"))}
        foreign = {"sec-fetch-site": "cross-site", "origin": "https://evil.test"}
        assert (await here.post(path, own, **foreign)).status_code == 403
        assert (await there.get("/account")).status_code == 200


async def test_without_a_login_a_form_of_the_account_leads_to_one(browser: Browser) -> None:
    answer = await browser.post("/account/password", {})
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/login?next=%2Faccount")


async def test_a_changed_password_holds_and_ends_every_other_login(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as here, a_browser(pages.app) as there:
        await there.log_in(olga.email)
        await here.log_in(olga.email)
        assert await change(here, PASSWORD, NEW) == (303, "/account?done=password")
        assert (await there.get("/account")).status_code == 303
        assert (await here.get("/account")).status_code == 200
        assert (await there.log_in(olga.email)).status_code == 401
        assert (await there.log_in(olga.email, NEW)).status_code == 303


async def test_a_password_is_changed_only_with_the_current_one_and_to_an_acceptable_one(
    browser: Browser, olga: Owner
) -> None:
    await browser.log_in(olga.email)
    assert await change(browser, "wrong password", NEW) == (403, "Your current password is another one.")
    assert await change(browser, PASSWORD, NEW, again="other") == (400, "The two new passwords differ.")
    status, notice = await change(browser, PASSWORD, "short")
    assert (status, "at least 12 characters" in notice) == (400, True)
    status, notice = await change(browser, PASSWORD, "é" * 600)
    assert (status, "at most 1024 bytes" in notice) == (400, True)
    browser.http.cookies.clear()
    assert (await browser.log_in(olga.email)).status_code == 303


class Overtaken(PasswordHashes):
    """While it hashes the new password of a user, somebody else gives the user another one."""

    def __init__(self, pages: Pages, olga: Owner, password: str) -> None:
        super().__init__()
        self._given = pages, olga, password

    async def hash(self, password: str) -> str:
        """The PHC string, once the other password is the user's."""
        pages, olga, other = self._given
        await set_password(pages.core.database, pages.hashes, olga.principal, other, now=pages.core.clock())
        return await super().hash(password)


async def test_a_password_that_was_given_meanwhile_is_not_changed_by_who_knew_the_former(
    pages: Pages, olga: Owner
) -> None:
    database, now, other = pages.core.database, pages.core.clock(), "what the administrator gave"
    with closing(Overtaken(pages, olga, other)) as hashes:
        changed = await change_password(database, hashes, olga.principal, current=PASSWORD, new="n" * 20, now=now)
    assert not changed
    assert await has_password(database, pages.hashes, olga.principal, other)


async def test_changing_a_password_can_end_what_acts_for_its_owner(pages: Pages, browser: Browser, olga: Owner) -> None:
    async def live_keys() -> list[str]:
        keys = await list_api_keys(pages.core.database, olga.principal)
        return [key.name for key in keys if key.is_live(pages.core.clock())]

    await create_api_key(
        pages.core.database, olga.principal, name="ci", scopes=[OAuthScope.MEMORY_READ], now=pages.core.clock()
    )
    await browser.log_in(olga.email)
    await change(browser, PASSWORD, NEW)
    assert await live_keys() == ["ci"]
    await change(browser, NEW, PASSWORD, revoke_access="yes")
    assert await live_keys() == []


async def test_what_happens_to_an_account_is_on_record(pages: Pages, browser: Browser, olga: Owner) -> None:
    await browser.log_in(olga.email)
    await change(browser, PASSWORD, NEW)
    await browser.submit("/account", "/account/sessions/revoke-others")
    await browser.submit("/account", "/logout")
    async with pages.core.database.tenant(olga.principal) as tx:
        rows = await tx.fetch_last(AUDIT)
    assert [(row["action"], row["actor_kind"]) for row in rows] == [
        ("password.set", "system"),
        ("login.succeeded", "user_dashboard"),
        ("password.changed", "user_dashboard"),
        ("sessions.revoked", "user_dashboard"),
        ("login.ended", "user_dashboard"),
    ]
