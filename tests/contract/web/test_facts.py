"""The pages of facts and of commitments."""

import httpx2

from tests.conftest import Clock
from tests.contract.web.stack import Browser, Owner, Pages, a_browser, an_owner, path_of
from tests.contract.web.writing import Writer, a_writer, address_of, words_of

WEIGHT = {"subject": "lift", "predicate": "weight_kg"}


async def ask(browser: Browser, page: str, **fields: str) -> httpx2.Response:
    """Send the form of a page and go where it leads."""
    answer = await browser.submit(page, page, **fields)
    return await browser.get(path_of(answer.headers["location"])) if answer.status_code == 303 else answer


async def lifted(writer: Writer, value: str, day: str) -> str:
    fact = {**WEIGHT, "value": value, "validFrom": f"{day}T08:00:00Z"}
    return await writer.memory(content=f"Lifted {value} on {day}", facts=[fact], scope="personal", project="Gym")


async def test_facts_stand_by_subject_and_lead_to_their_memory(browser: Browser, writer: Writer) -> None:
    assert "No fact is recorded yet." in words_of((await browser.get("/facts")).text)
    await lifted(writer, "90", "2026-02-01")
    latest = await lifted(writer, "92.5", "2026-02-08")
    other = [{"subject": "ledger", "predicate": "shards", "value": "4"}, {**WEIGHT, "predicate": "reps", "value": "3"}]
    await writer.memory(facts=other)
    shown = await browser.get("/facts")
    words = words_of(shown.text)
    assert "90" not in words.replace("09:00", "")
    assert words.index("weight_kg 92.5 2026-02-08 08:00 UTC open") > words.index("reps 3")
    assert shown.text.count("<h2 ") == 2
    assert f'href="/memories/{latest}"' in shown.text
    assert "reps" not in words_of((await ask(browser, "/facts", subject="lift", predicate="weight_kg")).text)
    assert "No fact matches." in words_of((await ask(browser, "/facts", subject="LIFT")).text)


async def test_a_series_shows_every_generation_in_order(browser: Browser, writer: Writer) -> None:
    for value, day in (("92.5", "2026-02-08"), ("90", "2026-02-01"), ("-1", "2026-02-15")):
        await lifted(writer, value, day)
    shown = await browser.get(address_of((await browser.get("/facts")).text, "Series"))
    words = words_of(shown.text)
    assert "weight_kg 90 2026-02-01 08:00 UTC 2026-02-08 08:00 UTC Memory" in words
    assert words.index("weight_kg 90") < words.index("weight_kg 92.5") < words.index("weight_kg -1")
    assert "Lowest -1, highest 92.5" in words
    assert shown.text.count("<circle") == 3
    refused = await ask(browser, "/facts", view="series", as_of="2026-02-03T00:00")
    assert (refused.status_code, "A series shows all times" in refused.text) == (400, True)
    await writer.memory(content="ill", facts=[{**WEIGHT, "value": "none", "validFrom": "2026-02-20T08:00:00Z"}])
    assert "<svg" not in (await ask(browser, "/facts", **WEIGHT, view="series")).text


async def test_facts_are_those_that_were_believed_then(
    browser: Browser, olga: Owner, writer: Writer, clock: Clock
) -> None:
    await lifted(writer, "90", "2026-03-01")
    clock.advance(days=3)
    await lifted(writer, "95", "2026-03-02")
    await browser.log_in(olga.email)
    for as_of, value in (("2026-03-03T00:00", "90"), ("2026-03-06T00:00", "95")):
        assert f"weight_kg {value} " in words_of((await ask(browser, "/facts", as_of=as_of)).text)
    assert "No fact matches." in words_of((await ask(browser, "/facts", as_of="2026-02-01T00:00")).text)


async def test_pages_of_facts_follow_each_other(browser: Browser, writer: Writer) -> None:
    for batch in range(5):
        facts = [{"subject": f"s{batch}-{one}", "predicate": "p", "value": "1"} for one in range(16)]
        await writer.memory(content=f"Batch {batch}", facts=facts)
    first = await browser.get("/facts")
    second = await browser.get(address_of(first.text, "Next page"))
    assert [first.text.count("<h2 "), second.text.count("<h2 ")] == [50, 30]
    assert "Next page" not in second.text
    assert address_of(second.text, "First page") == "/facts"


async def test_commitments_and_blockers_stand_on_one_page(browser: Browser, writer: Writer) -> None:
    words = words_of((await browser.get("/commitments")).text)
    assert "Nothing else is owed." in words
    assert "Nothing stands in the way." in words
    await writer.memory(memoryType="commitment", topic="Late", content="late", dueAt="2026-03-01T00:00:00Z")
    await writer.memory(
        memoryType="commitment", topic="Early", content="early", dueAt="2026-04-01T00:00:00Z", scope="work",
        owner="Priya",
    )  # fmt: skip
    blocker = await writer.memory(memoryType="blocker", topic="A wall", content="wall", scope="work", project="Oslo")
    shown = await browser.get("/commitments")
    words = words_of(shown.text)
    assert "Overdue 1 Late overdue due 2026-03-01 00:00 UTC personal" in words
    assert "Owed 1 Early due 2026-04-01 00:00 UTC Priya work" in words
    assert "Blockers 1 A wall since 2026-03-02 09:00 UTC work / Oslo" in words
    words = words_of((await ask(browser, "/commitments", scope="work", project="Oslo")).text)
    assert ("Late" in words, "Early" in words, "A wall" in words) == (False, False, True)
    refused = await ask(browser, "/commitments", scope="Not A Scope")
    assert (refused.status_code, "A scope has small letters" in refused.text) == (400, True)
    answer = await browser.submit("/commitments", f"/memories/{blocker}/status", status="resolved")
    assert path_of(answer.headers["location"]) == f"/memories/{blocker}?done=moved"
    assert "Blockers 0" in words_of((await browser.get("/commitments")).text)


async def test_the_policy_of_reads_is_kept_and_told(browser: Browser, writer: Writer) -> None:
    await writer.memory(memoryType="blocker", topic="At home", content="wall", scope="personal")
    await writer.done("/scopes", action="set_retrieval_default", mode="default", scope="work")
    for page in ("/commitments", "/facts"):
        words = words_of((await browser.get(page)).text)
        assert "Only the scope work , the default of your searches." in words
    await writer.done("/scopes", action="set_retrieval_default", mode="require")
    for page in ("/commitments", "/facts"):
        refused = await browser.get(page)
        assert refused.status_code == 400
        assert "A scope is required here; registered scopes: personal, work." in words_of(refused.text)
    assert "At home" in words_of((await ask(browser, "/commitments", scope="personal")).text)


async def test_facts_and_commitments_of_others_are_not_there(pages: Pages, browser: Browser, writer: Writer) -> None:
    await lifted(writer, "90", "2026-02-01")
    await writer.memory(memoryType="commitment", topic="Of Olga", content="hers")
    bob = await an_owner(pages.core.database, pages.hashes, pages.core)
    async with a_browser(pages.app) as theirs:
        await theirs.log_in(bob.email)
        own = await a_writer(pages, theirs, bob)
        await own.memory(memoryType="commitment", topic="Of Bob", content="his")
        assert "No fact is recorded yet." in words_of((await theirs.get("/facts")).text)
        words = words_of((await theirs.get("/commitments")).text)
        assert ("Of Bob" in words, "Of Olga" in words) == (True, False)
