"""`review_proposals`: what a yes changes, what a no remembers, what retires by itself, what can be taken back."""

from uuid import UUID

import orjson
import pytest

from tests.conftest import Clock
from tests.integration.core.proposing import accept, listed, propose_edge, propose_fact, reject, undo
from tests.integration.core.writing import correct, day, facts, find, history, obligation, put_away, read, rows, values
from tests.integration.core.writing import write as remember
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.database import UniqueViolated
from threengram.core.errors import Conflict, InvalidCursor, InvalidRequest, NotFound
from threengram.core.ids import new_id
from threengram.core.proposals import required_scope
from threengram.schema.bounds import MAX_PROPOSALS_TOTAL_BYTES
from threengram.schema.proposals import EdgeApplied, EdgeRejected, FactApplied, FactRejected, ReviewProposalsInput

WEIGHT = {"subject": "lift", "predicate": "kg"}


async def two(core: Core, person: Person, **fields: object) -> tuple[UUID, UUID]:
    """A newer and an older memory."""
    older = await remember(core, person, content="older", topic="the older topic", **fields)
    newer = await remember(core, person, content="newer", topic="the newer topic", **fields)
    return newer.memory.id, older.memory.id


async def state_of(core: Core, person: Person, proposal_id: UUID) -> tuple[str, str | None]:
    found = await rows(
        core,
        person,
        "SELECT status, reason FROM consolidation_proposals WHERE id = %(id)s"
        " UNION ALL SELECT status, reason FROM fact_proposals WHERE id = %(id)s",
        id=proposal_id,
    )
    return found[0]["status"], found[0]["reason"]


async def test_the_list_shows_both_sides_and_what_may_be_drawn(core: Core, alice: Person) -> None:
    older = await remember(core, alice, memory_type="event", content="older", topic="o" * 200)
    newer = await remember(core, alice, content="newer", topic="the newer topic")
    edge_id = await propose_edge(core, alice, newer.memory.id, older.memory.id, "extends")
    page = await listed(core, alice)
    (shown,) = page.proposals
    assert (page.count, page.fact_proposals, page.has_more) == (1, None, False)
    assert "factProposals" not in page.wire()
    assert (shown.id, shown.from_topic, shown.to_topic) == (edge_id, "the newer topic", "o" * 119 + "…")
    assert [edge.value for edge in shown.allowed_edge_types] == ["extends"]
    assert shown.wire()["rationale"] == "cosine 0.930"
    assert (shown.decided_at, "reason" in shown.wire()) == (None, False)


async def test_both_kinds_are_paged_newest_first_without_gap_or_repetition(core: Core, alice: Person) -> None:
    newer, *olders = [(await remember(core, alice, content=f"memory {n}")).memory.id for n in range(6)]
    edges = [await propose_edge(core, alice, newer, older, "extends", created_at=day(9)) for older in olders]
    claims = [await propose_fact(core, alice, newer, value=str(n)) for n in range(3)]
    seen_edges, seen_facts, cursor = [], [], None
    for _ in range(9):
        page = await listed(core, alice, limit=2, cursor=cursor)
        seen_edges += [shown.id for shown in page.proposals]
        seen_facts += [shown.id for shown in page.fact_proposals or []]
        cursor = page.next_cursor
        if cursor is None:
            break
        await propose_edge(core, alice, olders[0], olders[1], "extends", created_at=day(10)) if not seen_edges[
            2:
        ] else ()
    assert seen_edges == sorted(edges, reverse=True)
    assert seen_facts == claims[::-1]
    first = await listed(core, alice, limit=2)
    with pytest.raises(InvalidCursor):
        await listed(core, alice, status="rejected", cursor=first.next_cursor)


async def test_a_page_of_large_claims_ends_within_the_bytes_of_an_answer(core: Core, alice: Person) -> None:
    memory = await remember(core, alice)
    for number in range(30):
        await propose_fact(core, alice, memory.memory.id, predicate=str(number), value="\x01" * 2_000)
    page = await listed(core, alice, limit=100)
    assert page.has_more
    assert page.fact_proposals
    seen = len(page.fact_proposals)
    structured = orjson.dumps(page.wire())
    assert len(structured) + len(orjson.dumps(structured.decode())) < MAX_PROPOSALS_TOTAL_BYTES
    while page.next_cursor is not None:
        page = await listed(core, alice, limit=100, cursor=page.next_cursor)
        seen += len(page.fact_proposals or [])
    assert seen == 30


