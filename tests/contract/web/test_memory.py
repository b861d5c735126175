"""The page of one memory: what it is, what became of it, and its buttons."""

from uuid import UUID, uuid4

import pytest

from tests.contract.web.stack import Browser, Owner, Pages, a_browser, an_owner, path_of
from tests.contract.web.writing import Writer, address_of, topics_of, words_of
from tests.integration.core.proposing import propose_edge
from tests.people import Person
from threengram.core.db.statement import Step, tenant_statement
from threengram.schema.bounds import MAX_IMPORT_CONTENT_CHARS

LENGTHEN = tenant_statement(
    "lengthen_memory",
    """
    INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars, content_hash,
                          scope, project, tags, valid_from, recorded_at, touched_at)
    SELECT tenant_id, %(new_id)s, -memory_no, user_id, memory_type, topic, %(content)s, length(%(content)s),
           sha256(%(content)s::bytea), scope, project, tags, valid_from, recorded_at, touched_at
    FROM memories WHERE tenant_id = %(tenant_id)s AND id = %(memory_id)s
    """,
)


async def press(browser: Browser, memory_id: str, button: str, **fields: str) -> tuple[int, str]:
    """Send one of the page's forms: the status, and what the page says then."""
    answer = await browser.submit(f"/memories/{memory_id}", f"/memories/{memory_id}/{button}", **fields)
    if answer.status_code == 303:
        return 303, words_of((await browser.get(path_of(answer.headers["location"]))).text)
    return answer.status_code, words_of(answer.text)


