"""Import: an account as it was, in another one; nothing that is there already is changed."""

import tracemalloc
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from tests.integration.core.exporting import exported, of_kind
from tests.integration.core.importing import (
    AT,
    a_commitment,
    a_fact,
    a_memory,
    a_scope,
    an_edge,
    an_export,
    comparable,
    contents,
    imported,
    lines,
    outcomes,
    reasons,
    taken,
)
from tests.integration.core.proposing import listed, propose_edge, propose_fact, reject
from tests.integration.core.registry import configure
from tests.integration.core.test_export import a_life
from tests.integration.core.writing import (
    correct,
    day,
    facts,
    find,
    history,
    put_away,
    read,
    rows,
    values,
    write,
)
from tests.people import Person
from threengram.core.briefing import briefing
from threengram.core.call import Core, open_call
from threengram.core.embeddings.pending import embed_pending
from threengram.core.errors import InvalidLine
from threengram.core.ids import new_id
from threengram.schema.bounds import MAX_IMPORT_LINE_BYTES, MAX_IMPORT_SKIPS
from threengram.schema.briefing import BriefingInput, Selector, SelectorKind
from threengram.schema.imports import SkipReason

ID, OTHER = "0190d3a8-7c2e-7000-8000-000000000001", "0190d3a8-7c2e-7000-8000-000000000002"
YEARS = timedelta(days=365)
PEAK_BYTES = 4 * 1024 * 1024


def later(core: Core, by: timedelta = YEARS) -> Core:
    """The same, some time afterwards."""
    return replace(core, clock=lambda: core.clock() + by)


async def overview(core: Core, person: Person) -> dict[str, object]:
    """What a briefing says, but for when it was asked."""
    async with open_call(core, person.principal) as call:
        said = await briefing(call, BriefingInput(selector=Selector(kind=SelectorKind.ALL)))
    return {name: value for name, value in said.wire().items() if name != "generatedAt"}


