"""What a person looks at: lists, names in use, the history of one memory, counts."""

from collections import Counter
from uuid import UUID

import pytest

from tests.conftest import Clock
from tests.integration.core.proposing import accept, propose_edge, undo
from tests.integration.core.registry import configure
from tests.integration.core.writing import correct, day, put_away, rows, settle, write
from tests.people import Person
from threengram.core.browse import history, list_facets, list_memories, memory_details, names_in_use
from threengram.core.browse.facets import Facet
from threengram.core.call import Core, open_call
from threengram.core.environment import describe_environment, stats
from threengram.core.errors import InvalidCursor, NotFound
from threengram.core.ids import new_id
from threengram.schema.browse import (
    HistoryInput,
    HistoryOutput,
    ListFacetsInput,
    ListFacetsOutput,
    ListMemoriesInput,
    ListMemoriesOutput,
    MemoryDetailsInput,
    MemoryDetailsOutput,
    StatsInput,
)
from threengram.schema.memories import NewFact


async def listing(core: Core, person: Person, **fields: object) -> ListMemoriesOutput:
    async with open_call(core, person.principal) as call:
        return await list_memories(call, ListMemoriesInput.model_validate(fields, strict=False))


async def topics(core: Core, person: Person, **fields: object) -> list[str]:
    return [memory.topic for memory in (await listing(core, person, **fields)).memories]


async def facets(core: Core, person: Person, prefix: str = "") -> ListFacetsOutput:
    async with open_call(core, person.principal) as call:
        return await list_facets(call, ListFacetsInput(prefix=prefix))


async def life_of(core: Core, person: Person, memory_id: UUID) -> HistoryOutput:
    async with open_call(core, person.principal) as call:
        return await history(call, HistoryInput(id=memory_id))


async def test_a_list_shows_what_is_in_use_and_the_rest_on_request(core: Core, alice: Person) -> None:
    for name in ("live", "revised", "archived"):
        written = await write(core, alice, topic=name, content=name)
        if name == "revised":
            await correct(core, alice, written.memory.id, topic="revision", content="revision")
        if name == "archived":
            await put_away(core, alice, written.memory.id)
    blocker = await write(core, alice, topic="settled", content="settled", memory_type="blocker")
    await settle(core, alice, blocker.memory.id)
    assert await topics(core, alice) == ["revision", "live"]
    assert await topics(core, alice, status="archived") == ["settled", "archived"]
    assert await topics(core, alice, status="superseded") == ["revised"]
    everything = (await listing(core, alice, status="all")).memories
    assert {memory.topic: memory.state.value for memory in everything} == {
        "live": "current", "revised": "superseded", "revision": "current", "archived": "archived",
        "settled": "historical",
    }  # fmt: skip


async def test_a_list_is_filtered(core: Core, alice: Person, clock: Clock) -> None:
    await write(core, alice, topic="a", content="a", project="atlas", tags=["x", "y"])
    clock.now = day(5)
    await write(core, alice, topic="b", content="b", project="borealis", scope="work")
    promise = await write(core, alice, topic="c", content="c", memory_type="commitment", tags=["x"])
    assert await topics(core, alice, project=["atlas", "borealis"]) == ["b", "a"]
    assert await topics(core, alice, project="borealis") == ["b"]
    assert await topics(core, alice, scope="work") == ["b"]
    assert await topics(core, alice, tag="x") == ["c", "a"]
    assert await topics(core, alice, memory_types=["commitment", "decision"]) == ["c"]
    assert await topics(core, alice, recorded_before=day(4)) == ["a"]
    assert await topics(core, alice, recorded_after=day(4)) == ["c", "b"]
    await configure(core, alice, "rename", name="work", newName="job")
    assert await topics(core, alice, scope="work") == ["b"]
    (shown,) = (await listing(core, alice, tag="x", memory_types="commitment")).memories
    assert (shown.id, shown.commitment_status) == (promise.memory.id, "open")


async def test_a_walk_neither_repeats_nor_skips_while_others_write(core: Core, alice: Person) -> None:
    ids = [(await write(core, alice, content=f"memory {n}")).memory.id for n in range(9)]
    seen: list[UUID] = []
    cursor = None
    while True:
        page = await listing(core, alice, limit=2, cursor=cursor)
        assert page.has_more is (page.next_cursor is not None)
        seen += [memory.id for memory in page.memories]
        cursor = page.next_cursor
        if cursor is None:
            break
        await write(core, alice, content=f"new after {len(seen)}")
        await correct(core, alice, seen[-1], content=f"revised after {len(seen)}")
    assert seen == ids[::-1]
    first = await listing(core, alice, limit=2)
    with pytest.raises(InvalidCursor):
        await listing(core, alice, limit=2, status="all", cursor=first.next_cursor)


