"""Several reviewers, revisions and withdrawals at once: one winner, nothing half done."""

import asyncio
from collections import Counter
from uuid import UUID

import pytest

from tests.integration.core.proposing import accept, listed, propose_edge, propose_fact, reject, undo
from tests.integration.core.registry import configure
from tests.integration.core.writing import correct, put_away, rows, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import Conflict, NotFound


async def pair(core: Core, person: Person, name: str = "") -> tuple[UUID, UUID]:
    """A newer and an older memory."""
    older = await write(core, person, content=f"older {name}")
    newer = await write(core, person, content=f"newer {name}")
    return newer.memory.id, older.memory.id


async def chains_hold(core: Core, person: Person) -> None:
    """A memory is closed exactly when a standing edge closes it, and every lifetime has one current version."""
    broken = await rows(
        core,
        person,
        "SELECT m.id FROM memories m WHERE (m.valid_to IS NOT NULL) <> EXISTS ("
        " SELECT FROM memory_edges e WHERE e.to_id = m.id AND e.retracted_at IS NULL"
        " AND e.edge_type IN ('supersedes', 'updates'))"
        " OR (SELECT count(*) FROM memory_lifetimes l WHERE l.memory_id = m.id AND l.recorded_to IS NULL) <> 1",
    )
    assert broken == []


@pytest.mark.parametrize("kind", ["edge", "fact"])
async def test_a_proposal_decided_by_many_has_one_winner(core: Core, alice: Person, kind: str) -> None:
    newer, older = await pair(core, alice)
    proposal_id = (
        await propose_edge(core, alice, newer, older) if kind == "edge" else await propose_fact(core, alice, newer)
    )
    outcomes = await asyncio.gather(
        *((accept if number % 2 else reject)(core, alice, proposal_id) for number in range(12)),
        *(listed(core, alice) for _ in range(4)),
        return_exceptions=True,
    )
    decided = outcomes[:12]
    assert Counter(isinstance(outcome, NotFound) for outcome in decided) == {True: 11, False: 1}
    assert [outcome for outcome in outcomes[12:] if isinstance(outcome, BaseException)] == []
    edges = await rows(core, alice, "SELECT id FROM memory_edges")
    facts = await rows(core, alice, "SELECT id FROM facts")
    (winner,) = (outcome for outcome in decided if not isinstance(outcome, BaseException))
    assert len(edges) + len(facts) == int(winner.action.startswith("applied"))
    await chains_hold(core, alice)


async def test_accepting_and_revising_one_predecessor_gives_it_one_successor(core: Core, alice: Person) -> None:
    for number in range(8):
        newer, older = await pair(core, alice, str(number))
        proposal_id = await propose_edge(core, alice, newer, older)
        outcomes = await asyncio.gather(
            accept(core, alice, proposal_id),
            correct(core, alice, older, content=f"revised {number}"),
            correct(core, alice, newer, content=f"overtaken {number}"),
            return_exceptions=True,
        )
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        assert all(isinstance(failure, Conflict) for failure in failures)
        assert any(not isinstance(outcome, BaseException) for outcome in outcomes[:2])
    await chains_hold(core, alice)


async def test_accepting_revising_withdrawing_and_renaming_at_once_leave_whole_chains(
    core: Core, alice: Person
) -> None:
    ends = [await pair(core, alice, str(number)) for number in range(6)]
    accepted = [await propose_edge(core, alice, *end) for end in ends]
    crossed = [await propose_edge(core, alice, ends[n][0], ends[(n + 1) % 6][0]) for n in range(6)]
    for proposal_id in accepted:
        await accept(core, alice, proposal_id)
    outcomes = await asyncio.gather(
        *(undo(core, alice, proposal_id) for proposal_id in accepted for _ in range(2)),
        *(accept(core, alice, proposal_id) for proposal_id in crossed),
        *(correct(core, alice, newer, content=f"newest {newer}") for newer, _ in ends[:3]),
        *(put_away(core, alice, newer) for newer, _ in ends[3:4]),
        *(configure(core, alice, "rename", name="personal", newName=f"name-{n}") for n in range(1)),
        *(listed(core, alice) for _ in range(3)),
        return_exceptions=True,
    )
    failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert all(isinstance(failure, Conflict | NotFound) for failure in failures)
    await chains_hold(core, alice)
    applied = await rows(
        core,
        alice,
        "SELECT p.status, e.retracted_at FROM consolidation_proposals p JOIN memory_edges e ON e.id = p.edge_id",
    )
    assert all((row["status"] == "applied") is (row["retracted_at"] is None) for row in applied)


async def test_two_circular_accepts_at_once_never_close_a_circle(core: Core, alice: Person) -> None:
    for number in range(6):
        a, b = await pair(core, alice, str(number))
        c = (await write(core, alice, content=f"third {number}")).memory.id
        ring = [await propose_edge(core, alice, *ends) for ends in ((a, b), (b, c), (c, a))]
        await asyncio.gather(*(accept(core, alice, proposal_id) for proposal_id in ring), return_exceptions=True)
        live = await rows(
            core, alice, "SELECT id FROM memories WHERE id = ANY(%(ids)s) AND valid_to IS NULL", ids=[a, b, c]
        )
        assert len(live) >= 1
    await chains_hold(core, alice)
