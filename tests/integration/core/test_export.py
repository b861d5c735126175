"""Export: everything, of one snapshot, one page at a time."""

import tracemalloc
from contextlib import aclosing
from typing import Any

import orjson
import psycopg
import pytest
from jsonschema import Draft202012Validator

from tests.integration.core.exporting import entitled, exported, fill, of_kind, stored
from tests.integration.core.planting import plant
from tests.integration.core.proposing import accept, propose_edge, undo
from tests.integration.core.writing import bring_back, correct, put_away, rows, write
from tests.integration.jobs.canaries import CANARY, ROWS, bind, columns, live
from tests.people import Person
from tests.requirements import ROOT
from threengram.core.call import Core, open_call
from threengram.core.errors import ExportUnderWay, InsufficientScope
from threengram.core.export import LEFT_OUT, SECTIONS, export
from threengram.core.export.export import PAGE_CHARS
from threengram.core.ids import new_id
from threengram.schema.bounds import MAX_IMPORT_CONTENT_CHARS
from threengram.schema.export import EXPORT_RECORDS, ExportInput, kind_of

MANY = 20_000
CONTENT_CHARS = 1_000
PEAK_BYTES = 8 * 1024 * 1024
BEGINS = {("tenants", column) for column in ("id", "name", "created_at")}
"""What the first record holds."""


async def a_life(core: Core, person: Person, owner_url: str) -> None:
    """A row in every table."""
    await live(core, person)
    first, second = await write(core, person, content="one side"), await write(core, person, content="another side")
    proposal_id = await propose_edge(core, person, second.memory.id, first.memory.id)
    await accept(core, person, proposal_id)
    await undo(core, person, proposal_id)
    await put_away(core, person, first.memory.id)
    await bring_back(core, person, first.memory.id)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        bind(owner, person.principal.tenant_id)
        parameters = {"tenant": person.principal.tenant_id, "user": person.principal.user_id, "id": new_id()}
        for statement in ROWS:
            owner.execute(statement, parameters)
        owner.execute(
            "INSERT INTO consolidation_progress (tenant_id, is_enabled, changed_at) VALUES (%(tenant)s, false, now())",
            parameters,
        )


def test_every_column_is_exported_or_left_out_for_a_reason(owner_url: str) -> None:
    with psycopg.connect(owner_url) as owner:
        found = {(table, column) for table, column, _ in columns(owner)}
    taken = BEGINS | {(section.table, column) for section in SECTIONS for column in section.columns}
    accounts = {(table, "tenant_id") for table, _ in found}
    unknown = {
        (table, column)
        for table, column in found - taken - accounts
        if table not in LEFT_OUT and f"{table}.{column}" not in LEFT_OUT
    }
    assert unknown == set(), "export it (core/export/sections.py), or say why not (core/export/left_out.py)"
    assert taken - found == set()
    places = {table for table, _ in found} | {f"{table}.{column}" for table, column in found - taken}
    assert LEFT_OUT.keys() - places == set()


def test_a_record_has_a_field_for_each_column_and_no_other() -> None:
    for section in SECTIONS:
        assert section.record.model_fields.keys() - {"record"} == set(section.columns), section.table
    assert [kind_of(record) for record in EXPORT_RECORDS] == ["export", *(one.kind for one in SECTIONS), "end"]


