"""The page of proposals: what is proposed and why, yes, no, and yes taken back."""

from uuid import uuid4

import pytest

from tests.contract.web.owning import person_of, something_proposed
from tests.contract.web.stack import Browser, Owner, Pages, a_browser, an_owner, path_of, token_in
from tests.integration.core.proposing import listed, propose_edge
from tests.integration.core.writing import correct, put_away, read, rows, write
from threengram.schema.enums import EdgeType

SCRIPT = "<script>alert('x')</script>"


@pytest.fixture
async def olgas(browser: Browser, olga: Owner) -> Browser:
    """Olga's browser, logged in."""
    await browser.log_in(olga.email)
    return browser


async def test_nothing_proposed_is_said(olgas: Browser) -> None:
    shown = await olgas.get("/proposals")
    assert (shown.status_code, "Nothing waits for you" in shown.text, "Open (0)" in shown.text) == (200, True, True)


async def test_both_sides_are_shown_with_the_reason(olgas: Browser, pages: Pages, olga: Owner) -> None:
    made = await something_proposed(pages.core, olga, SCRIPT)
    text = (await olgas.get("/proposals")).text
    assert SCRIPT not in text
    assert "at berth 3" in text and "at berth 7" in text  # noqa: PT018 - one claim
    assert "takes the place of the older one" in text
    assert "Why: <bdi>cosine 0.930</bdi>" in text
    assert f'href="/memories/{made.older}"' in text
    assert "Open (2)" in text
    assert 'aria-current="page">Proposals</a>' in text


async def test_a_yes_draws_the_edge_and_is_taken_back_on_the_page(olgas: Browser, pages: Pages, olga: Owner) -> None:
    made = await something_proposed(pages.core, olga)
    answer = await olgas.submit("/proposals", f"/proposals/{made.edge}/accept", edge_type="updates")
    assert path_of(answer.headers["location"]) == "/proposals?status=proposed&done=accepted"
    older = await read(pages.core, made.person, made.older)
    assert older.superseded_by is not None
    assert (older.superseded_by.id, older.superseded_by.edge_type) == (made.newer, EdgeType.UPDATES)

    accepted = await olgas.get("/proposals?status=applied")
    assert f'action="/proposals/{made.edge}/undo"' in accepted.text
    answer = await olgas.submit("/proposals?status=applied", f"/proposals/{made.edge}/undo")
    assert path_of(answer.headers["location"]) == "/proposals?status=applied&done=undone"
    assert (await read(pages.core, made.person, made.older)).superseded_by is None
    assert "You took your yes back" in (await olgas.get("/proposals?status=rejected")).text
    actors = await rows(
        pages.core,
        made.person,
        "SELECT DISTINCT actor_kind FROM memory_events WHERE event_kind IN ('supersede', 'unlink')",
    )
    assert [row["actor_kind"] for row in actors] == ["user_dashboard"]


async def test_a_fact_is_kept_or_not(olgas: Browser, pages: Pages, olga: Owner) -> None:
    kept, declined = [await something_proposed(pages.core, olga, about) for about in ("the pier", "the dock")]
    await olgas.submit("/proposals", f"/proposals/{kept.fact}/accept")
    await olgas.submit("/proposals", f"/proposals/{declined.fact}/reject")
    stored = await rows(pages.core, kept.person, "SELECT subject FROM facts")
    assert [fact["subject"] for fact in stored] == ["the pier"]
    assert "You said no" in (await olgas.get("/proposals?status=rejected")).text
    assert "Take back" not in (await olgas.get("/proposals?status=applied")).text


