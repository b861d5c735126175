"""Runs of agents: leases, epochs, and which run a write belongs to."""

import asyncio
from uuid import UUID

import pytest

from tests.conftest import Clock
from tests.integration.core.writing import bring_back, correct, put_away, rows, settle, write
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.errors import Conflict, InvalidCursor, InvalidRequest, NotFound
from threengram.core.ids import new_id
from threengram.core.sessions import close_session, heartbeat_session, list_session_events, open_session
from threengram.schema.sessions import (
    OpenSessionInput,
    SessionAlive,
    SessionClosed,
    SessionEvents,
    SessionEventsInput,
    SessionInput,
    SessionOpened,
)

KEY = {"agent": "claude-code", "session_key": "run 1"}


async def begin(core: Core, person: Person, **fields: object) -> SessionOpened:
    async with open_call(core, person.principal) as call:
        return await open_session(call, OpenSessionInput.model_validate({**KEY, **fields}, strict=False))


async def beat(core: Core, person: Person, **fields: object) -> SessionAlive:
    async with open_call(core, person.principal) as call:
        return await heartbeat_session(call, SessionInput.model_validate({**KEY, **fields}))


async def end(core: Core, person: Person, **fields: object) -> SessionClosed:
    async with open_call(core, person.principal) as call:
        return await close_session(call, SessionInput.model_validate({**KEY, **fields}))


async def events(core: Core, person: Person, run_id: UUID, **fields: object) -> SessionEvents:
    async with open_call(core, person.principal) as call:
        return await list_session_events(call, SessionEventsInput.model_validate({"id": run_id, **fields}))


async def written_in(core: Core, person: Person, run_id: UUID) -> list[tuple[UUID, str]]:
    return [(item.memory_id, item.event_kind.value) for item in (await events(core, person, run_id)).items]


async def test_a_run_is_opened_once_and_goes_on(core: Core, alice: Person, clock: Clock) -> None:
    first = await begin(core, alice, project="atlas")
    clock.advance(hours=1)
    again = await begin(core, alice, project="atlas")
    resumed = await begin(core, alice, source="resume")
    assert (first.created, again.created, resumed.created) == (True, False, False)
    assert {first.session_run_id} == {again.session_run_id, resumed.session_run_id}
    assert [run.activation_epoch for run in (first, again, resumed)] == [1, 1, 2]
    assert (resumed.project, resumed.opened_at) == ("atlas", first.opened_at)
    assert resumed.last_seen_at > first.last_seen_at


async def test_a_live_run_is_not_started_with_another_project(core: Core, alice: Person, clock: Clock) -> None:
    first = await begin(core, alice, project="atlas")
    with pytest.raises(Conflict) as refused:
        await begin(core, alice, project="other")
    assert refused.value.subject_id == str(first.session_run_id)
    clock.advance(hours=25)
    later = await begin(core, alice, project="other")
    assert (later.session_run_id, later.reopened, later.activation_epoch) == (first.session_run_id, True, 2)


async def test_a_scope_is_kept_under_its_registered_name(core: Core, alice: Person) -> None:
    assert (await begin(core, alice, scope="work")).scope == "work"


async def test_a_sign_of_life_brings_back_a_closed_and_a_stale_run(core: Core, alice: Person, clock: Clock) -> None:
    await begin(core, alice)
    assert (await beat(core, alice)).resurrected is False
    clock.advance(hours=24)
    stale = await beat(core, alice)
    closed = await end(core, alice)
    clock.advance(hours=1)
    repeated = await end(core, alice)
    back = await beat(core, alice)
    assert (stale.resurrected, stale.activation_epoch) == (True, 2)
    assert (closed.already_closed, repeated.already_closed) == (False, True)
    assert repeated.closed_at == closed.closed_at
    assert (back.resurrected, back.activation_epoch) == (True, 3)


async def test_every_kind_of_write_is_attributed_to_the_run_it_names(core: Core, alice: Person) -> None:
    run_id = (await begin(core, alice)).session_run_id
    await begin(core, alice, session_key="run 2")
    note = await write(core, alice, session_run_id=run_id, facts=[{"subject": "s", "predicate": "p", "value": "v"}])
    promise = await write(core, alice, content="a promise", memory_type="commitment", session_run_id=run_id)
    await settle(core, alice, promise.memory.id, session_run_id=run_id)
    successor = await correct(core, alice, promise.memory.id, session_run_id=run_id)
    assert sorted(await written_in(core, alice, run_id)) == sorted(
        [
            (note.memory.id, "create"),
            (promise.memory.id, "create"),
            (promise.memory.id, "resolve"),
            (promise.memory.id, "supersede"),
            (successor.memory.id, "create"),
        ]
    )


