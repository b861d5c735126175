"""Exports as lists of records, and what the database holds in the same form."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

import orjson
import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from tests.integration.core.writing import rows
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.export import Section, export
from threengram.schema.enums import OAuthScope
from threengram.schema.export import ExportInput, ExportRecord
from threengram.schema.instants import format_instant

Record = dict[str, Any]


def entitled(person: Person) -> Person:
    """The same person, whose credential may take the account along."""
    return replace(person, principal=replace(person.principal, scopes=frozenset(OAuthScope)))


async def exported(
    core: Core, person: Person, meanwhile: Callable[[], Awaitable[object]] | None = None
) -> list[Record]:
    """Every line of an export, parsed; `meanwhile` is done after each page."""
    records: list[Record] = []
    async with open_call(core, entitled(person).principal) as call, aclosing(export(call, ExportInput())) as pages:
        async for page in pages:
            records += [as_read(record) for record in page]
            if meanwhile is not None:
                await asyncio.wait_for(meanwhile(), 60)
    return records


def as_read(record: ExportRecord) -> Record:
    """A record as a program reads it from its line."""
    read: Record = orjson.loads(record.model_dump_json())
    return read


def of_kind(records: list[Record], kind: str) -> list[Record]:
    return [record for record in records if record["record"] == kind]


def stored(owner_url: str, person: Person, section: Section) -> list[Record]:
    """The rows of a section's table as records, read by the owner of the database in the order of their keys."""
    columns = sql.SQL(", ").join(map(sql.Identifier, section.columns))
    keys = sql.SQL(", ").join(sql.Identifier(name) for name, _ in section.keys)
    query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(columns, sql.Identifier(section.table), keys)
    with psycopg.connect(owner_url, row_factory=dict_row) as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", [str(person.principal.tenant_id)])
        rows = owner.execute(query).fetchall()
    names = {name: field.alias or name for name, field in section.record.model_fields.items()}
    return [{"record": section.kind} | {names[name]: _on_wire(value) for name, value in row.items()} for row in rows]


def _on_wire(value: object) -> object:
    match value:
        case datetime():
            return format_instant(value)
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case _:
            return value


async def fill(core: Core, person: Person, many: int, *, content_chars: int) -> None:
    """Give somebody many memories at once, without what searches them."""
    await rows(
        core,
        person,
        "WITH made AS ("
        " INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,"
        "  content_hash, scope, status, valid_from, recorded_at, touched_at)"
        " SELECT u.tenant_id, gen_random_uuid(), n, u.id, 'note', 'topic ' || n, lpad(n::text, %(chars)s, 'x'),"
        "  %(chars)s, int8send(n), 'personal', 'active', now(), now(), now()"
        " FROM users u, generate_series(1, %(many)s) n RETURNING *)"
        " INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from)"
        " SELECT tenant_id, id, 1, valid_from, status, recorded_at FROM made",
        many=many,
        chars=content_chars,
    )