async def test_an_account_is_the_same_in_another_one(core: Core, alice: Person, bob: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    records = await exported(core, alice)
    report = await imported(later(core), bob, records)
    assert report.is_complete
    assert report.skips == []
    assert comparable(await exported(core, bob)) == comparable(records)


async def test_the_same_file_again_changes_nothing(core: Core, alice: Person, bob: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    records = await exported(core, alice)
    first = await imported(later(core), bob, records)
    before = await contents(core, bob)
    second = await imported(later(core), bob, records)
    assert await contents(core, bob) == before
    assert outcomes(second) == {kind: (0, new + same, 0) for kind, (new, same, _) in outcomes(first).items()}


async def test_a_dry_run_says_what_would_happen_and_changes_nothing(
    core: Core, alice: Person, bob: Person, owner_url: str
) -> None:
    await a_life(core, alice, owner_url)
    records = await exported(core, alice)
    before = await contents(core, bob)
    foreseen = await imported(later(core), bob, records, dry_run=True)
    assert await contents(core, bob) == before
    done = await imported(later(core), bob, records)
    assert foreseen == done.model_copy(update={"dry_run": True})
    repeated = await imported(later(core), bob, records, dry_run=True)
    assert outcomes(repeated) == outcomes(await imported(later(core), bob, records))


async def test_a_file_that_was_cut_goes_on_when_it_is_sent_again(
    core: Core, alice: Person, bob: Person, owner_url: str
) -> None:
    await a_life(core, alice, owner_url)
    records = await exported(core, alice)
    content = lines(records)
    for size in range(1, len(content), len(content) // 7):
        report = await taken(later(core), bob, content[:size]) if content[:size].count(b"\n") else None
        assert report is None or not report.is_complete
    report = await taken(later(core), bob, content)
    assert (report.is_complete, report.skips) == (True, [])
    assert comparable(await exported(core, bob)) == comparable(records)


async def test_a_file_without_some_of_its_lines_is_not_whole(core: Core, bob: Person) -> None:
    first, second = a_memory(id=str(new_id())), a_memory(id=str(new_id()), content="another")
    records = an_export(first, second)
    assert not (await imported(core, bob, [*records[:2], records[3]])).is_complete
    assert (await imported(core, bob, records)).is_complete


@pytest.mark.parametrize(
    ("line", "path", "code"),
    [
        (b"nonsense", "", "json_invalid"),
        (b"\xff\xfe", "", "json_invalid"),
        (b"[1]", "", "model_type"),
        (b"[" * 100_000, "", "json_invalid"),
        (b'{"record":7}', "record", "string_type"),
        (lines([a_memory(id="x")]), "id", "id_format"),
        (lines([{"record": "scope_mapping", "project": "p"}]), "scope", "missing"),
        (lines([a_memory(id=ID, content="a\x00b")]), "content", "text_nul"),
        (lines([a_memory(id=ID)]).replace(b"from elsewhere", b"a\\ud800b"), "", "json_invalid"),
        (lines([a_memory(id=ID, content="x" * 262_145)]), "content", "string_too_long"),
        (lines([a_memory(id=ID, topic="x" * 257)]), "topic", "string_too_long"),
        (lines([a_memory(id=ID, scope="No Scope")]), "scope", "string_pattern_mismatch"),
        (lines([a_memory(id=ID, memoryType="rumour")]), "memoryType", "enum"),
        (lines([a_memory(id=ID, validFrom="2026-01-05T10:00:00")]), "validFrom", "instant_naive"),
        (lines([a_memory(id=ID, validTo="2025-01-05T10:00:00Z")]), "validTo", "validity_order"),
        (lines([a_commitment(id=ID, memoryId=ID, recurrence="FREQ=WEEKLY")]), "recurrence", "recurrence_needs_due"),
        (lines([a_commitment(id=ID, memoryId=ID, recurrence="FREQ=SECONDLY", dueAt=AT, recursFrom=AT)]), "recurrence",
         "recurrence"),
        (lines([an_edge(id=ID, fromId=ID, toId=ID)]), "toId", "edge_to_itself"),
        (lines(an_export()), "record", "not_an_export"),
        (b'{"record":"end","counts":{}}\n{"record":"note"}', "", "after_end"),
        (b"x" * (MAX_IMPORT_LINE_BYTES + 1), "", "line_too_long"),
    ],
)  # fmt: skip
async def test_a_line_that_cannot_be_understood_ends_it_and_what_stands_before_is_in(
    core: Core, bob: Person, line: bytes, path: str, code: str
) -> None:
    good = a_memory(id=str(new_id()), content="before")
    content = lines(an_export(good)[:2]) + line.strip() + b"\n" + lines([a_memory(id=str(new_id()))])
    with pytest.raises(InvalidLine) as refused:
        await taken(core, bob, content)
    assert refused.value.line == (4 if code == "after_end" else 3)
    assert (refused.value.issues[0].path, refused.value.issues[0].code) == (path, code)
    assert "from elsewhere" not in str(refused.value)
    assert [memory["content"] for memory in of_kind(await exported(core, bob), "memory")] == ["before"]


@pytest.mark.parametrize(
    "first",
    [b"", b"\n \n", b'{"record":"memory"}\n', b'{"record":"other"}\n',
     lines(an_export()[:1]).replace(b'"version":1', b'"version":2'),
     lines(an_export()[:1]).replace(b"threengram.export", b"another.format")],
)  # fmt: skip
async def test_what_is_no_export_of_a_known_version_is_refused_at_once(core: Core, bob: Person, first: bytes) -> None:
    with pytest.raises(InvalidLine) as refused:
        await taken(core, bob, first)
    assert refused.value.line == 1


async def test_records_and_fields_that_are_not_known_are_passed_over(core: Core, bob: Person) -> None:
    ahead = a_memory(id=ID, mood={"of": ["a", "later", "release"]})
    report = await imported(core, bob, an_export(ahead, {"record": "dream", "id": 7}, {"record": "user", "id": None}))
    assert outcomes(report) == {"memory": (1, 0, 0)}
    assert report.left_out == {"unknown": 1, "user": 1}
    assert report.is_complete


async def test_what_is_live_here_already_is_reported_and_stays_alone(core: Core, bob: Person) -> None:
    here = (await write(core, bob, content="from elsewhere", topic="mine")).memory.id
    newer, fact = a_memory(id=ID), a_fact(id=str(new_id()), memoryId=ID)
    ended = a_memory(id=OTHER, content="older", validTo=AT)
    edge = an_edge(id=str(new_id()), fromId=ID, toId=OTHER)
    before = await read(core, bob, here)
    report = await imported(core, bob, an_export(newer, ended, edge, fact))
    assert reasons(report) == [
        ("memory", SkipReason.DUPLICATE),
        ("memory_edge", SkipReason.REFERS_TO_MISSING),
        ("fact", SkipReason.REFERS_TO_MISSING),
    ]
    assert (report.skips[0].line, report.skips[0].other_id) == (2, here)
    assert await read(core, bob, here) == before
    assert outcomes(await imported(core, bob, an_export(newer, ended, edge, fact)))["memory"] == (0, 1, 1)


async def test_two_of_the_same_in_one_file_come_in_once(core: Core, bob: Person) -> None:
    twice = an_export(a_memory(id=ID), a_memory(id=ID), a_memory(id=OTHER))
    report = await imported(core, bob, twice)
    assert outcomes(report) == {"memory": (1, 1, 1)}
    assert [(skip.reason, str(skip.other_id)) for skip in report.skips] == [(SkipReason.DUPLICATE, ID)]


async def test_what_has_been_changed_here_since_is_kept_with_all_that_hangs_on_it(core: Core, bob: Person) -> None:
    records = an_export(a_memory(id=ID), a_memory(id=OTHER, content="other"))
    await imported(core, bob, records)
    await put_away(core, bob, ID)
    before = await contents(core, bob)
    more = an_export(a_memory(id=ID), a_memory(id=OTHER, content="forged"), a_fact(id=str(new_id()), memoryId=ID),
                     a_fact(id=str(new_id()), memoryId=OTHER, subject="another"))  # fmt: skip
    report = await imported(core, bob, more)
    assert reasons(report) == [
        ("memory", SkipReason.CHANGED_HERE),
        ("memory", SkipReason.ID_TAKEN),
        ("fact", SkipReason.REFERS_TO_MISSING),
        ("fact", SkipReason.REFERS_TO_MISSING),
    ]
    assert await contents(core, bob) == before


async def test_ids_of_another_account_are_as_unknown_as_any(core: Core, alice: Person, bob: Person) -> None:
    foreign, unknown = str((await write(core, alice, content="hers")).memory.id), str(new_id())
    before = await contents(core, alice)
    for other in (foreign, unknown):
        edge, fact = an_edge(id=str(new_id()), fromId=ID, toId=other), a_fact(id=str(new_id()), memoryId=other)
        promise = a_commitment(id=str(new_id()), memoryId=other)
        report = await imported(core, bob, an_export(a_memory(id=ID), edge, fact, promise), dry_run=True)
        assert reasons(report) == [
            (kind, SkipReason.REFERS_TO_MISSING) for kind in ("memory_edge", "fact", "commitment")
        ]
        assert {skip.other_id for skip in report.skips} == {None}
    assert outcomes(await imported(core, bob, an_export(a_memory(id=foreign, content="his")))) == {"memory": (1, 0, 0)}
    assert await contents(core, alice) == before
    assert (await read(core, bob, foreign)).content == "his"


async def test_supersession_neither_forks_nor_closes_on_itself_nor_ends_what_is_valid(core: Core, bob: Person) -> None:
    ids = sorted(str(new_id()) for _ in range(5))
    memories = [a_memory(id=one, content=one, validTo=None if one == ids[4] else AT) for one in ids]
    edges = [
        an_edge(id=str(new_id()), fromId=ids[start], toId=ids[end])
        for start, end in ((2, 1), (1, 0), (0, 2), (3, 0), (2, 4))
    ]
    report = await imported(core, bob, an_export(*memories, *edges))
    assert outcomes(report)["memory_edge"] == (2, 0, 3)
    assert {reason for _, reason in reasons(report)} == {SkipReason.DOES_NOT_FIT}
    assert (await read(core, bob, ids[4])).superseded_by is None


async def test_a_fact_never_overlaps_with_one_that_is_here(core: Core, bob: Person) -> None:
    claim = {"subject": "lift", "predicate": "kg", "value": "98", "valid_from": day(1)}
    await write(core, bob, content="mine", facts=[claim])
    (here,) = (await facts(core, bob)).facts
    ended = a_memory(id=OTHER, content="older", validTo=AT)
    spans = [("2026-01-01", "2026-02-01"), ("2026-01-31", "2026-02-20"), ("2026-02-20", None), ("2026-03-05", None),
             ("2026-02-01", "2026-03-01")]  # fmt: skip
    new = [
        a_fact(id=str(new_id()), memoryId=ID, value=start, validFrom=f"{start}T09:00:00Z",
               validTo=None if end is None else f"{end}T09:00:00Z")
        for start, end in spans
    ]  # fmt: skip
    late = a_fact(id=str(new_id()), memoryId=OTHER, subject="another")
    report = await imported(core, bob, an_export(a_memory(id=ID), ended, *new, late))
    assert [(skip.line, skip.reason, skip.other_id) for skip in report.skips] == [
        (5, SkipReason.OVERLAPS, UUID(new[0]["id"])),
        (6, SkipReason.OVERLAPS, here.id),
        (7, SkipReason.OVERLAPS, here.id),
        (9, SkipReason.DOES_NOT_FIT, None),
    ]
    assert await values(core, bob, subject="lift", range={"from": "2020-01-01T00:00:00Z"}) == [
        "2026-01-01",
        "2026-02-01",
        "98",
    ]


async def test_names_that_mean_something_here_go_on_to_mean_it(core: Core, bob: Person) -> None:
    await write(core, bob, content="filed", scope="garden")
    for name, aliases in (("office", ["desk"]), ("personal", [])):
        await configure(core, bob, "create" if name == "office" else "set_aliases", name=name, aliases=aliases)
    await configure(core, bob, "set_mapping", project="atlas", scope="office")
    await configure(core, bob, "set_retrieval_default", mode="require")
    before = await contents(core, bob)
    report = await imported(
        core,
        bob,
        an_export(
            a_scope("plot", "garden"),
            a_scope("desk"),
            a_scope("bench", "office"),
            {"record": "scope_mapping", "project": "atlas", "scope": "work", "createdAt": AT},
            {"record": "scope_mapping", "project": "other", "scope": "nowhere", "createdAt": AT},
            {"record": "retrieval_policy", "mode": "off", "scope": None, "updatedAt": AT},
        ),
    )
    assert [reason for _, reason in reasons(report)] == [
        *[SkipReason.NAME_TAKEN] * 4,
        SkipReason.REFERS_TO_MISSING,
        SkipReason.NAME_TAKEN,
    ]
    assert await contents(core, bob) == before


async def test_a_scope_of_every_account_gains_its_aliases_and_memories_are_filed_under_the_name(
    core: Core, bob: Person
) -> None:
    await imported(core, bob, an_export(a_scope("personal", "home"), a_memory(id=ID, scope="home")))
    assert (await read(core, bob, ID)).scope == "personal"
    assert (await find(core, bob, "elsewhere", scope="home")).count == 1
    assert outcomes(
        await imported(core, bob, an_export(a_scope("personal", "home"), a_memory(id=ID, scope="home")))
    ) == {
        "scope": (0, 1, 0),
        "memory": (0, 1, 0),
    }


async def test_an_imported_account_answers_as_the_original_does(core: Core, alice: Person, bob: Person) -> None:
    claim = {"subject": "lift", "predicate": "kg", "value": "98"}
    first = await write(core, alice, topic="harbour", content="we sail at dawn", facts=[claim], memory_type="decision")
    second = await correct(core, alice, first.memory.id, topic="harbour", content="we sail at noon",
                           memory_type="decision", facts=[{**claim, "value": "99"}])  # fmt: skip
    await write(core, alice, memory_type="commitment", topic="paint", content="paint the boat", due_at=day(9))
    await write(core, alice, memory_type="preference", topic="sails", content="red sails")
    records = await exported(core, alice)
    hours = later(core, timedelta(hours=1))
    await imported(hours, bob, records)
    counted = "SELECT term, df FROM term_stats ORDER BY term"
    assert await rows(hours, bob, counted) == await rows(hours, alice, counted)
    assert hours.embedder is not None
    while await rows(hours, bob, "SELECT memory_id FROM embedding_jobs"):
        await embed_pending(hours.database, hours.embedder, now=hours.clock(), lease_s=60)
    past = core.clock() - timedelta(microseconds=1)
    for query in ("sail", "boat", "when do we sail"):
        for more in ({}, {"as_of": {"valid_at": past}}, {"order": "chronological"}):
            theirs, ours = [
                [(hit.id, hit.superseded, hit.recorded_at) for hit in (await find(hours, one, query, **more)).hits]
                for one in (alice, bob)
            ]
            assert theirs == ours
            assert ours
    for more in ({}, {"range": {"from": day(0)}}, {"as_of": {"valid_at": past}}):
        assert await values(hours, alice, **more) == await values(hours, bob, **more)
    assert await overview(hours, alice) == await overview(hours, bob)
    assert (await read(hours, bob, first.memory.id)).superseded_by == (
        await read(hours, alice, first.memory.id)
    ).superseded_by
    await correct(hours, bob, second.memory.id, content="we stay")
    assert (await read(hours, bob, second.memory.id)).superseded_by is not None


async def test_nothing_was_known_here_before_it_was_imported(core: Core, bob: Person) -> None:
    before = core.clock()
    future = "2036-01-05T10:00:00Z"
    records = an_export(
        a_memory(id=ID, recordedAt=future, touchedAt=future),
        a_memory(id=OTHER, content="older", validTo=AT),
        an_edge(id=str(new_id()), fromId=ID, toId=OTHER),
        a_fact(id=str(new_id()), memoryId=ID, recordedAt=future),
    )
    assert (await imported(core, bob, records)).skips == []
    for known_at in (before, before.replace(year=2025)):
        point = {"valid_at": before, "as_known_at": known_at}
        assert (await find(core, bob, order="chronological", as_of=point, limit=25)).hits == []
        assert (await facts(core, bob, as_of=point)).facts == []
    assert (await read(core, bob, ID)).recorded_at < core.clock()
    assert await history(core, bob, ID) == [("import", {"recordedAt": future})]
    (audited,) = await rows(core, bob, "SELECT count(*) AS entries FROM audit_log WHERE action = 'account.imported'")
    assert audited["entries"] == 1


async def test_a_person_decides_once_about_a_proposal(core: Core, alice: Person, bob: Person) -> None:
    first, second = await write(core, alice, content="one side"), await write(core, alice, content="another side")
    declined = await propose_edge(core, alice, second.memory.id, first.memory.id)
    await reject(core, alice, declined)
    await propose_fact(core, alice, first.memory.id)
    report = await imported(later(core), bob, await exported(core, alice))
    assert (outcomes(report)["edge_proposal"], report.left_out["fact_proposal"]) == ((1, 0, 0), 1)
    assert [one.id for one in (await listed(core, bob, status="rejected")).proposals] == [declined]


async def test_a_file_of_any_length_needs_the_memory_of_a_batch(core: Core, bob: Person) -> None:
    edge = lines([an_edge(id=ID, fromId=ID, toId=OTHER)])
    event = lines([{"record": "memory_event", "id": ID, "details": {"from": "x" * 200}}])
    content = lines(an_export()[:1]) + (event * 990 + edge * 10) * 100
    tracemalloc.start()
    try:
        report = await taken(core, bob, content, piece=65_536)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (report.lines, report.left_out, len(report.skips)) == (100_001, {"memory_event": 99_000}, MAX_IMPORT_SKIPS)
    assert outcomes(report) == {"memory_edge": (0, 0, 1_000)}
    assert peak_bytes < PEAK_BYTES