async def test_accepting_supersedes_like_a_revision(core: Core, alice: Person, clock: Clock) -> None:
    newer, older = await two(core, alice)
    claim = await remember(core, alice, content="with a fact", facts=[{**WEIGHT, "value": "98"}])
    clock.advance(days=1)
    for target in (older, claim.memory.id):
        proposal_id = await propose_edge(core, alice, newer, target)
        answer = await accept(core, alice, proposal_id)
        assert isinstance(answer, EdgeApplied)
        assert (answer.proposal.status.value, answer.proposal.decided_at is not None) == ("applied", True)
        closed = await read(core, alice, target)
        assert closed.superseded_by is not None
        assert (closed.superseded_by.id, closed.valid_to) == (newer, answer.proposal.decided_at)
        assert (await history(core, alice, target))[-1] == (
            "supersede",
            {"successorId": str(newer), "edgeType": "supersedes", "proposalId": str(proposal_id)},
        )
    assert await values(core, alice) == []
    before = closed.valid_from
    assert [hit.id for hit in (await find(core, alice, "older", as_of={"valid_at": before})).hits][:1] == [older]
    with pytest.raises(NotFound):
        await accept(core, alice, proposal_id)
    assert [shown.status.value for shown in (await listed(core, alice, status="applied")).proposals] == ["applied"] * 2


async def test_a_reviewer_chooses_among_the_allowed_edges(core: Core, alice: Person) -> None:
    newer, older = await two(core, alice)
    chosen = await accept(core, alice, await propose_edge(core, alice, newer, older, "extends"), edge_type="updates")
    assert isinstance(chosen, EdgeApplied)
    assert chosen.proposal.edge_type.value == "updates"
    assert (await read(core, alice, older)).superseded_by is not None
    happened = await remember(core, alice, content="it happened", memory_type="event")
    proposal_id = await propose_edge(core, alice, newer, happened.memory.id, "extends")
    for edge_type in ("supersedes", "updates", "derives"):
        with pytest.raises(InvalidRequest) as refused:
            await accept(core, alice, proposal_id, edge_type=edge_type)
        assert (refused.value.field, "allowed: extends" in str(refused.value)) == ("edgeType", True)
    assert await state_of(core, alice, proposal_id) == ("proposed", None)
    assert isinstance(await accept(core, alice, proposal_id), EdgeApplied)


async def test_an_edge_that_adds_closes_nothing_and_leaves_an_event(core: Core, alice: Person) -> None:
    newer, older = await two(core, alice, memory_type="commitment")
    proposal_id = await propose_edge(core, alice, newer, older, "extends")
    await accept(core, alice, proposal_id)
    assert (await read(core, alice, older)).valid_to is None
    assert (await history(core, alice, newer))[-1] == (
        "link",
        {"targetId": str(older), "edgeType": "extends", "proposalId": str(proposal_id)},
    )
    undone = await undo(core, alice, proposal_id)
    assert (undone.status.value, undone.reason) == ("rejected", "undone")
    assert (await history(core, alice, newer))[-1][0] == "unlink"
    (edge,) = await rows(core, alice, "SELECT recorded_at < retracted_at AS is_over FROM memory_edges")
    assert edge["is_over"]


async def test_a_commitment_that_is_taken_over_is_settled_and_comes_back(core: Core, alice: Person) -> None:
    older = await remember(core, alice, memory_type="commitment", content="older", due_at=day(9))
    newer = await remember(core, alice, memory_type="commitment", content="newer", due_at=day(9))
    await rows(core, alice, "UPDATE commitments SET status = 'waiting' WHERE id = %(id)s", id=older.commitment_id)
    proposal_id = await propose_edge(core, alice, newer.memory.id, older.memory.id)
    await accept(core, alice, proposal_id)
    assert (await obligation(core, alice, older.commitment_id))["status"] == "resolved"
    assert (await obligation(core, alice, newer.commitment_id))["status"] == "open"
    await undo(core, alice, proposal_id)
    restored = await obligation(core, alice, older.commitment_id)
    assert (restored["status"], restored["resolved_at"], restored["next_surfacing_at"]) == ("waiting", None, day(9))


async def test_an_edge_that_was_taken_back_still_stood_before_that(core: Core, alice: Person, clock: Clock) -> None:
    newer, older = await two(core, alice)
    proposal_id = await propose_edge(core, alice, newer, older)
    await accept(core, alice, proposal_id)
    meanwhile = clock()
    clock.advance(hours=1)
    await undo(core, alice, proposal_id)
    then = await find(core, alice, "older", as_of={"as_known_at": meanwhile})
    now = await find(core, alice, "older")
    assert [(hit.id, hit.superseded) for hit in then.hits] == [(newer, False), (older, True)]
    assert {(hit.id, hit.superseded) for hit in now.hits} == {(older, False), (newer, False)}


