"""Correcting a memory: a successor, with the facts that stay."""

import re
from html import unescape
from typing import Any

import httpx2
import pytest

from tests.conftest import Clock
from tests.contract.web.stack import Browser, Owner, path_of
from tests.contract.web.writing import Writer, address_of, words_of
from threengram.schema import bounds

TWICE = {f"fact-{row}-{name}": name for row in range(2) for name in ("subject", "predicate", "value")}


def fields_of(html: str) -> dict[str, str]:
    """The form as a browser would send it back unchanged."""
    form = html[html.index('/correct">') :]
    fields = {"content": unescape(re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", form, flags=re.DOTALL)[0])}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        if attributes.get("type") != "radio" or " checked" in tag:
            fields[attributes["name"]] = attributes.get("value", "")
    for name, options in re.findall(r'<select[^>]* name="(\w+)"[^>]*>(.*?)</select>', form, flags=re.DOTALL):
        fields[name] = re.findall(r'<option value="(\w*)" selected>', options)[0]
    return fields


async def correct(browser: Browser, memory_id: str, **changes: str) -> httpx2.Response:
    """Change some fields of the form and send it; the page that answers."""
    page = await browser.get(f"/memories/{memory_id}/correct")
    answer = await browser.post(f"/memories/{memory_id}/correct", fields_of(page.text) | changes)
    return await browser.get(path_of(answer.headers["location"])) if answer.status_code == 303 else answer


async def field_with(browser: Browser, memory_id: str, value: str) -> str:
    """The name of the field that holds a value."""
    fields = fields_of((await browser.get(f"/memories/{memory_id}/correct")).text)
    return next(name for name, held in fields.items() if held == value)


async def facts(writer: Writer, **question: Any) -> dict[str, tuple[str, str, float | None]]:
    """What holds: value, start and confidence by predicate."""
    found = (await writer.done("/facts/get", **question))["facts"]
    return {fact["predicate"]: (fact["value"], fact["validFrom"], fact["confidence"]) for fact in found}


async def test_a_correction_is_a_successor_and_leaves_the_former_as_it_was(browser: Browser, writer: Writer) -> None:
    former = await writer.memory(
        topic="Shards", content="The ledger has four shards", scope="work", project="Ledger", tags=["a, b", "c"]
    )
    shown = await correct(browser, former, content="The ledger has\r\nfive shards")
    latter = re.findall(r"<code>([0-9a-f-]{36})</code>", shown.text)[0]
    words = words_of(shown.text)
    assert "Corrected. This is the new version" in words
    assert 'dir="auto">The ledger has\nfive shards</div>' in shown.text
    for inherited in ("Scope work", "Project Ledger", "Tags a, b c", "replaces the one before"):
        assert inherited in words
    assert address_of(shown.text, "Shards") == f"/memories/{former}"
    old = (await writer.get(f"/memories/{former}")).json()
    assert old["content"] == "The ledger has four shards"
    assert old["supersededBy"] == {"id": latter, "edgeType": "supersedes"}
    history = (await writer.get(f"/memories/{latter}/history")).json()
    assert {event["actorKind"] for event in history["auditEvents"]} == {"user_dashboard"}


async def test_everything_about_a_memory_can_be_corrected(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(topic="Shards", tags=["old"])
    shown = await correct(
        browser, memory_id, type="decision", topic="Five shards", content="Five", intent="updates", scope="work",
        project="Ledger", tags=" new ,  newer,",
    )  # fmt: skip
    words = words_of(shown.text)
    for expected in ("Five shards Decision", "Scope work Project Ledger Tags new newer", "updates the one before"):
        assert expected in words


async def test_facts_stay_with_their_start_unless_they_are_changed(
    browser: Browser, olga: Owner, writer: Writer, clock: Clock
) -> None:
    stated = [
        {"subject": "ledger", "predicate": "shards", "value": "4", "confidence": 0.75},
        {"subject": "ledger", "predicate": "regions", "value": "2"},
        {"subject": "ledger", "predicate": "owner", "value": "Olga", "validFrom": "2026-02-01T00:00:00Z"},
    ]
    memory_id = await writer.memory(facts=stated)
    before = await facts(writer)
    clock.advance(days=1)
    await browser.log_in(olga.email)
    removed = (await field_with(browser, memory_id, "Olga")).rpartition("-")[0]
    emptied = {f"{removed}-{name}": "" for name in ("subject", "predicate", "value")}
    emptied[await field_with(browser, memory_id, "2")] = "3"
    await correct(browser, memory_id, content="So it was wrong", **emptied)
    after = await facts(writer)
    assert after == {"shards": before["shards"], "regions": ("3", before["regions"][1], None)}
    (successor,) = {fact["memoryId"] for fact in (await writer.done("/facts/get"))["facts"]}
    change = {await field_with(browser, successor, "3"): "5"}
    shown = await correct(browser, successor, content="Things moved on", intent="updates", **change)
    moved = await facts(writer)
    assert moved["shards"] == before["shards"]
    assert moved["regions"][0] == "5"
    assert moved["regions"][1] > before["regions"][1]
    assert "ledger regions 5" in words_of(shown.text)
    assert (await facts(writer, asOf={"validAt": "2026-03-02T12:00:00Z"}))["regions"][0] == "3"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"topic": "  "}, "This can't be empty."),
        ({"content": ""}, "This can't be empty."),
        ({"content": "é" * (bounds.MAX_CONTENT_CHARS + 1)}, "This can have at most 2000 characters."),
        ({"content": "a\x00b"}, "There is a character in this that can't be stored."),
        ({"type": "bought"}, "Choose one of the list."),
        ({"scope": "My Work"}, "A scope has small letters, digits and hyphens"),
        ({"tags": "x" * (bounds.MAX_TAG_CHARS + 1)}, "This can have at most 64 characters."),
        ({"fact-0-subject": "ledger"}, "This can't be empty."),
        (TWICE, "The same subject and predicate twice"),
        ({"owner": "Priya"}, "Belongs to commitments only."),
        ({"type": "note", "due": "2026-03-05T10:00"}, "Belongs to commitments only."),
    ],
)  # fmt: skip
async def test_what_is_wrong_stands_beside_its_field_and_nothing_is_lost(
    browser: Browser, writer: Writer, changes: dict[str, str], said: str
) -> None:
    memory_id = await writer.memory(topic="Shards", content="Four")
    answer = await correct(browser, memory_id, **{"project": "Kept", **changes})
    assert answer.status_code == 400
    words = words_of(answer.text)
    assert "Something is not right yet; see below." in words
    assert said in words
    assert 'value="Kept"' in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert (await writer.get(f"/memories/{memory_id}")).json()["supersededBy"] is None