async def test_names_in_use_are_those_of_live_memories(core: Core, alice: Person) -> None:
    for number, name in enumerate(("Atlas", "atlantis", "Borealis", None)):
        await write(core, alice, content=f"memory {number}", project=name, scope="work" if name else "personal")
    gone = await write(core, alice, content="gone", project="Closed", scope="closed")
    await put_away(core, alice, gone.memory.id)
    shown = await facets(core, alice)
    assert (shown.scopes, sorted(shown.projects)) == (["personal", "work"], ["Atlas", "Borealis", "atlantis"])
    assert (shown.total_scopes, shown.total_projects, shown.has_more) == (2, 3, False)
    assert sorted((await facets(core, alice, "AT")).projects) == ["Atlas", "atlantis"]
    assert (await facets(core, alice, "%")).projects == []


async def test_more_names_than_are_shown_are_counted(core: Core, alice: Person) -> None:
    await rows(
        core,
        alice,
        "WITH planted AS (INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content,"
        " content_chars, content_hash, scope, project, valid_from, recorded_at, touched_at)"
        " SELECT %(tenant_id)s, gen_random_uuid(), -n, %(user_id)s, 'note', 't', 'c', 1, int8send(n), 'personal',"
        " 'project ' || mod(n, 130), now(), now(), now() FROM generate_series(1::bigint, 400) n RETURNING 1)"
        " SELECT count(*) FROM planted",
        user_id=alice.principal.user_id,
    )
    async with open_call(core, alice.principal) as call:
        names = await names_in_use(call, Facet.PROJECT, "PRO")
    assert (len(names.values), names.total, names.has_more) == (100, 130, True)
    assert names.values == sorted(names.values)


async def test_a_history_shows_the_chain_the_events_and_the_versions(core: Core, alice: Person, clock: Clock) -> None:
    first = (await write(core, alice, content="first")).memory.id
    clock.now = day(4)
    second = (await correct(core, alice, first, content="second")).memory.id
    third = (await correct(core, alice, second, content="third", edge_intent="updates")).memory.id
    extra = (await write(core, alice, content="extra")).memory.id
    await accept(core, alice, await propose_edge(core, alice, extra, third, "extends"))
    shown = await life_of(core, alice, second)
    assert (shown.memory.id, shown.memory.state.value) == (second, "superseded")
    assert {node.id: node.distance for node in shown.lineage.nodes} == {second: 0, first: 1, third: 1, extra: 2}
    assert Counter((edge.from_id, edge.to_id, edge.edge_type.value) for edge in shown.lineage.edges) == Counter(
        [(second, first, "supersedes"), (third, second, "updates"), (extra, third, "extends")]
    )
    assert [(item.id, item.edge_type) for item in shown.direct_relationships.predecessors] == [(first, "supersedes")]
    assert [(item.id, item.edge_type) for item in shown.direct_relationships.successors] == [(third, "updates")]
    assert Counter(event.event_kind.value for event in shown.audit_events) == Counter(["supersede", "create"])
    assert [(version.version, version.recorded_to is None) for version in shown.lifetimes] == [(2, True), (1, False)]
    assert (shown.lineage.truncated, shown.events_truncated, shown.lifetimes_truncated) == (False, False, False)
    assert shown.audit_events[0].details == {"successorId": str(third), "edgeType": "updates"}


