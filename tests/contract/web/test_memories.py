"""The page of memories: browse, search, filter, travel in time."""

import re
from dataclasses import replace
from datetime import timedelta
from functools import partial

import httpx2
import pytest
from starlette.applications import Starlette

from tests.conftest import Clock
from tests.contract.web.stack import (
    Browser,
    Owner,
    Pages,
    Unlimited,
    a_browser,
    an_owner,
    pages_of,
    path_of,
    serving,
    token_in,
)
from tests.contract.web.writing import Writer, a_writer, address_of, topics_of, words_of
from threengram.api.browsing import routes as browsing
from threengram.api.rate import RateLimits
from threengram.api.visits import Visits
from threengram.core.call import Core, open_call
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.ratelimit import Rule, Verdict
from threengram.schema.search import SearchInput

CANARY = "zebrafinch"


async def ask(browser: Browser, **fields: str) -> httpx2.Response:
    """Send the form and go where it leads."""
    answer = await browser.submit("/memories", "/memories", **fields)
    return await browser.get(path_of(answer.headers["location"])) if answer.status_code == 303 else answer


async def test_a_login_arrives_at_an_empty_page_that_says_how_to_begin(browser: Browser, olga: Owner) -> None:
    assert (await browser.get("/memories")).headers["location"] == "/login?next=%2Fmemories"
    form = await browser.get("/login")
    assert 'value="/memories"' in form.text
    await browser.log_in(olga.email)
    words = words_of((await browser.get("/memories")).text)
    assert "Nothing is stored here yet." in words
    assert "add this server to an MCP client" in words


async def test_a_person_chooses_among_five_ten_and_twenty_five_results(browser: Browser, writer: Writer) -> None:
    written = [f"Memory number {number} of the ledger" for number in range(27)]
    for topic in written:
        await writer.memory(topic=topic, content=topic)
    newest = written[::-1]
    assert topics_of((await browser.get("/memories")).text) == newest[:5]
    assert SearchInput(query="ledger").limit == 5
    for limit in (5, 10, 25):
        assert topics_of((await ask(browser, limit=str(limit))).text) == newest[:limit]
        assert len(topics_of((await ask(browser, query="ledger", limit=str(limit))).text)) == limit
    for number in ("26", "100", "0", "x"):
        refused = await ask(browser, query="ledger", limit=number)
        assert refused.status_code == 400
        assert "Choose one of the list." in words_of(refused.text)
        assert topics_of(refused.text) == []


@pytest.mark.parametrize("query", ["", "ledger"])
async def test_pages_follow_each_other_without_gap_or_repetition(browser: Browser, writer: Writer, query: str) -> None:
    written = {f"Memory number {number} of the ledger" for number in range(12)}
    for topic in written:
        await writer.memory(topic=topic, content=topic)
    page, seen = await ask(browser, query=query), list[str]()
    while True:
        seen += topics_of(page.text)
        if "Next page" not in page.text:
            break
        page = await browser.get(address_of(page.text, "Next page"))
        assert page.status_code == 200
    assert (len(seen), set(seen)) == (12, written)
    first = await browser.get(address_of(page.text, "First page"))
    assert topics_of(first.text) == seen[:5]


async def test_a_search_finds_by_words_and_links_to_the_memory(browser: Browser, writer: Writer) -> None:
    wanted = await writer.memory(topic="Ledger", content="The ledger is kept in PostgreSQL. " + "So it is. " * 100)
    await writer.memory(topic="Lunch", content="Soup on Mondays")
    found = await ask(browser, query="postgresql ledger")
    assert topics_of(found.text)[0] == "Ledger"
    assert address_of(found.text, "Ledger") == address_of(found.text, "Read in full") == f"/memories/{wanted}"
    assert 'value="postgresql ledger"' in found.text