async def test_a_memory_that_says_the_same_is_named(browser: Browser, writer: Writer) -> None:
    other = await writer.memory(content="Five")
    memory_id = await writer.memory(content="Four")
    answer = await correct(browser, memory_id, content="Five")
    assert answer.status_code == 409
    assert address_of(answer.text, "See that memory") == f"/memories/{other}"


async def test_a_memory_is_corrected_once(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(content="Four")
    page = await browser.get(f"/memories/{memory_id}/correct")
    await correct(browser, memory_id, content="Five")
    answer = await browser.post(f"/memories/{memory_id}/correct", fields_of(page.text) | {"content": "Six"})
    assert (answer.status_code, "superseded already" in words_of(answer.text)) == (409, True)


async def test_a_commitment_is_postponed_with_everything_else_as_it_was(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(
        memoryType="commitment", topic="Figures", dueAt="2026-03-05T10:00:00Z", owner="Olga",
        facts=[{"subject": "figures", "predicate": "quarter", "value": "3"}],
    )  # fmt: skip
    before = await facts(writer)
    answer = await browser.submit(f"/memories/{memory_id}", f"/memories/{memory_id}/postpone", due="2026-03-12T08:30")
    shown = await browser.get(path_of(answer.headers["location"]))
    words = words_of(shown.text)
    for expected in ("Postponed.", "A content", "Due 2026-03-12 08:30 UTC", "Owner Olga", "updates the one before"):
        assert expected in words
    assert await facts(writer) == before
    successor = address_of(shown.text, "Correct").removesuffix("/correct")
    for due in ("", "soon"):
        refused = await browser.submit(successor, f"{successor}/postpone", due=due)
        assert (refused.status_code, "There is no such date or time." in refused.text) == (400, True)


async def test_a_commitment_is_rescheduled_and_handed_over(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(memoryType="commitment", dueAt="2026-03-05T10:00:30Z", owner="Olga")
    shown = await correct(browser, memory_id, owner="Priya")
    assert "Due 2026-03-05 10:00 UTC Owner Priya" in words_of(shown.text)
    listed = await writer.done("/briefing", selector={"kind": "all"})
    assert listed["commitments"]["items"][0]["dueAt"] == "2026-03-05T10:00:30Z"
    successor = address_of(shown.text, "Correct").removesuffix("/correct").rpartition("/")[2]
    shown = await correct(browser, successor, recurrence="FREQ=DAILY", content="Daily")
    assert "Comes again FREQ=DAILY" in words_of(shown.text)
    refused = await correct(browser, address_of(shown.text, "Correct").split("/")[2], recurrence="FREQ=SOMETIMES")
    assert (refused.status_code, 'id="recurrence-problem"' in refused.text) == (400, True)


async def test_as_many_and_as_long_facts_as_one_write_takes_are_carried_over(browser: Browser, writer: Writer) -> None:
    long = "\N{PARROT}" * bounds.MAX_VALUE_CHARS
    stated = [{"subject": f"s{number}", "predicate": "p", "value": long} for number in range(15)]
    stated.append({"subject": "two\nlines", "predicate": "p", "value": "first\nsecond"})
    memory_id = await writer.memory(facts=stated)
    before = await writer.done("/facts/get", subject="two\nlines")
    page = await browser.get(f"/memories/{memory_id}/correct")
    typed = {name: value.replace("\n", "") for name, value in fields_of(page.text).items()}
    answer = await browser.post(f"/memories/{memory_id}/correct", typed | {"content": "Another text"})
    assert answer.status_code == 303
    after = await writer.done("/facts/get", subject="two\nlines")
    for fact in ("subject", "predicate", "value", "validFrom"):
        assert after["facts"][0][fact] == before["facts"][0][fact]
    assert (await writer.done("/facts/get", limit=200))["count"] == 16
