"""Taking an account along and away, on pages."""

from contextlib import aclosing
from dataclasses import replace

import orjson
import pytest

from tests.contract.web.owning import person_of, something_proposed
from tests.contract.web.stack import (
    PASSWORD,
    Browser,
    Owner,
    Pages,
    a_browser,
    an_owner,
    pages_of,
    path_of,
    serving,
    token_in,
)
from tests.integration.core.writing import read, rows, write
from threengram.api.limits import Rules
from threengram.core.call import Core, open_call
from threengram.core.erasure import request_erasure
from threengram.core.errors import NotFound
from threengram.core.export import export
from threengram.core.ids import new_id
from threengram.core.people.accounts import enable_user, suspend_account
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import RateLimiter, Rule
from threengram.schema.enums import OAuthScope
from threengram.schema.export import ExportInput

SURE = {"confirm": "yes", "password": PASSWORD}


@pytest.fixture
async def olgas(browser: Browser, olga: Owner) -> Browser:
    """Olga's browser, logged in."""
    await browser.log_in(olga.email)
    return browser


async def test_everything_is_downloaded_by_a_click(olgas: Browser, pages: Pages, olga: Owner) -> None:
    made = await something_proposed(pages.core, olga)
    answer = await olgas.submit("/account", "/account/export")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="3ngram-export-2026-03-02.ndjson"'
    records = [orjson.loads(line) for line in answer.text.splitlines()]
    assert {record["id"] for record in records if record["record"] == "memory"} == {str(made.older), str(made.newer)}
    assert [record["email"] for record in records if record["record"] == "user"] == [olga.email]
    assert sum(records[-1]["counts"].values()) == len(records)


async def test_a_second_download_at_once_is_refused_on_a_page(olgas: Browser, pages: Pages, olga: Owner) -> None:
    principal = replace((await person_of(pages.core, olga)).principal, scopes=frozenset(OAuthScope))
    async with open_call(pages.core, principal) as call, aclosing(export(call, ExportInput())) as running:
        await anext(running)
        answer = await olgas.submit("/account", "/account/export")
    assert (answer.status_code, answer.headers["content-type"]) == (409, "text/html; charset=utf-8")
    assert "content-disposition" not in answer.headers
    assert "An export of yours is under way" in answer.text


async def test_an_account_is_deleted_with_the_password_and_on_purpose(
    olgas: Browser, pages: Pages, olga: Owner
) -> None:
    other = await an_owner(pages.core.database, pages.hashes, pages.core)
    theirs = await person_of(pages.core, other)
    kept = await write(pages.core, theirs)
    assert "can't be undone" in (await olgas.get("/account/delete")).text
    answer = await olgas.submit("/account/delete", "/account/delete", **SURE)
    assert path_of(answer.headers["location"]) == "/account/deleted"
    assert olgas.cookie() is None
    goodbye = await olgas.get("/account/deleted")
    assert (goodbye.status_code, "Your account is deleted" in goodbye.text) == (200, True)
    assert (await olgas.log_in(olga.email)).status_code == 401
    runs = await rows(pages.core, replace(theirs, principal=olga.principal), "SELECT kind, state FROM job_runs")
    assert [(run["kind"], run["state"]) for run in runs] == [("erase", "queued")]
    assert (await read(pages.core, theirs, kept.memory.id)).topic == "a topic"


async def test_a_suspended_account_is_taken_along_and_away_and_opens_nothing_else(
    olgas: Browser, pages: Pages, olga: Owner
) -> None:
    made = await something_proposed(pages.core, olga)
    await suspend_account(pages.core.database, olga.principal, now=pages.core.clock())
    for path in ("/memories", "/proposals", "/account", "/account/keys", "/login"):
        assert path_of((await olgas.get(path)).headers["location"]) == "/account/delete"
    token = token_in(await olgas.get("/account/delete"))
    for path in (
        "/account/password",
        "/account/keys",
        "/account/sessions/revoke-others",
        f"/memories/{made.older}/archive",
    ):
        answer = await olgas.post(path, {"csrf_token": token})
        assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/account/delete")
    assert "Your account is suspended" in (await olgas.get("/account/delete")).text
    assert (await olgas.submit("/account/delete", "/logout")).status_code == 303
    assert (await olgas.log_in(olga.email)).status_code == 303
    taken = await olgas.submit("/account/delete", "/account/export")
    assert (taken.status_code, str(made.older) in taken.text) == (200, True)
    gone = await olgas.submit("/account/delete", "/account/delete", **SURE)
    assert path_of(gone.headers["location"]) == "/account/deleted"
    assert (await olgas.log_in(olga.email)).status_code == 401


async def test_a_suspended_account_that_is_enabled_is_as_before(olgas: Browser, pages: Pages, olga: Owner) -> None:
    await suspend_account(pages.core.database, olga.principal, now=pages.core.clock())
    await enable_user(pages.core.database, olga.principal, now=pages.core.clock())
    await olgas.log_in(olga.email)
    assert (await olgas.get("/memories")).status_code == 200


async def test_what_is_erased_stays_so(pages: Pages, olga: Owner) -> None:
    await request_erasure(pages.core.database, olga.principal, now=pages.core.clock())
    for change in (suspend_account, enable_user):
        with pytest.raises(NotFound):
            await change(pages.core.database, olga.principal, now=pages.core.clock())


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"password": PASSWORD}, 400, "Say that you know what goes."),
        ({"confirm": "yes", "password": "not the password"}, 403, "Your password is another one."),
        ({"confirm": "yes"}, 403, "Your password is another one."),
    ],
)
async def test_an_account_is_not_deleted_by_mistake(
    olgas: Browser, form: dict[str, str], status: int, said: str
) -> None:
    answer = await olgas.submit("/account/delete", "/account/delete", **form)
    assert (answer.status_code, said in answer.text) == (status, True)
    assert (await olgas.get("/account")).status_code == 200


async def test_an_account_with_other_users_is_not_deleted_on_the_page_of_one(
    olgas: Browser, pages: Pages, olga: Owner
) -> None:
    await rows(
        pages.core,
        await person_of(pages.core, olga),
        "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
        " SELECT tenant_id, %(id)s, %(id)s::text, created_at, updated_at FROM users",
        id=new_id(),
    )
    answer = await olgas.submit("/account/delete", "/account/delete", **SURE)
    assert (answer.status_code, "this account has other users" in answer.text) == (409, True)


async def test_passwords_are_not_tried_without_end(core: Core, hashes: PasswordHashes, limiter: RateLimiter) -> None:
    pages = pages_of(
        core, hashes, limiter=limiter, rules=Rules(password_account=Rule("password_account", 2, 900, "local"))
    )
    owner = await an_owner(core.database, hashes, core)
    async with serving(pages), a_browser(pages.app) as browser:
        await browser.log_in(owner.email)
        tried = [
            (await browser.submit("/account/delete", "/account/delete", confirm="yes", password="not it")).status_code,
            (
                await browser.submit("/account/keys", "/account/keys", name="k", read="yes", password="not it")
            ).status_code,
            (await browser.submit("/account/delete", "/account/delete", **SURE)).status_code,
        ]
    assert tried == [403, 403, 429]
