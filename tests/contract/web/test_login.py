"""Logging in and out by the pages."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from httpx2 import Response

from tests.conftest import Clock
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
    quick_hashes,
    serving,
    token_in,
)
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.erasure import request_erasure
from threengram.core.observe import Unobserved
from threengram.core.people import queries
from threengram.core.people.accounts import disable_user, enable_user, set_password, suspend_account
from threengram.core.people.passwords import Match, PasswordHashes

HTTPS = "https://memory.example.test"


async def is_logged_in(browser: Browser) -> bool:
    return (await browser.get("/account")).status_code == 200


def body_of(response: Response) -> str:
    """A page without what differs at every sight of it."""
    return re.sub(r'(name="(?:csrf_token|email)"[^>]* value=)"[^"]*"', r"\1", response.text)


async def test_the_right_password_opens_a_session(browser: Browser, olga: Owner) -> None:
    assert not await is_logged_in(browser)
    answer = await browser.log_in(olga.email, after="/account?done=password")
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/account?done=password")
    assert await is_logged_in(browser)


async def test_an_address_is_the_same_in_any_case(browser: Browser, olga: Owner) -> None:
    assert (await browser.log_in(f" {olga.email.upper()} ")).status_code == 303


async def test_the_bare_address_leads_to_the_memories(browser: Browser, olga: Owner) -> None:
    sent = path_of((await browser.get("/")).headers["location"])
    assert sent == "/login?next=%2F"
    arrived = path_of((await browser.log_in(olga.email, after="/")).headers["location"])
    answer = await browser.get(arrived)
    assert (arrived, answer.status_code, path_of(answer.headers["location"])) == ("/", 303, "/memories")


async def test_a_page_that_needs_a_login_is_where_one_arrives_after_it(browser: Browser, olga: Owner) -> None:
    sent = path_of((await browser.get("/account?done=app")).headers["location"])
    assert sent == "/login?next=%2Faccount%3Fdone%3Dapp"
    form = await browser.get(sent)
    assert 'name="next" value="/account?done=app"' in form.text
    assert path_of((await browser.log_in(olga.email)).headers["location"]) == "/account"
    assert path_of((await browser.get(sent)).headers["location"]) == "/account?done=app"


async def test_the_cookie_is_for_this_host_only_and_out_of_reach_of_scripts(browser: Browser, olga: Owner) -> None:
    form = await browser.get("/login")
    answer = await browser.log_in(olga.email)
    flags = r"=[\w-]{43}; HttpOnly; Max-Age=%d; Path=/; SameSite=lax"
    assert re.fullmatch("threengram_form" + flags % 3600, form.headers["set-cookie"])
    session, gone = answer.headers.get_list("set-cookie")
    assert re.fullmatch("threengram_session" + flags % 43200, session)
    assert gone.startswith('threengram_form=""; expires=')


async def test_behind_https_the_cookie_is_secure_and_bound_to_the_host(
    core: Core, hashes: PasswordHashes, olga: Owner
) -> None:
    pages = pages_of(core, hashes, issuer_url=HTTPS)
    async with serving(pages), a_browser(pages.app, HTTPS) as browser:
        session, _ = (await browser.log_in(olga.email)).headers.get_list("set-cookie")
        assert re.fullmatch(
            r"__Host-threengram_session=[\w-]{43}; HttpOnly; Max-Age=43200; Path=/; SameSite=lax; Secure", session
        )
        assert await is_logged_in(browser)


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.test/",
        "//evil.test/",
        "/\\evil.test",
        "\\\\evil.test",
        "/\t/evil.test",
        "javascript:alert(1)",
        "account",
        "/account\r\nset-cookie: a=b",
        " //evil.test",
        "/é",
        "/" + "a" * 9000,
        "",
    ],
)
async def test_a_login_leads_nowhere_but_to_this_server(browser: Browser, olga: Owner, target: str) -> None:
    shown = await browser.http.get("/login", params={"next": target})
    assert 'name="next" value="/memories"' in shown.text
    form = {"csrf_token": token_in(shown), "email": olga.email, "password": PASSWORD, "next": target}
    answer = await browser.post("/login", form)
    assert (answer.status_code, answer.headers["location"]) == (303, "/memories")


@pytest.mark.parametrize("token", [None, "", "0" * 64])
async def test_a_form_without_its_token_is_refused(browser: Browser, olga: Owner, token: str | None) -> None:
    await browser.get("/login")
    form = {"email": olga.email, "password": PASSWORD} | ({} if token is None else {"csrf_token": token})
    answer = await browser.post("/login", form)
    assert answer.status_code == 403
    assert browser.cookie() is None


async def test_a_token_counts_only_with_the_cookie_it_was_made_for(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as one, a_browser(pages.app) as other:
        stolen = token_in(await one.get("/login"))
        await other.get("/login")
        form = {"csrf_token": stolen, "email": olga.email, "password": PASSWORD}
        assert (await other.post("/login", form)).status_code == 403
        other.http.cookies.clear()
        assert (await other.post("/login", form)).status_code == 403
        assert (await one.post("/login", form)).status_code == 303


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"origin": "https://evil.test"}, 403),
        ({"origin": "http://127.0.0.1:8302"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, 303),
        ({"origin": "http://127.0.0.1:8301"}, 303),
        ({}, 303),
    ],
)
async def test_a_form_that_says_it_comes_from_elsewhere_is_refused(
    browser: Browser, olga: Owner, headers: dict[str, str], status: int
) -> None:
    browser.headers = headers
    assert (await browser.log_in(olga.email)).status_code == status


async def test_a_login_never_takes_over_a_session_that_was_there(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as browser:
        browser.http.cookies.set("threengram_session", "f" * 43, domain="127.0.0.1", path="/")
        await browser.log_in(olga.email)
        first = browser.cookie()
        assert first not in (None, "f" * 43)
        async with a_browser(pages.app) as copy:
            copy.http.cookies = browser.http.cookies
            assert await is_logged_in(copy)
        shown = await browser.get("/account")
        await browser.post("/logout", {"csrf_token": token_in(shown)})
        await browser.log_in(olga.email)
        assert browser.cookie() not in (None, first)
        async with a_browser(pages.app) as late:
            late.http.cookies.set("threengram_session", first or "", domain="127.0.0.1", path="/")
            assert not await is_logged_in(late)


async def test_logging_in_again_ends_the_session_that_the_browser_had(pages: Pages, olga: Owner) -> None:
    async with a_browser(pages.app) as browser, a_browser(pages.app) as copy:
        token = token_in(await browser.get("/login"))
        form_cookie = browser.cookie("form")
        await browser.post("/login", {"csrf_token": token, "email": olga.email, "password": PASSWORD})
        copy.http.cookies = browser.http.cookies
        browser.http.cookies.set("threengram_form", form_cookie or "", domain="127.0.0.1", path="/")
        former = browser.cookie()
        await browser.post("/login", {"csrf_token": token, "email": olga.email, "password": PASSWORD})
        assert browser.cookie() != former
        copy.http.cookies.clear()
        copy.http.cookies.set("threengram_session", former or "", domain="127.0.0.1", path="/")
        assert not await is_logged_in(copy)


async def test_logging_out_ends_the_session_and_not_only_the_cookie(browser: Browser, olga: Owner) -> None:
    await browser.log_in(olga.email)
    secret = browser.cookie() or ""
    answer = await browser.submit("/account", "/logout")
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/login")
    assert browser.cookie() is None
    browser.http.cookies.set("threengram_session", secret, domain="127.0.0.1", path="/")
    assert not await is_logged_in(browser)


async def test_another_site_can_not_log_somebody_out(browser: Browser, olga: Owner) -> None:
    await browser.log_in(olga.email)
    assert (await browser.post("/logout", {})).status_code == 403
    assert await is_logged_in(browser)


async def test_a_session_ends_after_twelve_hours(browser: Browser, olga: Owner, clock: Clock) -> None:
    await browser.log_in(olga.email)
    clock.advance(hours=11, minutes=59)
    assert await is_logged_in(browser)
    clock.advance(minutes=2)
    assert not await is_logged_in(browser)


async def test_an_unknown_address_and_a_wrong_password_get_the_same_answer(
    pages: Pages, browser: Browser, olga: Owner, owner_url: str
) -> None:
    disabled, unverified = [await an_owner(pages.core.database, pages.hashes, pages.core) for _ in range(2)]
    await disable_user(pages.core.database, disabled.principal, now=pages.core.clock())
    with psycopg.connect(owner_url) as owner:
        tenant_id = str(unverified.principal.tenant_id)
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (tenant_id,))
        owner.execute("UPDATE tenants SET status = 'unverified' WHERE id = %s", (tenant_id,))
    answers = [
        await browser.log_in(olga.email, "not the password"),
        await browser.log_in("nobody@example.test", "not the password"),
        await browser.log_in("no address at all", PASSWORD),
        await browser.log_in(olga.email, "x" * 5000),
        await browser.log_in(disabled.email, PASSWORD),
        await browser.log_in(unverified.email, PASSWORD),
    ]
    assert {(answer.status_code, body_of(answer)) for answer in answers} == {(401, body_of(answers[0]))}
    assert browser.cookie() is None


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """The names of the statements that begin each round trip while the block runs."""
    seen: list[str] = []

    class Watcher(Unobserved):
        @contextmanager
        def span(self, name: str, **attributes: str | int | float | bool) -> Iterator[None]:
            if name == "db.query":
                seen.append(str(attributes["statement"]))
            yield

    former, database.observer = database.observer, Watcher()
    yield seen
    database.observer = former


async def test_whatever_is_wrong_with_a_login_costs_the_same_statements_and_one_hash(core: Core, olga: Owner) -> None:
    class Counting(PasswordHashes):
        matched = 0

        def _match(self, stored: str | None, encoded: bytes) -> Match:
            self.matched += 1
            return super()._match(stored, encoded)

    hashes = Counting(parameters=QUICK)
    disabled, suspended, erased = [await an_owner(core.database, hashes, core) for _ in range(3)]
    await disable_user(core.database, disabled.principal, now=core.clock())
    await suspend_account(core.database, suspended.principal, now=core.clock())
    await request_erasure(core.database, erased.principal, now=core.clock())
    tried = [(email, "not the password") for email in (olga.email, "nobody@example.test", suspended.email)]
    tried += [(email, PASSWORD) for email in (disabled.email, erased.email, "nobody@example.test", "no address")]
    pages = pages_of(core, hashes)
    async with serving(pages), a_browser(pages.app) as browser:
        for email, password in tried:
            before = hashes.matched
            with statements(core.database) as seen:
                assert (await browser.log_in(email, password)).status_code == 401
            assert (seen, hashes.matched - before) == (["user_by_email", "credentials"], 1)
    hashes.close()


async def test_disabling_a_user_ends_its_sessions_at_once_and_for_good(
    pages: Pages, browser: Browser, olga: Owner
) -> None:
    await browser.log_in(olga.email)
    await disable_user(pages.core.database, olga.principal, now=pages.core.clock())
    assert not await is_logged_in(browser)
    assert (await browser.log_in(olga.email)).status_code == 401
    await enable_user(pages.core.database, olga.principal, now=pages.core.clock())
    assert not await is_logged_in(browser)
    assert (await browser.log_in(olga.email)).status_code == 303


async def test_a_hash_of_other_parameters_is_replaced_at_the_next_login(pages: Pages, core: Core) -> None:
    async def stored() -> str:
        async with core.database.tenant(owner.principal) as tx:
            (row,) = await tx.fetch_last(queries.CREDENTIALS, {"user_id": owner.principal.user_id})
        return str(row["password_hash"])

    with quick_hashes(replace(QUICK, memory_cost=128)) as former:
        owner = await an_owner(core.database, former, core)
    assert "m=128" in await stored()
    async with a_browser(pages.app) as browser:
        assert (await browser.log_in(owner.email, "not the password")).status_code == 401
        assert "m=128" in await stored()
        assert (await browser.log_in(owner.email)).status_code == 303
        fresh = await stored()
        assert "m=64" in fresh
        browser.http.cookies.clear()
        assert (await browser.log_in(owner.email)).status_code == 303
        assert await stored() == fresh


async def test_a_password_set_meanwhile_keeps_the_old_one_from_opening_a_session(
    pages: Pages, browser: Browser, olga: Owner
) -> None:
    await browser.log_in(olga.email)
    await set_password(pages.core.database, pages.hashes, olga.principal, "another good one", now=pages.core.clock())
    assert not await is_logged_in(browser)
    assert (await browser.log_in(olga.email)).status_code == 401
    assert (await browser.log_in(olga.email, "another good one")).status_code == 303


async def test_a_password_changed_while_it_is_checked_opens_nothing(core: Core, olga: Owner) -> None:
    class Overtaken(PasswordHashes):
        async def match(self, stored: str | None, password: str) -> Match:
            match = await super().match(stored, password)
            await set_password(core.database, self, olga.principal, "another good one", now=core.clock())
            return match

    hashes = Overtaken(parameters=QUICK)
    pages = pages_of(core, hashes)
    async with serving(pages), a_browser(pages.app) as browser:
        assert (await browser.log_in(olga.email)).status_code == 401
    hashes.close()


async def test_logins_at_once_that_replace_a_hash_all_succeed(pages: Pages, core: Core) -> None:
    with quick_hashes(replace(QUICK, memory_cost=128)) as former:
        owner = await an_owner(core.database, former, core)

    async def log_in() -> int:
        async with a_browser(pages.app) as browser:
            return (await browser.log_in(owner.email)).status_code

    assert await asyncio.gather(*(log_in() for _ in range(4))) == [303] * 4


async def test_every_page_forbids_scripts_frames_and_traces(browser: Browser, olga: Owner) -> None:
    await browser.log_in(olga.email)
    answers = [await browser.get("/account"), await browser.post("/logout", {})]
    browser.http.cookies.clear()
    answers += [await browser.get("/login"), await browser.log_in(olga.email, "wrong"), await browser.get("/account")]
    assert [answer.status_code for answer in answers] == [200, 403, 200, 401, 303]
    for answer in answers:
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        if answer.status_code == 303:
            continue
        assert answer.headers["content-security-policy"] == (
            "default-src 'none'; style-src 'self'; img-src 'self'; "
            "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        )
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert re.search(r"<script| style=| on\w+=", answer.text) is None


@pytest.mark.parametrize(("rel", "media_type"), [("stylesheet", "text/css; charset=utf-8"), ("icon", "image/svg+xml")])
async def test_what_a_page_refers_to_is_served_from_here(browser: Browser, rel: str, media_type: str) -> None:
    (path,) = re.findall(rf'<link rel="{rel}" href="([^"]+)"', (await browser.get("/login")).text)
    file = await browser.get(path)
    assert (file.status_code, file.headers["content-type"]) == (200, media_type)
    assert "immutable" in file.headers["cache-control"]


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("application/x-www-form-urlencoded; charset=latin-1", b"a=b", 415),
        ("application/x-www-form-urlencoded", b"a=b&a=c", 400),
        ("application/x-www-form-urlencoded", b"a=%ff", 400),
        ("application/x-www-form-urlencoded", b"nonsense", 400),
        ("application/x-www-form-urlencoded", b"a=" + b"b" * 70_000, 413),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=" % n for n in range(65)), 400),
        ("application/x-www-form-urlencoded", b"", 403),
    ],
)
async def test_what_is_no_form_of_ours_gets_a_page_that_says_so(
    browser: Browser, content_type: str, body: bytes, status: int
) -> None:
    answer = await browser.http.post("/login", content=body, headers={"content-type": content_type})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<p class="notice bad" role="alert">' in answer.text


async def test_what_a_person_typed_comes_back_as_text(browser: Browser) -> None:
    answer = await browser.log_in('"><b>x@example.test')
    assert "<b>" not in answer.text
    assert "&#34;&gt;&lt;b&gt;x@example.test" in answer.text


async def test_a_wrong_method_says_which_there_are(browser: Browser) -> None:
    answer = await browser.http.delete("/login")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")


async def test_how_long_a_login_lasts_can_be_set(core: Core, hashes: PasswordHashes, olga: Owner) -> None:
    pages = pages_of(core, hashes, lifetime=timedelta(minutes=5))
    async with serving(pages), a_browser(pages.app) as browser:
        session, _ = (await browser.log_in(olga.email)).headers.get_list("set-cookie")
        assert "Max-Age=300;" in session
