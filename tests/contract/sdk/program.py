"""A program as somebody writes it who uses the SDK: every method, typed. It is run, and checked by mypy.

Each `type: ignore` stands where the type checker has to object; one that it did not need would be an error too.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import assert_type
from uuid import UUID

from threengram.schema.briefing import BriefingOutput
from threengram.schema.browse import ListedMemory
from threengram.schema.export import ExportedMemory, ExportEnds, ExportRecord
from threengram.schema.facts import GetFactsOutput
from threengram.schema.memories import Fact, RememberOutput
from threengram.schema.proposals import EdgeApplied, EdgeProposal, FactApplied, FactProposal
from threengram.schema.scopes import ScopeUpserted
from threengram.schema.search import Hit
from threengram.sdk import (
    AccessDenied,
    AsOf,
    AsyncThreengram,
    CommitmentStatus,
    FactRange,
    MemoryType,
    NewFact,
    NotFound,
    RetrievalMode,
    Selector,
    SelectorKind,
    Threengram,
    Unauthenticated,
)

NOBODY = UUID("0190d3a8-7c2e-7000-8000-000000000000")


def live(memory: Threengram) -> None:
    """Every method once or more, on an empty memory."""
    write(memory)
    read(memory)
    arrange(memory)
    review(memory)
    work(memory)
    leave(memory)


def write(memory: Threengram) -> None:
    weight = NewFact(subject="lift.squat", predicate="top_set.weight_kg", value="98")
    written = memory.remember(
        memory_type=MemoryType.FACT, topic="Squat", content="Squatted 98 kg.", facts=[weight], project="gym"
    )
    assert_type(written, RememberOutput)
    revised = memory.revise(
        predecessor_id=written.memory.id, memory_type=MemoryType.FACT, topic="Squat", content="Squatted 99 kg."
    )
    assert revised.predecessor_id == written.memory.id
    memory.archive(memory_id=revised.memory.id)
    memory.unarchive(memory_id=revised.memory.id)
    promise = memory.remember(
        memory_type=MemoryType.COMMITMENT, topic="Report", content="I send the report.", due_at=datetime.now(UTC)
    )
    settled = memory.resolve(memory_id=promise.memory.id, status=CommitmentStatus.RESOLVED)
    assert settled.status is CommitmentStatus.RESOLVED


def leave(memory: Threengram) -> None:
    """The account as a whole, last of all."""
    records = list(memory.export())
    assert_type(records, list[ExportRecord])
    assert isinstance(records[-1], ExportEnds)
    assert sum(records[-1].counts.values()) == len(records)
    assert [record.topic for record in records if isinstance(record, ExportedMemory)][:2] == ["Squat", "Squat"]
    assert memory.delete_account(confirm=True).deleted
    with suppress(Unauthenticated, AccessDenied):
        memory.version()
        raise AssertionError("the account is open")


def read(memory: Threengram) -> None:
    hits = memory.search(query="squat").hits
    assert_type(hits, list[Hit])
    assert_type(memory.iter_hits(query="squat"), Iterator[Hit])
    assert {hit.id for hit in memory.iter_hits(query="squat", limit=1)} >= {hits[0].id}
    yesterday = datetime.now(UTC) - timedelta(days=1)
    assert memory.search(query="squat", as_of=AsOf(as_known_at=yesterday)).count == 0
    facts = memory.get_facts(range=FactRange(from_=yesterday))
    assert_type(facts, GetFactsOutput)
    assert_type(memory.iter_facts(), Iterator[Fact])
    assert [fact.value for fact in memory.iter_facts(range=FactRange(from_=yesterday))] == ["98"]
    assert_type(memory.briefing(selector=Selector(kind=SelectorKind.ALL)), BriefingOutput)
    assert memory.handoff(selector=Selector(kind=SelectorKind.ALL)).counts.facts == 0
    assert memory.get_memories(ids=[hits[0].id, NOBODY]).not_found == [NOBODY]
    assert memory.get_memory(id=hits[0].id).content == "Squatted 99 kg."
    assert len(memory.history(id=hits[0].id).lineage.edges) == 1
    assert memory.list_memories(limit=1).has_more
    assert_type(memory.iter_memories(), Iterator[ListedMemory])
    assert len(list(memory.iter_memories(limit=1))) == memory.stats().active_memories == 2
    assert memory.list_facets(prefix="g").projects == ["gym"]


def arrange(memory: Threengram) -> None:
    assert_type(memory.create_scope(name="sport"), ScopeUpserted)
    memory.set_mapping(project="gym", scope="sport")
    memory.set_aliases(name="sport", aliases=["exercise"])
    renamed = memory.rename_scope(name="sport", new_name="training").scope
    assert (renamed.aliases, renamed.projects) == (["exercise", "sport"], ["gym"])
    memory.set_retrieval_default(mode=RetrievalMode.OFF)
    assert "training" in [scope.name for scope in memory.list_scopes().scopes]
    assert memory.delete_scope(name="training").name == "training"


def review(memory: Threengram) -> None:
    assert memory.list_proposals().count == 0
    assert_type(memory.iter_proposals(), Iterator[EdgeProposal | FactProposal])
    for decide in (memory.accept_proposal, memory.reject_proposal, memory.undo_proposal):
        with suppress(NotFound):
            decide(proposal_id=NOBODY)
    assert memory.switch_consolidation(enabled=False) == memory.get_consolidation()


def work(memory: Threengram) -> None:
    run = memory.open_session(agent="a-program", session_key="1", project="gym")
    assert memory.heartbeat_session(agent="a-program", session_key="1").session_run_id == run.session_run_id
    memory.remember(memory_type=MemoryType.NOTE, topic="Run", content="In a run.", session_run_id=run.session_run_id)
    assert memory.session_events(id=run.session_run_id).count == 1
    assert len(list(memory.iter_session_events(id=run.session_run_id))) == 1
    assert not memory.close_session(agent="a-program", session_key="1").already_closed
    assert memory.within(10.0).describe_environment().capabilities.version == memory.version().version


async def awaited(memory: AsyncThreengram) -> None:
    assert_type(await memory.remember(memory_type=MemoryType.NOTE, topic="t", content="c"), RememberOutput)
    async for listed in memory.iter_memories(limit=1):
        assert_type(listed, ListedMemory)


def mistakes(memory: Threengram, accepted: EdgeApplied | FactApplied) -> None:
    """What a type checker finds before anybody runs it."""
    memory.remember(memory_type=MemoryType.NOTE, topic="t")  # type: ignore[call-arg]
    memory.remember(memory_type="note", topic="t", content="c")  # type: ignore[arg-type]
    memory.search(query="q", scop="work")  # type: ignore[call-arg]
    memory.search("q")  # type: ignore[call-arg]
    memory.create_scope(action="create", name="n")  # type: ignore[call-arg]
    memory.delete_account(confirm=False)  # type: ignore[arg-type]
    memory.forget(id=NOBODY)  # type: ignore[attr-defined]
    print(accepted.fact_id)  # type: ignore[union-attr]