async def test_a_write_without_a_name_belongs_to_the_only_run_of_its_project(
    core: Core, alice: Person, clock: Clock
) -> None:
    atlas = (await begin(core, alice, project="atlas")).session_run_id
    bare = (await begin(core, alice, session_key="no project")).session_run_id
    note = await write(core, alice, project="atlas")
    loose = await write(core, alice)
    await write(core, alice, project="elsewhere")
    await put_away(core, alice, note.memory.id)
    await bring_back(core, alice, note.memory.id)
    successor = await correct(core, alice, note.memory.id)
    await begin(core, alice, session_key="a second one", project="atlas")
    await write(core, alice, content="which of the two?", project="atlas")
    kinds = [kind for _, kind in await written_in(core, alice, atlas)]
    assert sorted(kinds) == ["archive", "create", "create", "supersede", "unarchive"]
    assert await written_in(core, alice, bare) == [(loose.memory.id, "create")]
    clock.advance(hours=25)
    await write(core, alice, content="after the lease", project="atlas")
    assert len(await written_in(core, alice, atlas)) == 5
    assert successor.memory.project == "atlas"


async def test_a_closed_run_gets_nothing_and_a_stale_one_comes_back_once(
    core: Core, alice: Person, clock: Clock
) -> None:
    run_id = (await begin(core, alice)).session_run_id
    await end(core, alice)
    await write(core, alice, session_run_id=run_id)
    assert await written_in(core, alice, run_id) == []
    await beat(core, alice)
    clock.advance(hours=30)
    await asyncio.gather(*(write(core, alice, content=f"note {n}", session_run_id=run_id) for n in range(6)))
    assert len(await written_in(core, alice, run_id)) == 6
    (stored,) = await rows(core, alice, "SELECT activation_epoch, last_seen_at FROM agent_sessions")
    assert (stored["activation_epoch"], stored["last_seen_at"] > clock.now.replace(microsecond=0)) == (3, True)


async def test_writes_and_changes_of_runs_at_once_do_not_lock_each_other_out(core: Core, alice: Person) -> None:
    run_id = (await begin(core, alice)).session_run_id
    note = await write(core, alice)

    async def revise_or_lose(number: int) -> None:
        try:
            await correct(core, alice, note.memory.id, content=f"version {number}", session_run_id=run_id)
        except Conflict:
            assert number >= 0

    await asyncio.gather(
        *(write(core, alice, content=f"note {n}") for n in range(8)),
        *(revise_or_lose(n) for n in range(4)),
        *(beat(core, alice) for _ in range(4)),
        end(core, alice),
        *(begin(core, alice, source="resume") for _ in range(3)),
    )
    (stored,) = await rows(core, alice, "SELECT count(*) AS count FROM agent_sessions")
    assert stored["count"] == 1


async def test_the_events_of_a_run_are_paged_oldest_first(core: Core, alice: Person) -> None:
    run_id = (await begin(core, alice)).session_run_id
    ids = [(await write(core, alice, content=f"note {n}")).memory.id for n in range(5)]
    seen: list[UUID] = []
    cursor = None
    while True:
        page = await events(core, alice, run_id, limit=2, cursor=cursor)
        seen += [item.memory_id for item in page.items]
        assert page.count == len(page.items) <= 2
        assert page.has_more is (page.next_cursor is not None)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ids
    other = (await begin(core, alice, session_key="run 2")).session_run_id
    first = await events(core, alice, run_id, limit=2)
    with pytest.raises(InvalidCursor):
        await events(core, alice, other, cursor=first.next_cursor)


async def test_runs_of_another_tenant_are_unknown(core: Core, alice: Person, bob: Person) -> None:
    run_id = (await begin(core, alice)).session_run_id
    for verb in (beat, end):
        with pytest.raises(NotFound):
            await verb(core, bob)
    answers = []
    for unknown in (run_id, new_id()):
        with pytest.raises(NotFound) as missing:
            await events(core, bob, unknown)
        with pytest.raises(InvalidRequest) as refused:
            await write(core, bob, session_run_id=unknown)
        answers.append((str(missing.value), str(refused.value), refused.value.field))
    assert answers[0] == answers[1]
    assert (await begin(core, bob)).created
    assert await rows(core, bob, "SELECT id FROM memories") == []


async def test_one_transactions_attribution_is_not_the_next_ones(core: Core, alice: Person) -> None:
    run_id = (await begin(core, alice, project="atlas")).session_run_id
    for number in range(12):
        await write(core, alice, content=f"in {number}", project="atlas")
        await write(core, alice, content=f"out {number}", project="another")
    assert len(await written_in(core, alice, run_id)) == 12
