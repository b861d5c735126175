"""Guessing passwords: limited by account and by address, over all replicas, with and without the shared counters."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.contract.web.stack import ORIGIN, Browser, Owner, Pages, a_browser, pages_of, serving, token_in
from threengram.api.limits import Rules
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.metrics import LOGINS, RATELIMIT_STORE_FAILURES
from threengram.runtime.ratelimit import RateLimiter, Rule

NOWHERE = "redis://127.0.0.1:1"
WAIT_S = 60.0
ADDRESSES = [f"198.51.100.{number}" for number in range(100)]
TRIES_PER_ADDRESS = 10
AT_ONCE = 16


@pytest.fixture
async def replicas(core: Core, hashes: PasswordHashes, redis_url: str) -> AsyncIterator[list[Pages]]:
    """Two services with counters in one Valkey."""
    limiters = [RateLimiter(redis_url, timeout_s=30) for _ in range(2)]
    async with AsyncExitStack() as stack:
        replicas = [pages_of(core, hashes, limiter=limiter) for limiter in limiters]
        for limiter, pages in zip(limiters, replicas, strict=True):
            stack.push_async_callback(limiter.aclose)
            await stack.enter_async_context(serving(pages))
        yield replicas


async def guess(browser: Browser, email: str, passwords: list[str]) -> list[int]:
    """The statuses of logins from one browser, one after the other."""
    token = token_in(await browser.get("/login"))
    answers = [
        await browser.post("/login", {"csrf_token": token, "email": email, "password": password})
        for password in passwords
    ]
    return [answer.status_code for answer in answers]


async def test_a_thousand_guesses_from_a_hundred_addresses_stay_within_the_limit_of_the_account(
    replicas: list[Pages], olga: Owner
) -> None:
    counted = {outcome: LOGINS.labels(outcome)._value.get() for outcome in ("ok", "refused", "limited")}
    turn = asyncio.Semaphore(AT_ONCE)

    async def from_address(number: int, address: str) -> list[int]:
        async with turn, a_browser(replicas[number % len(replicas)].app, address=address) as browser:
            wrong = [f"wrong password {number} {attempt}" for attempt in range(TRIES_PER_ADDRESS)]
            return await guess(browser, olga.email, wrong)

    answers = await asyncio.gather(*(from_address(number, address) for number, address in enumerate(ADDRESSES)))
    assert Counter(status for statuses in answers for status in statuses) == {401: 10, 429: 990}

    counted = {outcome: LOGINS.labels(outcome)._value.get() - before for outcome, before in counted.items()}
    assert counted == {"ok": 0, "refused": 10, "limited": 990}

    async with a_browser(replicas[0].app, address="198.51.100.200") as late:
        refused = await late.log_in(olga.email)
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 900
        assert refused.headers["ratelimit-limit"] == "10"
        assert "wait a while" in refused.text


async def test_the_right_password_works_again_after_the_window(
    core: Core, hashes: PasswordHashes, redis_url: str, olga: Owner
) -> None:
    limiter = RateLimiter(redis_url, timeout_s=30)
    plenty = Rule("plenty", 100_000, 60, "local")
    rules = Rules(login_account=Rule("login_account", 3, 1, "local"), login_address=plenty, page_address=plenty)
    pages = pages_of(core, hashes, limiter=limiter, rules=rules)
    async with serving(pages), a_browser(pages.app, address="203.0.113.1") as browser:
        deadline = time.monotonic() + WAIT_S
        while 429 not in await guess(browser, olga.email, ["wrong password"] * 4):
            assert time.monotonic() < deadline  # Four guesses took longer than a window.
        while (await browser.log_in(olga.email)).status_code != 303:
            assert time.monotonic() < deadline
    await limiter.aclose()


async def test_guesses_at_many_accounts_from_one_address_are_limited_too(replicas: list[Pages]) -> None:
    async with a_browser(replicas[0].app, address="203.0.113.2") as browser:
        token = token_in(await browser.get("/login"))
        statuses = Counter[int]()
        for number in range(35):
            form = {"csrf_token": token, "email": f"user{number}@example.test", "password": "wrong password"}
            statuses[(await browser.post("/login", form)).status_code] += 1
    assert statuses == {401: 30, 429: 5}


@pytest.mark.usefixtures("one_window")
async def test_without_the_shared_counters_each_process_counts_for_itself(
    core: Core, hashes: PasswordHashes, olga: Owner
) -> None:
    fell_back = RATELIMIT_STORE_FAILURES.labels("login_account", "local")
    before = fell_back._value.get()
    limiter = RateLimiter(NOWHERE, timeout_s=0.05)
    pages = pages_of(core, hashes, limiter=limiter)
    async with serving(pages), a_browser(pages.app, ORIGIN) as browser:
        statuses = await guess(browser, olga.email, ["wrong password"] * 15)
    await limiter.aclose()
    assert Counter(statuses) == {401: 10, 429: 5}
    assert fell_back._value.get() - before == 15