async def test_a_no_is_remembered(core: Core, alice: Person) -> None:
    newer, older = await two(core, alice)
    edge_id = await propose_edge(core, alice, newer, older, "extends")
    fact_id = await propose_fact(core, alice, newer)
    edge, fact = await reject(core, alice, edge_id), await reject(core, alice, fact_id)
    assert isinstance(edge, EdgeRejected)
    assert isinstance(fact, FactRejected)
    assert (edge.proposal.status, edge.proposal.reason) == ("rejected", "declined")
    assert fact.wire()["proposal"]["reason"] == "declined"
    for again in (
        propose_edge(core, alice, newer, older, "updates"),
        propose_edge(core, alice, older, newer),
        propose_fact(core, alice, newer),
    ):
        with pytest.raises(UniqueViolated):
            await again
    await propose_fact(core, alice, newer, value="99")
    with pytest.raises(NotFound):
        await reject(core, alice, edge_id)


@pytest.mark.parametrize("by_listing", [True, False])
async def test_what_has_become_pointless_retires_by_itself(core: Core, alice: Person, by_listing: bool) -> None:
    claim = {**WEIGHT, "value": "7"}
    a, b, c, d = [
        (await remember(core, alice, content=name, facts=[claim] if name == "b" else [])).memory.id for name in "abcd"
    ]
    superseded = await propose_edge(core, alice, b, a)
    archived = await propose_edge(core, alice, c, d, "extends")
    drawn = await propose_edge(core, alice, c, b, "extends")
    of_the_dead = await propose_fact(core, alice, d)
    stated = await propose_fact(core, alice, b, value="7")
    await correct(core, alice, a, content="another version")
    await put_away(core, alice, d)
    await rows(
        core,
        alice,
        "INSERT INTO memory_edges (tenant_id, id, from_id, to_id, edge_type, created_by, recorded_at)"
        " VALUES (%(tenant_id)s, %(id)s, %(c)s, %(b)s, 'extends', 'system', now())",
        id=new_id(), c=c, b=b,
    )  # fmt: skip
    stale = {superseded: "superseded", archived: "not_live", drawn: "already_recorded", of_the_dead: "not_live",
             stated: "already_recorded"}  # fmt: skip
    for proposal_id in stale:
        if not by_listing:
            with pytest.raises(Conflict):
                await accept(core, alice, proposal_id)
    page = await listed(core, alice)
    assert (page.proposals, page.fact_proposals) == ([], None)
    assert {proposal_id: (await state_of(core, alice, proposal_id)) for proposal_id in stale} == {
        proposal_id: ("rejected", reason) for proposal_id, reason in stale.items()
    }
    await propose_edge(core, alice, c, d, "extends")


async def test_an_accepted_fact_ends_the_generation_before_it(core: Core, alice: Person, clock: Clock) -> None:
    former = await remember(core, alice, content="former", facts=[{**WEIGHT, "value": "95"}])
    clock.now = day(5)
    memory = await remember(core, alice, content="lifted more")
    clock.now = day(6)
    proposal_id = await propose_fact(core, alice, memory.memory.id, value="98")
    answer = await accept(core, alice, proposal_id)
    assert isinstance(answer, FactApplied)
    assert (answer.proposal.fact_id, answer.proposal.status.value) == (answer.fact_id, "applied")
    series = (await facts(core, alice, range={"from": day(1)}, **WEIGHT)).facts
    assert [(fact.value, fact.memory_id) for fact in series] == [
        ("95", former.memory.id),
        ("98", memory.memory.id),
    ]
    assert series[0].valid_to == series[1].valid_from
    assert (series[1].id, series[1].confidence) == (answer.fact_id, 0.5)
    assert (await history(core, alice, memory.memory.id))[-1] == (
        "add_fact",
        {"factId": str(answer.fact_id), "proposalId": str(proposal_id)},
    )
    assert await values(core, alice, as_of={"as_known_at": day(5)}) == ["95"]
    with pytest.raises(NotFound):
        await undo(core, alice, proposal_id)


async def test_a_fact_whose_instant_is_taken_has_no_place(core: Core, alice: Person) -> None:
    await remember(core, alice, facts=[{**WEIGHT, "value": "95", "valid_from": day(3)}])
    memory = await remember(core, alice, content="lifted more")
    proposal_id = await propose_fact(core, alice, memory.memory.id, valid_from=day(3))
    with pytest.raises(Conflict):
        await accept(core, alice, proposal_id)
    assert await state_of(core, alice, proposal_id) == ("proposed", None)
    with pytest.raises(InvalidRequest):
        await accept(core, alice, proposal_id, edge_type="extends")


