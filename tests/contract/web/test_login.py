"""Logging in and out by the pages."""

import re

from tests.contract.web.stack import Browser, Owner, Pages, path_of

SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


async def test_the_right_password_opens_a_session(browser: Browser, olga: Owner, pages: Pages) -> None:
    answer = await browser.log_in(olga.email, after="/account?tab=1")
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/account?tab=1")
    request = browser.http.build_request("GET", "/account")
    assert browser.cookie() is not None
    assert "threengram_session" in request.headers["cookie"]


async def test_an_address_is_the_same_in_any_case(browser: Browser, olga: Owner) -> None:
    assert (await browser.log_in(f" {olga.email.upper()} ")).status_code == 303


async def test_the_cookie_is_for_this_host_only_and_out_of_reach_of_scripts(browser: Browser, olga: Owner) -> None:
    answer = await browser.log_in(olga.email)
    session, form = answer.headers.get_list("set-cookie")
    assert re.fullmatch(r"threengram_session=[\w-]{43}; HttpOnly; Max-Age=43200; Path=/; SameSite=lax", session), (
        session
    )
    assert form.startswith('threengram_form="";')


async def test_every_page_says_what_it_may_do(browser: Browser) -> None:
    for path in ("/login", "/login?next=//evil.test"):
        answer = await browser.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert "unsafe" not in policy
        assert SECURITY_HEADERS.items() <= dict(answer.headers).items()
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "<script" not in answer.text
        assert " style=" not in answer.text
