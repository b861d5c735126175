"""What no handler answers, as a browser shows it and as a program reads it."""

import re

import pytest

from tests.contract.web.stack import Browser, a_browser, pages_of
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import Rule, Verdict

CANARY = "xylophone-under-glass"
OF_A_BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


class Broken:
    """Counters that fail in a way that nobody foresaw."""

    async def hit(self, rule: Rule, key: str) -> Verdict:
        raise RuntimeError(f"{CANARY} {rule} {key}")


async def test_an_address_without_a_page_has_a_page_that_says_so(browser: Browser) -> None:
    answer = await browser.get("/memorys", accept=OF_A_BROWSER)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page at this address." in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_a_page_that_takes_only_forms_says_so_to_whoever_opens_it(browser: Browser) -> None:
    answer = await browser.get("/logout", accept=OF_A_BROWSER)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "<h1>Method Not Allowed</h1>" in answer.text


@pytest.mark.parametrize(("path", "accept"), [("/memorys", "*/*"), ("/api/v1/memorys", OF_A_BROWSER)])
async def test_programs_and_the_api_get_the_error_body(browser: Browser, path: str, accept: str) -> None:
    answer = await browser.get(path, accept=accept)
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


async def test_a_crash_is_told_by_a_number_and_by_nothing_else(core: Core, hashes: PasswordHashes) -> None:
    async with a_browser(pages_of(core, hashes, limiter=Broken()).app) as browser:
        answer = await browser.get("/login", accept=OF_A_BROWSER)
    assert answer.status_code == 500
    assert re.search(r"name the number [0-9a-f]{32}\.", answer.text)
    assert CANARY not in answer.text