async def test_a_memory_shows_everything_that_is_stored_about_it(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(
        memoryType="commitment", topic="Send figures", content="Figures\n  for Priya", scope="work", project="Ledger",
        tags=["q3", "figures"], dueAt="2026-03-05T10:00:00Z", owner="Olga", recurrence="FREQ=WEEKLY",
        facts=[{"subject": "ledger", "predicate": "shards.count", "value": "4"}],
    )  # fmt: skip
    shown = await browser.get(f"/memories/{memory_id}")
    words = words_of(shown.text)
    for expected in (
        "Send figures Commitment open 2026-03-02 09:00 UTC", "Due 2026-03-05 10:00 UTC", "Owner Olga",
        "Comes again FREQ=WEEKLY", "ledger shards.count 4 2026-03-02 09:00 UTC now", "Scope work", "Project Ledger",
        "Tags q3 figures", "Valid from 2026-03-02 09:00 UTC on", "Length 19 characters", memory_id,
        "Stored by your program, over REST, 2026-03-02 09:00 UTC",
    ):  # fmt: skip
        assert expected in words
    assert 'dir="auto">Figures\n  for Priya</div>' in shown.text
    for words in ("work", "Ledger", "q3"):
        assert topics_of((await browser.get(address_of(shown.text, f"<bdi>{words}"))).text) == ["Send figures"]


async def test_what_is_unknown_foreign_or_no_id_is_the_same_page(
    pages: Pages, browser: Browser, writer: Writer
) -> None:
    memory_id = await writer.memory()
    bob = await an_owner(pages.core.database, pages.hashes, pages.core)
    async with a_browser(pages.app) as theirs:
        await theirs.log_in(bob.email)
        asked = [memory_id, str(uuid4()), "nonsense", memory_id.upper() + "0", "%00", "é"]
        answers = [await theirs.get(f"/memories/{one}{end}") for one in asked for end in ("", "/correct")]
        for button in ("archive", "unarchive", "status", "postpone", "correct"):
            answers += [await theirs.submit("/account", f"/memories/{one}/{button}") for one in asked]
    assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
    assert (await browser.get(f"/memories/{memory_id.upper()}")).status_code == 200


async def test_a_memory_is_archived_and_brought_back(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(topic="Lunch", facts=[{"subject": "lunch", "predicate": "hour", "value": "12"}])
    status, words = await press(browser, memory_id, "archive")
    assert (status, "Archived. It is left out" in words, "Bring back" in words) == (303, True, True)
    assert "Archived: active → archived by you, on these pages" in words
    assert topics_of((await browser.get("/memories")).text) == []
    status, words = await press(browser, memory_id, "unarchive")
    assert (status, "It is in use again." in words, "Archive" in words) == (303, True, True)
    assert "What was on record about its validity" in words
    assert topics_of((await browser.get("/memories")).text) == ["Lunch"]


async def test_what_the_state_does_not_allow_is_said_on_the_page(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(content="the same")
    await press(browser, memory_id, "archive")
    await writer.memory(content="the same")
    status, words = await press(browser, memory_id, "unarchive")
    assert (status, "The same content is live in another memory" in words) == (409, True)
    assert "Bring back" in words
    blocker = await writer.memory(memoryType="blocker", content="a wall")
    status, words = await press(browser, blocker, "archive")
    assert (status, "A blocker is put away by resolving it." in words) == (409, True)


async def test_a_commitment_goes_where_its_status_allows(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(memoryType="commitment", dueAt="2026-03-05T10:00:00Z")
    buttons = {"open": "Done Waiting Give up", "waiting": "Done Give up Open again", "resolved": "Open again"}
    for status, stands in (("waiting", "Waiting"), ("open", "Open"), ("resolved", "Resolved"), ("open", "Open")):
        answered, words = await press(browser, memory_id, "status", status=status)
        assert (answered, "Its status was changed." in words) == (303, True)
        assert f"Status {stands} Due 2026-03-05 10:00 UTC" in words
        assert f"{buttons[status]} {'Details' if status == 'resolved' else 'New due date'}" in words
    await press(browser, memory_id, "status", status="resolved")
    answered, words = await press(browser, memory_id, "status", status="waiting")
    assert (answered, "A commitment cannot go from resolved to waiting." in words) == (409, True)
    for nonsense in ({}, {"status": "bought"}, {"status": "open", "due": "soon"}):
        answered, words = await press(browser, memory_id, "status", **nonsense)
        assert (answered, "This is no status that it can take." in words) == (400, True)


async def test_a_click_twice_settles_one_occurrence(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(memoryType="commitment", dueAt="2026-03-02T10:00:00Z", recurrence="FREQ=DAILY")
    shown = await browser.get(f"/memories/{memory_id}")
    assert 'name="due" value="2026-03-02T10:00:00+00:00"' in shown.text
    for _ in range(2):
        _, words = await press(browser, memory_id, "status", status="resolved", due="2026-03-02T10:00:00+00:00")
        assert "Status Open Due 2026-03-03 10:00 UTC" in words


async def test_a_blocker_is_resolved_and_opened_again(browser: Browser, writer: Writer) -> None:
    memory_id = await writer.memory(memoryType="blocker", topic="A wall")
    _, words = await press(browser, memory_id, "status", status="resolved")
    assert "Status Resolved Open again" in words
    assert "Valid from 2026-03-02 09:00 UTC until 2026-03-02 09:00 UTC" in words
    assert "Correct" not in words
    _, words = await press(browser, memory_id, "status", status="open")
    assert "Status Open Done" in words


async def test_the_page_follows_the_chain_both_ways(browser: Browser, writer: Writer) -> None:
    ids = [await writer.memory(topic="First", content="one shard")]
    for topic in ("Second", "Third"):
        revised = await writer.done(
            f"/memories/{ids[-1]}/revise", memoryType="note", topic=topic, content=f"{topic} text", edgeIntent="updates"
        )
        ids.append(revised["memory"]["id"])
    for memory_id in ids:
        words = words_of((await browser.get(f"/memories/{memory_id}")).text)
        assert words.index("Third 2026") < words.index("Second 2026") < words.index("First 2026")
        assert words.count("this one") == 1
    middle = await browser.get(f"/memories/{ids[1]}")
    assert "This is no longer what holds." in middle.text
    assert address_of(middle.text, "Go to the version that replaced it") == f"/memories/{ids[2]}"
    assert address_of(middle.text, "First") == f"/memories/{ids[0]}"
    assert "/correct" not in middle.text


async def test_a_long_text_is_cut_until_it_is_asked_for(
    pages: Pages, browser: Browser, olga: Owner, writer: Writer
) -> None:
    memory_id, imported = await writer.memory(), uuid4()
    content = "<&\n" * (MAX_IMPORT_CONTENT_CHARS // 3)
    async with pages.core.database.tenant(olga.principal) as tx:
        await tx.run([Step(LENGTHEN, {"memory_id": memory_id, "new_id": imported, "content": content})])
    shown = await browser.get(f"/memories/{imported}")
    assert "Show all 262,143 characters" in shown.text
    assert len(shown.text) < 120_000
    whole = await browser.get(address_of(shown.text, "Show all"))
    assert whole.text.count("&lt;&amp;\n") == len(content) // 3
    correcting = await browser.get(f"/memories/{imported}/correct")
    assert "The present text has 262,143 characters" in words_of(correcting.text)


@pytest.mark.parametrize("button", ["archive", "unarchive", "status", "postpone", "correct"])
async def test_a_button_needs_the_token_of_its_session(
    pages: Pages, browser: Browser, olga: Owner, writer: Writer, button: str
) -> None:
    path = f"/memories/{await writer.memory()}/{button}"
    async with a_browser(pages.app) as stranger:
        answer = await stranger.post(path, {})
        assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fmemories")
    assert (await browser.post(path, {})).status_code == 403
    evil = {"sec-fetch-site": "cross-site", "origin": "https://evil.test"}
    assert (await browser.submit("/account", path)).status_code != 403
    assert (await browser.post(path, {}, **evil)).status_code == 403


async def test_what_extends_a_memory_is_connected_and_replaces_nothing(
    pages: Pages, browser: Browser, olga: Owner, writer: Writer
) -> None:
    older, newer = await writer.memory(topic="Older", content="four shards"), await writer.memory(topic="Newer")
    proposal_id = await propose_edge(pages.core, Person("", olga.principal), UUID(newer), UUID(older))
    await writer.done("/proposals", action="accept", proposalId=str(proposal_id), edgeType="extends")
    for memory_id, other, says in ((older, "Newer", "extends this one"), (newer, "Older", "is extended by this one")):
        shown = await browser.get(f"/memories/{memory_id}")
        words = words_of(shown.text)
        assert f"Connected {other} {says}" in words
        assert "Versions" not in words
        assert address_of(shown.text, other) == f"/memories/{({older, newer} - {memory_id}).pop()}"