async def test_an_accepted_edge_is_taken_back_with_all_that_it_closed(core: Core, alice: Person, clock: Clock) -> None:
    newer = await remember(core, alice, content="newer")
    older = await remember(core, alice, content="older", facts=[{**WEIGHT, "value": "98"}])
    clock.now = day(5)
    proposal_id = await propose_edge(core, alice, newer.memory.id, older.memory.id)
    await accept(core, alice, proposal_id)
    clock.now = day(7)
    undone = await undo(core, alice, proposal_id)
    assert (undone.status.value, undone.reason) == ("rejected", "undone")
    reopened = await read(core, alice, older.memory.id)
    assert (reopened.valid_to, reopened.superseded_by) == (None, None)
    assert await values(core, alice) == ["98"]
    assert await values(core, alice, as_of={"as_known_at": day(6)}) == []
    versions = await rows(
        core, alice, "SELECT recorded_to IS NULL AS is_current, valid_to FROM memory_lifetimes"
        " WHERE memory_id = %(id)s ORDER BY version", id=older.memory.id,
    )  # fmt: skip
    assert [(row["is_current"], row["valid_to"] is None) for row in versions] == [
        (False, True), (False, False), (True, True),
    ]  # fmt: skip
    assert [kind for kind, _ in await history(core, alice, older.memory.id)] == ["create", "supersede", "unsupersede"]
    then = await find(core, alice, "older", as_of={"as_known_at": day(6), "valid_at": day(6)})
    assert older.memory.id not in [hit.id for hit in then.hits]
    for again in (undo(core, alice, proposal_id), accept(core, alice, proposal_id)):
        with pytest.raises(NotFound):
            await again
    with pytest.raises(UniqueViolated):
        await propose_edge(core, alice, newer.memory.id, older.memory.id)


async def test_an_edge_is_not_taken_back_once_something_newer_took_over(core: Core, alice: Person) -> None:
    newer, older = await two(core, alice)
    proposal_id = await propose_edge(core, alice, newer, older)
    await accept(core, alice, proposal_id)
    await correct(core, alice, newer, content="the newest")
    with pytest.raises(Conflict):
        await undo(core, alice, proposal_id)
    assert await state_of(core, alice, proposal_id) == ("applied", None)


async def test_an_edge_is_not_taken_back_into_a_duplicate(core: Core, alice: Person) -> None:
    newer, older = await two(core, alice)
    proposal_id = await propose_edge(core, alice, newer, older)
    await accept(core, alice, proposal_id)
    twin = await remember(core, alice, content="older")
    with pytest.raises(Conflict) as refused:
        await undo(core, alice, proposal_id)
    assert refused.value.subject_id == str(twin.memory.id)
    await put_away(core, alice, twin.memory.id)
    await undo(core, alice, proposal_id)
    assert (await read(core, alice, older)).valid_to is None


async def test_two_proposals_cannot_make_a_circle(core: Core, alice: Person) -> None:
    a, b = await two(core, alice)
    c = (await remember(core, alice, content="third")).memory.id
    ring = [await propose_edge(core, alice, *pair) for pair in ((a, b), (b, c), (c, a))]
    assert isinstance(await accept(core, alice, ring[0]), EdgeApplied)
    with pytest.raises(Conflict):
        await accept(core, alice, ring[1])
    assert isinstance(await accept(core, alice, ring[2]), EdgeApplied)
    assert [(await read(core, alice, memory)).valid_to is None for memory in (a, b, c)] == [False, False, True]


async def test_proposals_of_another_tenant_are_unknown(core: Core, alice: Person, bob: Person) -> None:
    newer, older = await two(core, alice)
    edge_id = await propose_edge(core, alice, newer, older)
    fact_id = await propose_fact(core, alice, newer)
    for verb in (accept, reject, undo):
        answers = set()
        for proposal_id in (edge_id, fact_id, new_id()):
            with pytest.raises(NotFound) as refused:
                await verb(core, bob, proposal_id)
            answers.add((str(refused.value), refused.value.field, refused.value.subject_id == str(proposal_id)))
        assert len(answers) == 1
    assert (await listed(core, bob)).proposals == []
    assert (await listed(core, alice)).count == 1


def test_listing_needs_reading_and_deciding_needs_writing() -> None:
    asked = {
        "list": '{"action": "list"}',
        "accept": f'{{"action": "accept", "proposalId": "{new_id()}"}}',
        "reject": f'{{"action": "reject", "proposalId": "{new_id()}"}}',
    }
    needed = {action: required_scope(ReviewProposalsInput.parse(text)) for action, text in asked.items()}
    assert needed == {"list": "memory:read", "accept": "memory:write", "reject": "memory:write"}