async def test_a_long_and_a_wide_lineage_is_cut_and_says_so(core: Core, alice: Person) -> None:
    hub = (await write(core, alice, content="hub")).memory.id
    chain = [hub]
    for number in range(30):
        chain.append((await correct(core, alice, chain[-1], content=f"version {number}")).memory.id)
    middle = await life_of(core, alice, chain[15])
    assert (len(middle.lineage.nodes), middle.lineage.truncated) == (25, True)
    assert {node.id for node in middle.lineage.nodes} == set(chain[3:28])
    assert len(middle.lineage.edges) == 24
    await rows(
        core,
        alice,
        "WITH planted AS (INSERT INTO memory_edges (tenant_id, id, from_id, to_id, edge_type, created_by, recorded_at)"
        " SELECT tenant_id, gen_random_uuid(), %(hub)s, id, kind, 'system', now()"
        " FROM memories, unnest(ARRAY['extends', 'derives']) kind WHERE id <> %(hub)s RETURNING 1) SELECT 1",
        hub=hub,
    )
    wide = await life_of(core, alice, hub)
    assert (len(wide.lineage.nodes), len(wide.lineage.edges), wide.lineage.truncated) == (25, 50, True)
    assert (len(wide.direct_relationships.predecessors), wide.direct_relationships.truncated) == (50, True)


async def test_events_and_versions_beyond_the_bound_are_left_out_newest_kept(core: Core, alice: Person) -> None:
    newer = (await write(core, alice, content="newer")).memory.id
    older = (await write(core, alice, content="older")).memory.id
    for _ in range(30):
        proposal_id = await propose_edge(core, alice, newer, older)
        await accept(core, alice, proposal_id)
        await undo(core, alice, proposal_id)
        await rows(
            core, alice, "UPDATE consolidation_proposals SET reason = 'not_live' WHERE id = %(id)s", id=proposal_id
        )
    shown = await life_of(core, alice, older)
    assert (len(shown.audit_events), shown.events_truncated) == (50, True)
    assert (len(shown.lifetimes), shown.lifetimes_truncated, shown.lifetimes[0].version) == (50, True, 61)
    assert (shown.lineage.edges, shown.audit_events[0].event_kind.value) == ([], "unsupersede")


async def test_unknown_and_foreign_memories_have_no_history_and_no_place_in_a_list(
    core: Core, alice: Person, bob: Person
) -> None:
    hers = await write(core, alice, project="atlas", scope="hidden")
    answers = set()
    for memory_id in (hers.memory.id, new_id()):
        with pytest.raises(NotFound) as refused:
            await life_of(core, bob, memory_id)
        answers.add((str(refused.value), refused.value.subject_id == str(memory_id)))
    assert answers == {("no such memory", True)}
    assert (await listing(core, bob, status="all")).memories == []
    names = await facets(core, bob)
    assert (names.scopes, names.projects) == ([], [])
    page = await listing(core, alice, limit=1)
    assert page.count == 1


async def test_a_cursor_of_another_tenant_is_no_cursor(core: Core, alice: Person, bob: Person) -> None:
    for person in (alice, bob):
        for number in range(3):
            await write(core, person, content=f"memory {number}")
    hers = await listing(core, alice, limit=1)
    with pytest.raises(InvalidCursor):
        await listing(core, bob, limit=1, cursor=hers.next_cursor)


async def test_the_counts_are_those_of_the_environment(core: Core, alice: Person) -> None:
    await write(core, alice, facts=[{"subject": "s", "predicate": "p", "value": "v"}])
    async with open_call(core, alice.principal) as call:
        counts = await stats(call, StatsInput())
    async with open_call(core, alice.principal) as call:
        described = await describe_environment(call, tools=[], version="1")
    assert counts == described.stats
    assert (counts.active_memories, counts.open_facts) == (1, 1)


async def test_details_are_the_facts_and_the_commitment_of_one_memory(core: Core, alice: Person, bob: Person) -> None:
    facts = [NewFact(subject="ledger", predicate=f"p{number}", value="1") for number in range(3)]
    written = await write(core, alice, memory_type="commitment", facts=facts, due_at=day(5), owner="Olga")
    async with open_call(core, alice.principal) as call:
        details = await memory_details(call, MemoryDetailsInput(id=written.memory.id))
    assert [fact.predicate for fact in details.facts] == ["p0", "p1", "p2"]
    assert details.commitment is not None
    assert (details.commitment.id, details.commitment.owner) == (written.commitment_id, "Olga")
    plain = await write(core, alice, content="plain")
    async with open_call(core, alice.principal) as call:
        nothing = await memory_details(call, MemoryDetailsInput(id=plain.memory.id))
    assert nothing == MemoryDetailsOutput(facts=[], facts_truncated=False, commitment=None)
    for person, memory_id in ((bob, written.memory.id), (alice, new_id())):
        with pytest.raises(NotFound):
            async with open_call(core, person.principal) as call:
                await memory_details(call, MemoryDetailsInput(id=memory_id))