async def test_what_can_not_be_done_any_more_is_said_on_the_list(olgas: Browser, pages: Pages, olga: Owner) -> None:
    made = await something_proposed(pages.core, olga)
    shown = await olgas.get("/proposals")
    await put_away(pages.core, made.person, made.older)
    form = {"csrf_token": token_in(shown)}
    answer = await olgas.post(f"/proposals/{made.edge}/accept", form)
    assert (answer.status_code, "A memory of this proposal is no longer in use" in answer.text) == (409, True)

    other = await something_proposed(pages.core, olga, "the quay")
    await olgas.post(f"/proposals/{other.edge}/accept", form)
    await correct(pages.core, other.person, other.newer, content="the quay is gone")
    answer = await olgas.post(f"/proposals/{other.edge}/undo", form)
    assert (answer.status_code, "can&#39;t be taken back any more" in answer.text) == (409, True)


async def test_older_proposals_are_a_page_away(olgas: Browser, pages: Pages, olga: Owner) -> None:
    person = await person_of(pages.core, olga)
    first = await write(pages.core, person, content="the first")
    for number in range(8):
        memory = await write(pages.core, person, topic=f"Topic {number}", content=f"content {number}")
        await propose_edge(pages.core, person, memory.memory.id, first.memory.id)
    one = await olgas.get("/proposals")
    (link,) = [part.split('"')[0] for part in one.text.split('href="') if "cursor=" in part.split('"')[0]]
    two = await olgas.get(link.replace("&amp;", "&"))
    seen = [[number for number in range(8) if f"<bdi>Topic {number}</bdi>" in page.text] for page in (one, two)]
    assert seen == [[2, 3, 4, 5, 6, 7], [0, 1]]
    assert "cursor=" not in two.text
    assert path_of((await olgas.get("/proposals?cursor=nonsense")).headers["location"]) == "/proposals?status=proposed"


async def test_comparing_is_switched_off_and_on(olgas: Browser) -> None:
    for said, done, other in (("no", "off", "Switch it on"), ("yes", "on", "Switch it off")):
        answer = await olgas.submit("/proposals", "/proposals/consolidation", enabled=said)
        assert path_of(answer.headers["location"]) == f"/proposals?status=proposed&done={done}"
        assert other in (await olgas.get("/proposals")).text


async def test_the_proposal_of_somebody_else_is_as_unknown_as_one_that_never_was(
    olgas: Browser, pages: Pages, olga: Owner
) -> None:
    await something_proposed(pages.core, olga)
    other = await an_owner(pages.core.database, pages.hashes, pages.core)
    theirs = await something_proposed(pages.core, other, "the secret cove")
    assert "secret cove" not in (await olgas.get("/proposals")).text
    for action in ("accept", "reject", "undo"):
        answers = [
            await olgas.submit("/proposals", f"/proposals/{proposal_id}/{action}")
            for proposal_id in (theirs.edge, theirs.fact, uuid4(), "nonsense")
        ]
        assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
    assert (await listed(pages.core, theirs.person)).count == 1


async def test_a_choice_that_there_is_not_is_refused(olgas: Browser, pages: Pages, olga: Owner) -> None:
    made = await something_proposed(pages.core, olga)
    assert (await olgas.get("/proposals?status=nonsense")).status_code == 400
    answer = await olgas.submit("/proposals", f"/proposals/{made.edge}/accept", edge_type="nonsense")
    assert answer.status_code == 400
    assert (await listed(pages.core, made.person)).count == 1


@pytest.mark.parametrize("path", ["consolidation", "{id}/accept", "{id}/reject", "{id}/undo"])
async def test_a_form_needs_a_login_and_the_token_of_its_session(pages: Pages, olga: Owner, path: str) -> None:
    path = path.format(id=uuid4())
    async with a_browser(pages.app) as here, a_browser(pages.app) as there:
        answer = await here.post(f"/proposals/{path}", {})
        assert path_of(answer.headers["location"]) == "/login?next=%2Fproposals"
        await here.log_in(olga.email)
        await there.log_in(olga.email)
        token = token_in(await there.get("/proposals"))
        assert (await here.post(f"/proposals/{path}", {"csrf_token": token})).status_code == 403
