"""`briefing`: what matters now, counted exactly, of one snapshot, and nothing that no longer stands."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import psycopg
import pytest
from pydantic import ValidationError

from tests.conftest import Clock
from tests.integration.core.orienting import brief, crowd, shown
from tests.integration.core.registry import configure
from tests.integration.core.writing import correct, day, put_away, rows, settle, write
from tests.people import Person
from threengram.core.briefing import queries
from threengram.core.briefing.selector import Selection
from threengram.core.call import Core
from threengram.core.commitments.sweep import mark_due
from threengram.core.db.database import Begin
from threengram.core.db.statement import Statement
from threengram.core.errors import UnscopedRetrieval
from threengram.schema.briefing import BriefingInput, Selector, SurfacingReason
from threengram.schema.errors import issues_of

TICK = timedelta(microseconds=1)
NOTHING: dict[str, tuple[int, list[str]]] = {
    name: (0, [])
    for name in (
        "commitments", "overdue", "blockers", "staleCandidates", "recentDecisions", "preferences", "surfacedToday",
    )
}  # fmt: skip


async def note(core: Core, person: Person, memory_type: str, topic: str, **fields: object) -> str:
    """A memory whose content repeats its topic; its id."""
    written = await write(core, person, memory_type=memory_type, topic=topic, content=f"about {topic}", **fields)
    return str(written.memory.id)


def refused(**arguments: object) -> list[str]:
    """The paths at which an input is refused."""
    with pytest.raises(ValidationError) as failure:
        BriefingInput.parse(orjson.dumps(arguments))
    return [issue.path for issue in issues_of(failure.value)]


@pytest.mark.parametrize(
    ("selector", "path"),
    [
        (None, "selector"),
        ({}, "selector.kind"),
        ({"kind": "everything"}, "selector.kind"),
        ({"kind": "all", "scope": "work"}, "selector.scope"),
        ({"kind": "scope"}, "selector.scope"),
        ({"kind": "scope", "scope": "work", "project": "atlas"}, "selector.project"),
        ({"kind": "project"}, "selector.project"),
        ({"kind": "project", "project": "atlas", "scope": "work"}, "selector.scope"),
        ({"kind": "project", "project": "atlas", "includeUnscoped": True}, "selector.includeUnscoped"),
        ({"kind": "scope_project", "scope": "work"}, "selector.project"),
        ({"kind": "all", "memoryType": "note"}, "selector.memoryType"),
    ],
)
def test_a_selector_that_does_not_say_what_it_means_is_refused(selector: object, path: str) -> None:
    assert refused(**({} if selector is None else {"selector": selector})) == [path]


@pytest.mark.parametrize(
    "arguments",
    [{"sections": []}, {"sections": ["overdue", "overdue"]}, {"sections": ["notes"]}, {"sectionLimit": 0},
     {"sectionLimit": 101}, {"mode": "long"}, {"limit": 3}],
)  # fmt: skip
def test_other_arguments_out_of_bounds_are_refused(arguments: dict[str, object]) -> None:
    (path,) = refused(selector={"kind": "all"}, **arguments)
    assert path.startswith(next(iter(arguments)))


async def test_an_empty_memory_has_seven_empty_sections(core: Core, alice: Person, clock: Clock) -> None:
    answer = await brief(core, alice)
    assert shown(answer) == NOTHING
    assert answer.generated_at == clock.now
    assert answer.wire()["selector"] == {"kind": "all"}


async def test_each_section_shows_its_own_newest_first(core: Core, alice: Person) -> None:
    for number in range(2):
        for memory_type in ("decision", "preference", "blocker", "commitment", "fact", "note", "event", "pattern"):
            await note(core, alice, memory_type, f"{memory_type} {number}")
    assert shown(await brief(core, alice)) == NOTHING | {
        "commitments": (2, ["commitment 0", "commitment 1"]),
        "blockers": (2, ["blocker 1", "blocker 0"]),
        "recentDecisions": (2, ["decision 1", "decision 0"]),
        "preferences": (2, ["preference 1", "preference 0"]),
    }


async def test_only_the_sections_asked_for_are_answered(core: Core, alice: Person) -> None:
    answer = await brief(core, alice, sections=["preferences", "overdue"])
    assert set(shown(answer)) == {"preferences", "overdue"}
    assert set(answer.wire()) == {"selector", "mode", "generatedAt", "preferences", "overdue"}


@pytest.mark.parametrize(("fields", "lines"), [({}, 3), ({"mode": "full"}, 25), ({"sectionLimit": 27}, 27)])
async def test_a_total_is_exact_beyond_the_lines_shown(
    core: Core, alice: Person, fields: dict[str, Any], lines: int
) -> None:
    await crowd(core, alice, 240)
    answer = await brief(core, alice, **fields)
    assert answer.blockers is not None
    assert answer.commitments is not None
    for section in (answer.blockers, answer.commitments):
        assert (section.count, len(section.items), section.has_more) == (30, lines, True)
    everything = await brief(core, alice, sectionLimit=30, sections=["blockers"])
    assert everything.blockers is not None
    assert not everything.blockers.has_more


async def test_equal_instants_are_ordered_by_id(core: Core, alice: Person, clock: Clock) -> None:
    await crowd(core, alice, 40)
    first = await brief(core, alice, sectionLimit=5)
    assert first.recent_decisions is not None
    ids = [line.id for line in first.recent_decisions.items]
    assert len({line.recorded_at for line in first.recent_decisions.items}) == 1
    assert ids == sorted(ids)


async def test_a_full_briefing_says_more_about_each_line(core: Core, alice: Person) -> None:
    await note(core, alice, "decision", "Port", tags=["net"])
    await note(core, alice, "commitment", "Report", owner="Grace", due_at=day(9), recurrence="FREQ=WEEKLY")
    short, full = (await brief(core, alice)).wire(), (await brief(core, alice, mode="full")).wire()
    (decision,), (fuller_decision,) = short["recentDecisions"]["items"], full["recentDecisions"]["items"]
    assert fuller_decision == decision | {"tags": ["net"], "contentLength": len("about Port")}
    (commitment,), (fuller_commitment,) = short["commitments"]["items"], full["commitments"]["items"]
    assert fuller_commitment == commitment | {"scope": "personal", "owner": "Grace", "recurrence": "FREQ=WEEKLY"}
    assert set(decision) == {"id", "memoryType", "topic", "scope", "project", "recordedAt", "updatedAt"}
    assert set(commitment) == {"id", "memoryId", "topic", "status", "dueAt", "overdue"}


async def test_a_selector_keeps_to_its_scope_and_project(core: Core, alice: Person) -> None:
    for scope in ("work", "home"):
        for project in ("atlas", "borealis", None):
            await note(core, alice, "decision", f"{scope} {project}", scope=scope, project=project)
            await note(core, alice, "commitment", f"{scope} {project}", scope=scope, project=project)

    async def selected(**selector: Any) -> list[str]:
        sections = shown(await brief(core, alice, selector, sectionLimit=10))
        assert sorted(sections["commitments"][1]) == sorted(sections["recentDecisions"][1])
        assert sections["commitments"][0] == len(sections["commitments"][1])
        return sections["commitments"][1]

    both = {"kind": "scope_project", "scope": "work", "project": "atlas"}
    assert len(await selected(kind="all")) == 6
    assert await selected(kind="scope", scope="work") == ["work atlas", "work borealis", "work None"]
    assert await selected(kind="project", project="atlas") == ["work atlas", "home atlas"]
    assert await selected(**both) == ["work atlas"]
    assert await selected(**both, includeUnscoped=True) == ["work atlas", "work None"]
    assert await selected(kind="scope", scope="elsewhere") == []


async def test_an_alias_selects_the_memories_of_its_scope(core: Core, alice: Person) -> None:
    await configure(core, alice, "set_aliases", name="work", aliases=["office"])
    await note(core, alice, "blocker", "Licence", scope="work")
    answer = await brief(core, alice, {"kind": "scope", "scope": "office"})
    assert shown(answer)["blockers"] == (1, ["Licence"])
    assert answer.wire()["selector"] == {"kind": "scope", "scope": "work"}
    assert "appliedScope" not in answer.wire()


async def test_the_retrieval_default_narrows_everything_and_nothing_else(core: Core, alice: Person) -> None:
    await note(core, alice, "blocker", "in", scope="work", project="atlas")
    await note(core, alice, "blocker", "out", scope="home", project="atlas")
    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    narrowed = await brief(core, alice)
    assert shown(narrowed)["blockers"] == (1, ["in"])
    assert narrowed.wire()["selector"] == {"kind": "scope", "scope": "work"}
    assert narrowed.applied_scope == "work"
    for selector, found in (
        ({"kind": "scope", "scope": "home"}, ["out"]),
        ({"kind": "project", "project": "atlas"}, ["out", "in"]),
        ({"kind": "scope_project", "scope": "home", "project": "atlas"}, ["out"]),
    ):
        answer = await brief(core, alice, selector)
        assert shown(answer)["blockers"][1] == found
        assert answer.applied_scope is None


async def test_where_a_scope_is_required_everything_is_refused_and_a_project_is_not(core: Core, alice: Person) -> None:
    await note(core, alice, "blocker", "in", scope="work", project="atlas")
    await configure(core, alice, "set_retrieval_default", mode="require")
    with pytest.raises(UnscopedRetrieval, match="work"):
        await brief(core, alice)
    for selector in ({"kind": "scope", "scope": "work"}, {"kind": "project", "project": "atlas"}):
        assert shown(await brief(core, alice, selector))["blockers"] == (1, ["in"])


async def test_what_no_longer_stands_is_never_shown(core: Core, alice: Person) -> None:
    decision = await note(core, alice, "decision", "old", due_at=None)
    await correct(core, alice, decision, memory_type="decision", topic="new", content="about new")
    await put_away(core, alice, await note(core, alice, "preference", "archived"))
    await put_away(core, alice, await note(core, alice, "commitment", "archived", due_at=day(1)))
    await settle(core, alice, await note(core, alice, "blocker", "resolved"))
    await settle(core, alice, await note(core, alice, "commitment", "done", due_at=day(1)))
    await settle(core, alice, await note(core, alice, "commitment", "given up", due_at=day(1)), "expired")
    await settle(core, alice, await note(core, alice, "commitment", "waiting"), "waiting")
    assert shown(await brief(core, alice)) == NOTHING | {
        "recentDecisions": (1, ["new"]),
        "commitments": (1, ["waiting"]),
    }


async def test_a_tenant_sees_its_own(core: Core, alice: Person, bob: Person) -> None:
    await crowd(core, alice, 80)
    assert shown(await brief(core, bob)) == NOTHING


async def test_commitments_come_by_when_they_surface_then_by_when_they_are_due(core: Core, alice: Person) -> None:
    for topic, due_at in (("never", None), ("later", day(20)), ("sooner", day(10)), ("late", day(1))):
        await note(core, alice, "commitment", topic, due_at=due_at)
    sections = shown(await brief(core, alice, sectionLimit=10))
    assert sections["commitments"] == (4, ["late", "sooner", "later", "never"])
    assert sections["overdue"] == (1, ["late"])


async def test_overdue_begins_after_the_due_instant(core: Core, alice: Person, clock: Clock) -> None:
    due_at = clock.now + timedelta(hours=1)
    await note(core, alice, "commitment", "Report", due_at=due_at)
    for now, is_overdue in ((due_at, False), (due_at + TICK, True)):
        clock.now = now - TICK
        answer = await brief(core, alice)
        assert answer.generated_at == now
        assert answer.overdue is not None
        assert answer.commitments is not None
        assert (answer.overdue.count, answer.commitments.items[0].overdue) == (int(is_overdue), is_overdue)


async def test_stale_begins_thirty_days_after_the_last_touch(core: Core, alice: Person, clock: Clock) -> None:
    for memory_type in ("decision", "preference", "blocker", "fact", "note", "commitment", "event", "pattern"):
        await note(core, alice, memory_type, memory_type)
    (touched,) = await rows(core, alice, "SELECT touched_at FROM memories WHERE memory_type = 'decision'")
    for now, stale in (
        (touched["touched_at"] + timedelta(days=30), []),
        (touched["touched_at"] + timedelta(days=30) + TICK, ["decision"]),
        (clock.now + timedelta(days=31), ["decision", "preference", "blocker", "fact"]),
    ):
        clock.now = now - TICK
        sections = shown(await brief(core, alice, sectionLimit=9))
        assert sections["staleCandidates"] == (len(stale), stale)


async def test_what_is_touched_again_is_no_longer_stale(core: Core, alice: Person, clock: Clock) -> None:
    blocker = await note(core, alice, "blocker", "Licence")
    clock.advance(days=31)
    assert shown(await brief(core, alice))["staleCandidates"] == (1, ["Licence"])
    await settle(core, alice, blocker)
    await settle(core, alice, blocker, "open")
    sections = shown(await brief(core, alice))
    assert (sections["staleCandidates"], sections["blockers"]) == ((0, []), (1, ["Licence"]))


async def surfaced(core: Core, person: Person) -> list[tuple[str, SurfacingReason]]:
    answer = await brief(core, person, sectionLimit=10)
    assert answer.surfaced_today is not None
    assert answer.surfaced_today.count == len(answer.surfaced_today.items)
    return [(line.topic, line.reason) for line in answer.surfaced_today.items]


async def test_what_comes_up_today_is_said_with_its_reason(core: Core, alice: Person, clock: Clock) -> None:
    await note(core, alice, "commitment", "older", due_at=day(2))
    await note(core, alice, "commitment", "daily", due_at=day(3, hour=7), recurrence="FREQ=DAILY")
    await note(core, alice, "commitment", "once", due_at=day(5, hour=8))
    await note(core, alice, "commitment", "tonight", due_at=day(5, hour=22))
    await note(core, alice, "commitment", "undated")
    clock.now = day(5, hour=10)
    expected = [
        ("older", SurfacingReason.OVERDUE), ("daily", SurfacingReason.RECURRING), ("once", SurfacingReason.DUE),
    ]  # fmt: skip
    before_the_sweep = await surfaced(core, alice)
    assert [topic for topic, _ in before_the_sweep] == [topic for topic, _ in expected]
    await mark_due(core.database, alice.principal.tenant_id, now=clock.now)
    assert await surfaced(core, alice) == expected
    clock.now = day(5, hour=23)
    assert (await surfaced(core, alice))[-1] == ("tonight", SurfacingReason.DUE)


async def test_a_day_ends_at_midnight_utc(core: Core, alice: Person, clock: Clock) -> None:
    await note(core, alice, "commitment", "Report", due_at=day(5, hour=23))
    clock.now = day(5, hour=23)
    await mark_due(core.database, alice.principal.tenant_id, now=clock.now)
    midnight = datetime(2026, 3, 6, tzinfo=UTC)
    for now, found in (
        (midnight - TICK, [("Report", SurfacingReason.DUE)]),
        (midnight, []),
        (day(6, hour=23), [("Report", SurfacingReason.OVERDUE)]),
    ):
        clock.now = now - TICK
        assert await surfaced(core, alice) == found


async def test_what_is_settled_or_put_off_no_longer_comes_up_today(core: Core, alice: Person, clock: Clock) -> None:
    done = await note(core, alice, "commitment", "done", due_at=day(5))
    weekly = await note(core, alice, "commitment", "weekly", due_at=day(5), recurrence="FREQ=WEEKLY")
    put_off = await note(core, alice, "commitment", "put off", due_at=day(5))
    clock.now = day(5, hour=10)
    await mark_due(core.database, alice.principal.tenant_id, now=clock.now)
    assert len(await surfaced(core, alice)) == 3
    await settle(core, alice, done)
    await settle(core, alice, weekly)
    await correct(core, alice, put_off, memory_type="commitment", topic="put off", due_at=day(9))
    assert await surfaced(core, alice) == []


async def test_a_memory_that_changes_its_kind_is_seen_once_at_every_moment(core: Core, alice: Person) -> None:
    """Two statements, one snapshot: a commitment turned into a decision is never both and never neither."""
    memory_id = await note(core, alice, "commitment", "turn 0")
    is_done = False

    async def turn_over() -> None:
        nonlocal memory_id, is_done
        number = 0
        while number < 40 or len(seen) < 2:
            number += 1
            kind = "decision" if number % 2 else "commitment"
            revised = await correct(
                core, alice, memory_id, memory_type=kind, topic=f"turn {number}", content=f"turn {number}"
            )
            memory_id = str(revised.memory.id)
        is_done = True

    seen: set[str] = set()
    turning = asyncio.create_task(turn_over())
    while not is_done and not turning.done():
        sections = shown(await brief(core, alice))
        standing = sections["commitments"][1] + sections["recentDecisions"][1]
        assert len(standing) == 1
        assert sections["commitments"][0] + sections["recentDecisions"][0] == 1
        seen.update(standing)
    await turning


@pytest.mark.parametrize(
    "selector",
    [{"kind": "all"}, {"kind": "scope", "scope": "work"}, {"kind": "project", "project": "atlas"},
     {"kind": "scope_project", "scope": "work", "project": "atlas", "include_unscoped": True}],
)  # fmt: skip
async def test_no_section_reads_all_of_ten_thousand_memories(
    core: Core, alice: Person, owner_url: str, selector: dict[str, object]
) -> None:
    await crowd(core, alice, 10_000, content="some words of a memory " * 8)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("SET synchronous_commit = on")
        for _ in range(2):  # the first one also flushes the rows, before which no page of theirs counts as visible
            owner.execute("VACUUM (ANALYZE) memories, commitments")
    selection = Selection(Selector.model_validate(selector, strict=False), is_narrowed=False)
    now = core.clock()
    parameters = {
        **selection.parameters, "sections": ["blockers", "recent_decisions"], "types": ["blocker", "decision"],
        "now": now, "day_start": now, "stale_before": now + TICK, "limit": 3,
    }  # fmt: skip
    of_commitments = (queries.COMMITMENTS, queries.OVERDUE, queries.SURFACED)
    for statement in (
        queries.memory_sections(selection.condition, queries.LINE, has_newest=True, has_stale=True),
        queries.commitment_sections(of_commitments, selection.condition, queries.COMMITMENT_LINE),
    ):
        async with core.database.tenant(alice.principal, begin=Begin.SNAPSHOT) as tx:
            explained = await tx.fetch(Statement("plan", "EXPLAIN (ANALYZE) " + statement.sql), parameters)
        plan = [row["QUERY PLAN"] for row in explained]
        assert not [line for line in plan if "Seq Scan on memories" in line]
        assert [line for line in plan if "Index Only Scan using memories_live" in line]