async def test_no_word_of_a_search_is_in_an_address(browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="Birds", content=f"A {CANARY} sang", project=CANARY, tags=[CANARY])
    fields = {"query": CANARY, "project": CANARY}
    answer = await browser.submit("/memories", "/memories", **fields)
    location = path_of(answer.headers["location"])
    assert re.fullmatch(r"/memories\?s=[\w.-]+", location)
    found = await browser.get(location)
    assert topics_of(found.text) == ["Birds"]
    (title,) = re.findall(r"<title>(.*)</title>", found.text)
    memory = await browser.get(address_of(found.text, "Birds"))
    (other_title,) = re.findall(r"<title>(.*)</title>", memory.text)
    addresses = re.findall(r'(?:href|action)="([^"]*)"', found.text + memory.text)
    assert [text for text in (location, title, other_title, *addresses) if CANARY in text] == []
    assert found.headers["referrer-policy"] == "no-referrer"
    assert found.headers["cache-control"] == "no-store"
    assert (await browser.get(location)).text == found.text


async def test_an_address_of_somebody_else_asks_for_nothing(pages: Pages, browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="Birds", content=f"A {CANARY} sang")
    answer = await browser.submit("/memories", "/memories", query=CANARY)
    location = path_of(answer.headers["location"])
    bob = await an_owner(pages.core.database, pages.hashes, pages.core)
    async with a_browser(pages.app) as theirs:
        await theirs.log_in(bob.email)
        shown = await theirs.get(location)
        assert "Nothing is stored here yet." in words_of(shown.text)
        assert CANARY not in shown.text
    for garbled in (location[:-4] + "AAAA", "/memories?s=nonsense", "/memories?s=" + "a" * 20_000):
        assert topics_of((await browser.get(garbled)).text) == ["Birds"]


async def test_filters_narrow_the_list_and_the_search(browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="One", content="about apples", memoryType="decision", scope="work", project="Ledger")
    await writer.memory(topic="Two", content="about apples", memoryType="note", scope="work", tags=["fruit"])
    await writer.memory(topic="Three", content="about apples", memoryType="note", scope="personal", project="Ledger")
    for query in ("", "apples"):
        for fields, expected in (
            ({"type": "decision"}, {"One"}),
            ({"scope": "work"}, {"One", "Two"}),
            ({"project": "Ledger"}, {"One", "Three"}),
            ({"project": "Ledger", "scope": "personal", "type": "note"}, {"Three"}),
            ({"type": "event"}, set[str]()),
        ):
            assert set(topics_of((await ask(browser, query=query, **fields)).text)) == expected, (query, fields)
    assert topics_of((await ask(browser, tag="fruit")).text) == ["Two"]
    refused = await ask(browser, tag="fruit", query="apples")
    assert (refused.status_code, "Tags narrow a list" in refused.text) == (400, True)


async def test_dates_are_whole_days_in_utc(browser: Browser, olga: Owner, writer: Writer, clock: Clock) -> None:
    for day in ("First", "Second", "Third"):
        await writer.memory(topic=day, content=f"{day} apples")
        clock.advance(days=1)
    await browser.log_in(olga.email)
    for query in ("", "apples"):
        only = await ask(browser, query=query, since="2026-03-03", until="2026-03-03")
        assert topics_of(only.text) == ["Second"]
        assert set(topics_of((await ask(browser, query=query, since="2026-03-03")).text)) == {"Second", "Third"}
    assert 'name="since" type="date" value="2026-03-03"' in only.text
    for fields in ({"since": "yesterday"}, {"until": "2026-02-30"}, {"as_of": "then"}):
        refused = await ask(browser, **fields)
        assert (refused.status_code, "There is no such date or time." in refused.text) == (400, True)


async def test_the_status_reaches_what_is_put_away_and_what_was_replaced(browser: Browser, writer: Writer) -> None:
    archived = await writer.memory(topic="Archived", content="apples put away")
    await writer.done(f"/memories/{archived}/archive")
    former = await writer.memory(topic="Former", content="apples of old")
    await writer.done(f"/memories/{former}/revise", memoryType="note", topic="Latter", content="apples of today")
    for status, listed, found in (
        ("", {"Latter"}, {"Latter", "Former"}),
        ("archived", {"Archived"}, {"Archived"}),
        ("superseded", {"Former"}, None),
        ("all", {"Latter", "Former", "Archived"}, {"Latter", "Former", "Archived"}),
    ):
        assert set(topics_of((await ask(browser, status=status)).text)) == listed
        answer = await ask(browser, status=status, query="apples")
        if found is None:
            assert (answer.status_code, "Superseded ones alone" in answer.text) == (400, True)
        else:
            assert set(topics_of(answer.text)) == found
    assert "superseded" in words_of(answer.text)


