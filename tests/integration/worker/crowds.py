"""Many tenants at once, each with the same shelf of memories, written by the owner into a database of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from threengram.schema.enums import MemoryType

TABLES = ("tenants", "tenant_counters", "users", "memories", "memory_lifetimes", "memory_embeddings", "embedding_jobs",
          "commitments", "consolidation_progress")  # fmt: skip

STATEMENTS = (
    "CREATE TEMPORARY TABLE crowd ON COMMIT DROP AS"
    " SELECT md5('tenant ' || n)::uuid AS tenant_id, md5('user ' || n)::uuid AS user_id, n"
    " FROM generate_series(1, %(tenants)s) n",
    "CREATE TEMPORARY TABLE shelf ON COMMIT DROP AS"
    " SELECT * FROM unnest(%(types)s::text[], %(scopes)s::text[], %(topics)s::text[], %(contents)s::text[])"
    " WITH ORDINALITY AS s (memory_type, scope, topic, content, m)",
    "INSERT INTO tenants (id, name, created_at) SELECT tenant_id, 'one of many', %(then)s FROM crowd",
    "INSERT INTO tenant_counters (tenant_id, memory_count) SELECT tenant_id, (SELECT count(*) FROM shelf) FROM crowd",
    "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
    " SELECT tenant_id, user_id, n || '@example.test', %(then)s, %(then)s FROM crowd",
    "INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars, content_hash,"
    " scope, valid_from, recorded_at, touched_at)"
    " SELECT tenant_id, md5(n || ' memory ' || m)::uuid, m, user_id, memory_type, topic, content, length(content),"
    "  sha256(convert_to(content, 'UTF8')), scope, %(then)s, %(then)s, %(then)s"
    " FROM crowd, shelf",
    "INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from)"
    " SELECT tenant_id, id, 1, valid_from, 'active', recorded_at FROM memories",
    "INSERT INTO commitments (tenant_id, id, memory_id, due_at, next_surfacing_at, recorded_at, updated_at)"
    " SELECT tenant_id, id, id, %(due)s, %(due)s, recorded_at, recorded_at FROM memories"
    " WHERE memory_type = 'commitment'",
)


@dataclass(frozen=True)
class Kept:
    """One memory of a shelf; those that are `near` the same thing have vectors near each other."""

    memory_type: MemoryType
    topic: str
    content: str
    scope: str = "personal"
    near: str | None = None


PROMISE = Kept(MemoryType.COMMITMENT, "a topic", "thing 1")


def crowd(owner_url: str, *, tenants: int, shelf: Sequence[Kept] = (PROMISE,)) -> None:
    """That many tenants with a shelf each, of which the promises fell due yesterday."""
    now = datetime.now(UTC)
    parameters = {
        "tenants": tenants,
        "types": [kept.memory_type for kept in shelf],
        "scopes": [kept.scope for kept in shelf],
        "topics": [kept.topic for kept in shelf],
        "contents": [kept.content for kept in shelf],
        "then": now - timedelta(days=3),
        "due": now - timedelta(days=1),
    }
    with psycopg.connect(owner_url) as owner, seeing_everybody(owner):
        for statement in STATEMENTS:
            owner.execute(statement, parameters)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE")


@contextmanager
def seeing_everybody(owner: psycopg.Connection) -> Iterator[None]:
    """Row security is not forced on the owner within the block; nobody else sees that."""
    with owner.transaction():
        for table in TABLES:
            owner.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        yield
        for table in TABLES:
            owner.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def unsurfaced(owner_url: str, tenant_ids: list[UUID]) -> int:
    """How many promises of these tenants did not surface."""
    total = 0
    with psycopg.connect(owner_url, autocommit=True) as owner:
        for tenant_id in tenant_ids:
            owner.execute("SELECT set_config('app.tenant_id', %s, false)", [str(tenant_id)])
            (count,) = owner.execute("SELECT count(*) FROM commitments WHERE surfaced_at IS NULL").fetchone() or (0,)
            total += count
    return total
