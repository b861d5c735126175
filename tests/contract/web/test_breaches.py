"""Passwords that were stolen elsewhere are not taken."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.types import Receive, Scope, Send

from tests.contract.web.stack import ORIGIN, PASSWORD, Browser, Owner, Pages, a_browser, links_of, pages_of, serving
from tests.contract.web.test_mailed_links import choose
from tests.stand_ins import StandIn, answer, drip, headers_of
from threengram.api.breaches import MAX_ANSWER_BYTES, Breaches, client
from threengram.api.mail.invitations import Invitations
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes

STOLEN = "correct horse battery stapler"
NEW = "a password nobody has guessed"
SHA1 = hashlib.sha1(STOLEN.encode(), usedforsecurity=False).hexdigest().upper()


class StolenPasswords(StandIn):
    """A list with two entries of the asked range: padding, and `count` times the stolen one."""

    def __init__(self, count: int = 3) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.is_padded = True
        self.count = count
        self.fault: str | None = None

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["path"])
        self.is_padded &= headers_of(scope)["add-padding"] == "true"
        body = f"{'0' * 35}:0\r\n{SHA1[5:]}:{self.count}\r\n".encode()
        match self.fault:
            case "slow":
                await drip(receive, send, 200, body, every_s=5)
            case "huge":
                await answer(send, 200, b"A" * MAX_ANSWER_BYTES + body)
            case "elsewhere":
                await answer(send, 302, body, {"location": "http://127.0.0.1:1/"})
            case "broken":
                await answer(send, 500, body)
            case _:
                await answer(send, 200, body, {"content-type": "text/plain"})


@asynccontextmanager
async def pages_with(core: Core, hashes: PasswordHashes, url: str) -> AsyncIterator[Pages]:
    breaches = Breaches(client(url))
    pages = pages_of(core, hashes, breaches=breaches)
    async with serving(pages):
        yield pages
    await breaches.close()


async def change(browser: Browser, password: str) -> int:
    passwords = {"current_password": PASSWORD, "new_password": password, "repeated_password": password}
    return (await browser.submit("/account", "/account/password", **passwords)).status_code


async def test_a_stolen_password_is_refused_wherever_one_is_chosen(
    core: Core, hashes: PasswordHashes, olga: Owner
) -> None:
    with StolenPasswords() as stolen:
        async with pages_with(core, hashes, stolen.url) as pages, a_browser(pages.app) as browser:
            url = await Invitations(links_of(core), ORIGIN).url(core.database, olga.email, core.clock())
            refused = await choose(browser, url.removeprefix(ORIGIN), STOLEN)
            assert (refused.status_code, "list of stolen ones" in refused.text) == (400, True)
            await browser.log_in(olga.email)
            assert await change(browser, STOLEN) == 400
            assert await change(browser, NEW) == 303
    digests = [hashlib.sha1(word.encode(), usedforsecurity=False).hexdigest().upper() for word in (STOLEN, STOLEN, NEW)]
    assert stolen.asked == [f"/range/{digest[:5]}" for digest in digests]
    assert stolen.is_padded


async def test_padding_is_no_hit(core: Core, hashes: PasswordHashes, olga: Owner) -> None:
    with StolenPasswords(count=0) as stolen:
        async with pages_with(core, hashes, stolen.url) as pages, a_browser(pages.app) as browser:
            await browser.log_in(olga.email)
            assert await change(browser, STOLEN) == 303


@pytest.mark.parametrize("fault", ["slow", "huge", "elsewhere", "broken", "gone"])
async def test_a_list_that_does_not_answer_keeps_nobody_from_a_new_password(
    core: Core, hashes: PasswordHashes, olga: Owner, fault: str
) -> None:
    with StolenPasswords() as stolen:
        stolen.fault = fault
        url = "http://127.0.0.1:1" if fault == "gone" else stolen.url
        async with pages_with(core, hashes, url) as pages, a_browser(pages.app) as browser:
            await browser.log_in(olga.email)
            assert await change(browser, STOLEN) == 303