async def test_a_search_over_everything_has_pages_too(browser: Browser, writer: Writer, clock: Clock) -> None:
    for number in range(7):
        await writer.memory(topic=f"Apple {number}", content=f"apple number {number}")
    page = await ask(browser, query="apple", status="all")
    seen = topics_of(page.text)
    clock.advance(hours=1)
    await writer.memory(topic="Apple 7", content="apple number 7")
    page = await browser.get(address_of(page.text, "Next page"))
    seen += topics_of(page.text)
    assert sorted(seen) == [f"Apple {number}" for number in range(7)]
    first = await browser.get(address_of(page.text, "First page"))
    assert "Next page" in first.text


async def test_the_page_tells_what_was_believed_then(
    browser: Browser, olga: Owner, writer: Writer, clock: Clock
) -> None:
    former = await writer.memory(topic="Four shards", content="The ledger has four shards")
    gone = await writer.memory(topic="Lunch", content="Soup on Mondays")
    clock.advance(days=2)
    await writer.done(
        f"/memories/{former}/revise", memoryType="note", topic="Five shards", content="The ledger has five shards"
    )
    await writer.done(f"/memories/{gone}/archive")
    await browser.log_in(olga.email)
    for as_of, listed, found in (
        ("2026-03-01T00:00", [], []),
        ("2026-03-03T12:30", ["Lunch", "Four shards"], ["Four shards"]),
        ("2026-03-03T12:30:30", ["Lunch", "Four shards"], ["Four shards"]),
        ("2026-03-05T00:00", ["Five shards"], ["Five shards"]),
    ):
        shown = await ask(browser, as_of=as_of)
        assert topics_of(shown.text) == listed, as_of
        assert f"As of {as_of.replace('T', ' ')} UTC" in words_of(shown.text)
        assert topics_of((await ask(browser, as_of=as_of, query="ledger shards")).text)[:1] == found, as_of


async def test_a_search_in_order_of_time_has_every_word(browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="Old", content="red apples and pears")
    await writer.memory(topic="Other", content="red pears")
    await writer.memory(topic="New", content="red apples")
    assert topics_of((await ask(browser, query="red apples", order="chronological")).text) == ["New", "Old"]


async def test_hostile_text_is_shown_and_does_nothing(browser: Browser, writer: Writer) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7777 * 7777 }}"
    facts = [{"subject": hostile, "predicate": hostile, "value": hostile}]
    memory_id = await writer.memory(topic=hostile, content=hostile, project=hostile, tags=[hostile[:64]], facts=facts)
    listed = await ask(browser, query=hostile, project=hostile, status="all")
    for shown in (
        listed,
        await browser.get(f"/memories/{memory_id}"),
        await browser.get(f"/memories/{memory_id}/correct"),
        await browser.submit("/facts", "/facts", subject=hostile, as_of="x"),
        await browser.get("/facts"),
        await browser.submit("/commitments", "/commitments", scope=hostile),
    ):
        assert "<script" not in shown.text
        assert "<img" not in shown.text
        assert str(7777 * 7777) not in shown.text
        assert "&lt;script&gt;" in shown.text
        assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert topics_of(listed.text) == [hostile]


async def test_two_people_see_only_their_own(pages: Pages, browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="Of Olga", content=f"{CANARY} apples", scope="work", project="Olga's")
    bob = await an_owner(pages.core.database, pages.hashes, pages.core)
    async with a_browser(pages.app) as theirs:
        await theirs.log_in(bob.email)
        own = await a_writer(pages, theirs, bob)
        await own.memory(topic="Of Bob", content=f"{CANARY} pears")
        for fields in ({}, {"query": CANARY}, {"status": "all"}, {"as_of": "2026-03-03T00:00"}):
            shown = await ask(theirs, **fields)
            assert topics_of(shown.text) == ["Of Bob"], fields
            assert "Olga" not in shown.text


