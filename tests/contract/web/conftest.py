"""Fixtures of the tests of the web pages."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.conftest import CURSOR_KEY, Clock
from tests.contract.web.mailbox import Post, a_mailbox, a_post_office, in_the_clear
from tests.contract.web.stack import Browser, Owner, Pages, a_browser, an_owner, pages_of, quick_hashes, serving
from tests.contract.web.writing import Writer, a_writer
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import RateLimiter


@pytest.fixture
def core(database: Database, clock: Clock) -> Core:
    """Pages embed nothing."""
    return Core(database, None, CursorSealer(CURSOR_KEY), clock)


@pytest.fixture
def hashes() -> Iterator[PasswordHashes]:
    with quick_hashes() as made:
        yield made


@pytest.fixture
async def pages(core: Core, hashes: PasswordHashes) -> AsyncIterator[Pages]:
    made = pages_of(core, hashes)
    async with serving(made):
        yield made


@pytest.fixture
async def browser(pages: Pages) -> AsyncIterator[Browser]:
    async with a_browser(pages.app) as opened:
        yield opened


@pytest.fixture
async def olga(core: Core, hashes: PasswordHashes) -> Owner:
    """Has a password."""
    return await an_owner(core.database, hashes, core)


@pytest.fixture
async def writer(pages: Pages, browser: Browser, olga: Owner) -> Writer:
    """Olga's program; Olga is logged in."""
    await browser.log_in(olga.email)
    return await a_writer(pages, browser, olga)


@pytest.fixture
async def post(core: Core, hashes: PasswordHashes) -> AsyncIterator[Post]:
    """Pages with a mail server."""
    async with a_mailbox() as mailbox:
        outbox = a_post_office(core, in_the_clear(mailbox.port))
        made = pages_of(core, hashes, outbox=outbox)
        async with serving(made), outbox.sending():
            yield Post(made, mailbox, outbox)


@pytest.fixture
async def visitor(post: Post) -> AsyncIterator[Browser]:
    """A browser in front of them."""
    async with a_browser(post.pages.app) as opened:
        yield opened


@pytest.fixture
async def limiter(redis_url: str) -> AsyncIterator[RateLimiter]:
    counters = RateLimiter(redis_url, timeout_s=30)
    yield counters
    await counters.aclose()
