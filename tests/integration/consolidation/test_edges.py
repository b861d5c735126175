"""Edges that consolidation proposes: which, between what, how often, and that it does nothing else."""

import asyncio

import pytest

from tests.integration.consolidation.consolidating import proposed, run, start_over, texts, write_all
from tests.integration.core.proposing import accept, listed, reject, undo
from tests.integration.core.writing import put_away, read, rows
from tests.people import Person
from threengram.core.call import Core
from threengram.core.consolidation.examine import examine
from threengram.schema.enums import EdgeType

OLD, NEW = "The checkout timeout is 20 seconds.", "The checkout timeout is 45 seconds."


async def test_a_newer_value_is_proposed_and_nothing_is_changed(core: Core, alice: Person) -> None:
    older, newer = await write_all(core, alice, OLD, NEW)
    before = await texts(core, alice)
    done = await run(core, alice)
    assert (done.scanned, done.proposed) == (2, 1)
    (proposal,) = (await listed(core, alice)).proposals
    assert (proposal.from_id, proposal.to_id, proposal.edge_type) == (newer, older, EdgeType.SUPERSEDES)
    assert proposal.rationale is not None
    assert proposal.rationale.startswith("one value differs; cosine 0.")
    assert await texts(core, alice) == before
    await accept(core, alice, proposal.id)
    successor = (await read(core, alice, older)).superseded_by
    assert successor is not None
    assert successor.id == newer


async def test_the_rule_and_its_confidence_are_on_record(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, NEW)
    await run(core, alice)
    (row,) = await rows(core, alice, "SELECT proposal_rule, confidence FROM consolidation_proposals")
    assert (row["proposal_rule"], round(row["confidence"], 2)) == ("value", 0.9)


@pytest.mark.parametrize(
    "contents",
    [
        ("Anna earns 4200 EUR a month.", "Ben earns 4600 EUR a month."),
        ("The staging database has 40 GB.", "The production database has 900 GB."),
        ("Rent in the Hamburg flat is 900 EUR.", "Rent in the Munich flat is 1400 EUR."),
        ("In April 41 people attended the meetup.", "In May 53 people attended the meetup."),
        ("Atlas stores its data in MySQL.", "Borealis stores its data in PostgreSQL."),
        ("Version 1 of the client retries 3 times.", "Version 2 of the client retries 5 times."),
    ],
)
async def test_what_only_looks_alike_is_not_proposed(core: Core, alice: Person, contents: tuple[str, str]) -> None:
    await write_all(core, alice, *contents)
    done = await run(core, alice)
    assert (done.pairs, await proposed(core, alice)) == (1, [])


async def test_another_scope_or_project_is_another_world(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, scope="work")
    await write_all(core, alice, NEW, scope="personal")
    await write_all(core, alice, OLD, scope="work", project="atlas")
    await write_all(core, alice, NEW, scope="work", project="borealis")
    assert (await run(core, alice)).pairs == 0


async def test_another_tenant_is_another_world(core: Core, alice: Person, bob: Person) -> None:
    await write_all(core, alice, OLD)
    await write_all(core, bob, NEW)
    assert ((await run(core, alice)).pairs, (await run(core, bob)).pairs) == (0, 0)


async def test_an_event_is_only_ever_extended(core: Core, alice: Person) -> None:
    await write_all(
        core, alice, "Parcel from Leeds arrived.", "Parcel from Leeds arrived at 10:00.",
        "Parcel from Leeds arrived at 15:00.", memory_type="event", topic="parcels",
    )  # fmt: skip
    await run(core, alice)
    assert {edge for _, _, edge in await proposed(core, alice)} == {"extends"}


async def test_preferences_that_both_hold_are_left_alone(core: Core, alice: Person) -> None:
    await write_all(core, alice, "Prefers British spelling.", "Prefers short paragraphs.", memory_type="preference")
    await run(core, alice)
    assert await proposed(core, alice) == []


async def test_a_rejected_pair_is_never_proposed_again(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, NEW)
    await run(core, alice)
    (proposal,) = (await listed(core, alice)).proposals
    await reject(core, alice, proposal.id)
    for _ in range(3):
        await start_over(core, alice)
        assert (await run(core, alice)).proposed == 0
    assert await proposed(core, alice) == []


async def test_an_accepted_and_undone_pair_is_never_proposed_again(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, NEW)
    await run(core, alice)
    (proposal,) = (await listed(core, alice)).proposals
    await accept(core, alice, proposal.id)
    await undo(core, alice, proposal.id)
    await start_over(core, alice)
    assert (await run(core, alice)).proposed == 0


async def test_of_several_newer_values_only_the_newest_takes_over(core: Core, alice: Person) -> None:
    last = "The checkout timeout is 90 seconds."
    await write_all(core, alice, OLD, NEW, last)
    await run(core, alice)
    assert await proposed(core, alice) == [(last, OLD, "supersedes"), (last, NEW, "supersedes")]


async def test_what_is_no_longer_live_is_not_compared(core: Core, alice: Person) -> None:
    older, _ = await write_all(core, alice, OLD, NEW)
    await put_away(core, alice, older)
    assert (await run(core, alice)).pairs == 0


async def test_runs_at_once_propose_once(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, NEW)
    done = await asyncio.gather(*(examine(core.database, alice.principal, now=core.clock()) for _ in range(4)))
    assert sum(one.proposed for one in done) == 1
    assert len(await proposed(core, alice)) == 1


async def test_the_same_facts_in_another_language_are_compared_too(core: Core, alice: Person) -> None:
    old, new = "Der Teich ist 120 cm tief.", "Der Teich ist 1,5 m tief."
    await write_all(core, alice, old, new, topic="Teich")
    await run(core, alice)
    assert await proposed(core, alice) == [(new, old, "supersedes")]
