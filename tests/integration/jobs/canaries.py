"""A word in every column that could hold one, and where it still stands afterwards."""

from collections.abc import Sequence
from uuid import UUID

import psycopg
from psycopg import sql

from tests.integration.core.proposing import propose_edge, propose_fact
from tests.integration.core.writing import correct, find, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.guard import EXEMPT

CANARY = "canaryword"
VALUES = {
    "text": f"'{CANARY} ' || gen_random_uuid()",
    "text[]": f"ARRAY['{CANARY}']",
    "jsonb": f"jsonb_build_object('{CANARY}', '{CANARY}')",
    "bytea": f"'{CANARY}'::bytea || uuid_send(gen_random_uuid())",
}
"""A value with the canary for each type that can hold one."""

REFUSED = (psycopg.IntegrityError, psycopg.errors.RaiseException)

ROWS = (
    "INSERT INTO oauth_clients (client_id, registration, name, redirect_uris, grant_types, auth_method, created_at)"
    " VALUES ('a-client', 'dynamic', 'a client', '{}', '{}', 'none', now()) ON CONFLICT DO NOTHING",
    "INSERT INTO oauth_grants (tenant_id, id, user_id, client_id, scopes, created_at, last_used_at)"
    " VALUES (%(tenant)s, %(id)s, %(user)s, 'a-client', '{}', now(), now())",
    "INSERT INTO oauth_families (tenant_id, id, grant_id, audience, created_at, expires_at)"
    " VALUES (%(tenant)s, %(id)s, %(id)s, 'api', now(), now())",
    "INSERT INTO oauth_codes (tenant_id, id, family_id, code_hash, code_challenge, redirect_uri, is_redirect_uri_given,"
    " scopes, created_at, expires_at)"
    " VALUES (%(tenant)s, %(id)s, %(id)s, uuid_send(%(id)s), 'c', 'r', true, '{}', now(), now())",
    "INSERT INTO user_sessions (tenant_id, id, user_id, token_hash, created_at, last_seen_at, expires_at)"
    " VALUES (%(tenant)s, %(id)s, %(user)s, uuid_send(%(id)s), now(), now(), now() + interval '1 day')",
    "INSERT INTO agent_sessions (tenant_id, id, agent, session_key, opened_at, last_seen_at)"
    " VALUES (%(tenant)s, %(id)s, 'agent', 'key', now(), now())",
    "INSERT INTO scope_mappings (tenant_id, project, scope, created_at) VALUES (%(tenant)s, 'p', 'work', now())",
    "INSERT INTO retrieval_policies (tenant_id, mode, scope, updated_at) VALUES (%(tenant)s, 'default', 'work', now())",
    "INSERT INTO audit_log (tenant_id, id, actor_kind, action, recorded_at)"
    " VALUES (%(tenant)s, %(id)s, 'system', 'tested', now())",
    "INSERT INTO metered_calls (tenant_id, operation, day) VALUES (%(tenant)s, 'embed', current_date)",
    "INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, enqueued_at)"
    " SELECT tenant_id, id, 1, now(), now() FROM memories WHERE tenant_id = %(tenant)s ON CONFLICT DO NOTHING",
)
"""Rows in the tables that the verbs of the test don't fill."""


async def live(core: Core, person: Person) -> None:
    """A life that leaves a row in every table that verbs fill."""
    first = await write(
        core, person, topic="the harbour", content=f"{CANARY} sails at dawn", tags=[CANARY], project=CANARY,
        facts=[{"subject": CANARY, "predicate": "length.m", "value": "12"}],
    )  # fmt: skip
    promise = await write(
        core, person, memory_type="commitment", content=f"paint {CANARY}", owner=CANARY,
        due_at=core.clock().replace(microsecond=0), recurrence="FREQ=WEEKLY",
    )  # fmt: skip
    await settle(core, person, promise.memory.id)
    second = await correct(core, person, first.memory.id, content=f"{CANARY} sails at noon")
    await propose_edge(core, person, second.memory.id, promise.memory.id)
    await propose_fact(core, person, second.memory.id, subject=CANARY)
    await propose_fact(core, person, second.memory.id, subject=f"{CANARY} again")
    assert (await find(core, person, CANARY)).count


def bind(owner: psycopg.Connection, tenant_id: UUID) -> None:
    """Let the owner see this tenant's rows."""
    owner.execute("SELECT set_config('app.tenant_id', %s, false)", [str(tenant_id)])


def columns(owner: psycopg.Connection) -> list[tuple[str, str, str]]:
    """Every column of every tenant table: table, column, type."""
    found = owner.execute(
        "SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        " ORDER BY 1, 2"
    ).fetchall()
    return [row for row in found if row[0] not in EXEMPT]


def counted(owner: psycopg.Connection) -> dict[str, int]:
    """How many rows of the bound tenant each table has."""
    tables = sorted({table for table, *_ in columns(owner)})
    query = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {}, count(*) FROM {}").format(sql.Literal(table), sql.Identifier(table)) for table in tables
    )
    return dict(owner.execute(query).fetchall())


def plant(owner: psycopg.Connection) -> set[tuple[str, str]]:
    """Write the canary into every column of the bound tenant that takes it; those that did."""
    planted = set()
    for table, column, kind in columns(owner):
        if kind not in VALUES:
            continue
        update = sql.SQL("UPDATE {} SET {} = {}").format(
            sql.Identifier(table), sql.Identifier(column), sql.SQL(VALUES[kind])
        )
        try:
            if owner.execute(update).rowcount:
                planted.add((table, column))
        except REFUSED:
            # A closed vocabulary, or a reference.
            continue
    return planted


def places_of(owner: psycopg.Connection, words: Sequence[str]) -> set[tuple[str, str]]:
    """The columns of the bound tenant in which one of the words stands, in any case, as text or as bytes."""
    patterns = [f"%{form}%" for word in words for form in (word, word.encode().hex())]
    found = set()
    for table, column, _ in columns(owner):
        query = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {}::text ILIKE ANY(%s))").format(
            sql.Identifier(table), sql.Identifier(column)
        )
        if (owner.execute(query, [patterns]).fetchone() or (False,))[0]:
            found.add((table, column))
    return found