async def test_nothing_is_lost(core: Core, alice: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    records = await exported(core, alice)
    for section in SECTIONS:
        expected = stored(owner_url, alice, section)
        assert expected, section.table
        assert of_kind(records, section.kind) == expected
    assert [edge["retractedAt"] is not None for edge in of_kind(records, "memory_edge")] == [False, True]
    assert len(of_kind(records, "memory_lifetime")) > len(of_kind(records, "memory"))


async def test_every_line_is_as_the_reference_describes_it(core: Core, alice: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    schema = orjson.loads((ROOT / "docs" / "reference" / "export.schema.json").read_bytes())
    validator = Draft202012Validator(schema)
    records = await exported(core, alice)
    assert {record["record"] for record in records} == {kind_of(kind) for kind in EXPORT_RECORDS}
    assert [error.json_path for record in records for error in validator.iter_errors(record)] == []


async def test_the_last_line_counts_them_all_and_the_first_says_whose_they_are(core: Core, alice: Person) -> None:
    await write(core, alice)
    records = await exported(core, alice)
    first, last = records[0], records[-1]
    assert (first["record"], first["format"], first["version"]) == ("export", "threengram.export", 1)
    assert first["accountId"] == str(alice.principal.tenant_id)
    assert last["counts"] == {kind_of(kind): len(of_kind(records, kind_of(kind))) for kind in EXPORT_RECORDS}
    assert last["counts"]["memory"] == 1


async def test_every_record_refers_to_records_before_it(core: Core, alice: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    assert_whole(await exported(core, alice))


def assert_whole(records: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for record in records[1:]:
        named = {name: value for name, value in record.items() if name.endswith("Id") and value is not None}
        assert {name for name, value in named.items() if value not in seen} == set(), record["record"]
        seen.add(str(record.get("id")))


async def test_one_tenant_takes_nothing_of_another(core: Core, alice: Person, bob: Person, owner_url: str) -> None:
    await a_life(core, alice, owner_url)
    await write(core, bob, content="mine")
    records = await exported(core, bob)
    assert CANARY not in str(records)
    assert [memory["content"] for memory in of_kind(records, "memory")] == ["mine"]
    assert {record["id"] for record in of_kind(records, "user")} == {str(bob.principal.user_id)}


async def test_another_user_of_the_account_is_named_by_id_only(core: Core, alice: Person) -> None:
    await rows(
        core,
        alice,
        "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
        " SELECT tenant_id, %(id)s, %(id)s::text, created_at, updated_at FROM users",
        id=new_id(),
    )
    users = of_kind(await exported(core, alice), "user")
    own = {user["id"]: user["email"] is not None for user in users}
    assert sorted(own.values()) == [False, True]
    assert own[str(alice.principal.user_id)]


async def test_what_is_written_meanwhile_is_not_in_it(core: Core, alice: Person) -> None:
    first = await write(core, alice, content="as it was", facts=[{"subject": "a", "predicate": "b", "value": "1"}])
    before = await exported(core, alice)
    heads = [first.memory.id]

    async def go_on() -> None:
        heads.append((await correct(core, alice, heads[-1], content=f"version {len(heads)}")).memory.id)

    during = await exported(core, alice, meanwhile=go_on)
    assert len(heads) > 4
    assert [{**record, "exportedAt": None} for record in during[:1]] + during[1:] == [
        {**record, "exportedAt": None} for record in before[:1]
    ] + before[1:]
    after = await exported(core, alice)
    assert len(of_kind(after, "memory")) == len(heads)
    assert_whole(after)


async def test_a_user_takes_one_export_at_a_time(core: Core, alice: Person, bob: Person) -> None:
    async with open_call(core, entitled(alice).principal) as call, aclosing(export(call, ExportInput())) as pages:
        await anext(pages)
        with pytest.raises(ExportUnderWay):
            await exported(core, alice)
        assert (await exported(core, bob))[-1]["record"] == "end"
    assert (await exported(core, alice))[-1]["record"] == "end"


async def test_reading_memories_is_not_enough_to_take_the_account_along(core: Core, alice: Person) -> None:
    async with open_call(core, alice.principal) as call, aclosing(export(call, ExportInput())) as pages:
        with pytest.raises(InsufficientScope):
            await anext(pages)


async def test_very_long_bodies_come_in_pages_of_bounded_size(core: Core, alice: Person) -> None:
    for number in range(4):
        await plant(core, alice, str(number) * MAX_IMPORT_CONTENT_CHARS)
    async with open_call(core, entitled(alice).principal) as call, aclosing(export(call, ExportInput())) as pages:
        sizes = [
            sum(len(record.model_dump_json()) for record in page if record.record == "memory") async for page in pages
        ]
    assert sum(sizes) > 4 * MAX_IMPORT_CONTENT_CHARS
    assert max(sizes) < PAGE_CHARS + MAX_IMPORT_CONTENT_CHARS


async def test_an_account_of_any_size_needs_the_memory_of_a_page(core: Core, alice: Person) -> None:
    await fill(core, alice, MANY, content_chars=CONTENT_CHARS)
    sent = 0
    tracemalloc.start()
    try:
        async with open_call(core, entitled(alice).principal) as call, aclosing(export(call, ExportInput())) as pages:
            async for page in pages:
                sent += sum(len(record.model_dump_json()) for record in page)
                last = page[-1]
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert last.model_dump()["counts"]["memory"] == MANY
    assert sent > MANY * CONTENT_CHARS
    assert peak_bytes < PEAK_BYTES