async def test_the_default_of_searches_is_told_and_a_list_shows_all(browser: Browser, writer: Writer) -> None:
    await writer.memory(topic="At work", content="apples", scope="work")
    await writer.memory(topic="At home", content="apples", scope="personal")
    policy = {"action": "set_retrieval_default", "mode": "default", "scope": "work"}
    await writer.done("/scopes", **policy)
    found = await ask(browser, query="apples")
    assert topics_of(found.text) == ["At work"]
    assert "Only the scope work , the default of your searches." in words_of(found.text)
    assert len(topics_of((await browser.get("/memories")).text)) == 2
    await writer.done("/scopes", action="set_retrieval_default", mode="require")
    refused = await ask(browser, query="apples")
    assert refused.status_code == 400
    assert "A scope is required here; registered scopes: personal, work." in words_of(refused.text)
    assert topics_of((await ask(browser, query="apples", scope="personal")).text) == ["At home"]


async def test_a_page_that_is_no_longer_there_begins_anew(browser: Browser, writer: Writer) -> None:
    await writer.memory()
    for path in ("/memories?cursor=nonsense", "/facts?cursor=nonsense"):
        answer = await browser.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, path.partition("?")[0])


async def test_a_search_needs_the_token_of_its_session(browser: Browser, writer: Writer) -> None:
    for path in ("/memories", "/facts", "/commitments"):
        assert (await browser.post(path, {"query": CANARY})).status_code == 403
    browser.http.cookies.clear()
    answer = await browser.post("/memories", {"query": CANARY})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fmemories")


async def test_a_session_that_ended_reads_nothing_more(
    pages: Pages, browser: Browser, writer: Writer, clock: Clock
) -> None:
    await writer.memory(topic="Here", content="apples")
    assert topics_of((await browser.get("/memories")).text) == ["Here"]
    clock.now += timedelta(hours=13)
    assert (await browser.get("/memories")).headers["location"] == "/login?next=%2Fmemories"


class Refusing(Unlimited):
    """Lets nothing through that a rule counts."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def hit(self, rule: Rule, key: str) -> Verdict:
        return Verdict(rule.name != self.name, rule.calls, 0, 1.0, 42.0 if rule.name == self.name else 0.0)


@pytest.mark.parametrize("name", ["page_address", "api_key", "api_user"])
async def test_pages_keep_the_limits_of_address_session_and_user(
    core: Core, hashes: PasswordHashes, olga: Owner, name: str
) -> None:
    pages = pages_of(core, hashes)
    async with serving(pages), a_browser(pages.app) as browser:
        await browser.log_in(olga.email)
        cookies = browser.http.cookies
    limited = pages_of(core, hashes, limiter=Refusing(name))
    async with serving(limited), a_browser(limited.app) as browser:
        browser.http.cookies.update(cookies)
        answer = await browser.get("/memories")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "42")
        assert "Please wait" in words_of(answer.text)


async def test_a_session_that_ends_before_its_call_leads_to_the_login(
    pages: Pages, core: Core, browser: Browser, writer: Writer, clock: Clock
) -> None:
    memory_id = await writer.memory(topic="Here", content="apples")
    later = replace(core, clock=lambda: clock.now + timedelta(hours=13))
    visits = Visits(pages.logins, RateLimits(Unlimited(), key_calls_per_minute=9, user_calls_per_minute=9),
                    partial(open_call, later))  # fmt: skip
    app = Starlette(routes=browsing.routes(visits, core.cursors, clock))
    cookies, csrf = browser.http.cookies, token_in(await browser.get("/memories"))
    async with a_browser(app) as late:
        late.http.cookies.update(cookies)
        shown = await late.get(f"/memories/{memory_id}")
        assert (shown.status_code, shown.headers["location"]) == (303, f"/login?next=%2Fmemories%2F{memory_id}")
        refused = await late.post(f"/memories/{memory_id}/archive", {"csrf_token": csrf})
        assert (refused.status_code, refused.headers["location"]) == (303, "/login?next=%2Fmemories")
    assert topics_of((await browser.get("/memories")).text) == ["Here"]
