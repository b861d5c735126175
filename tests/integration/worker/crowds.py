"""Many tenants at once, written as SQL by the owner into a database of the test's own."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

TABLES = ("tenants", "tenant_counters", "users", "memories", "memory_lifetimes", "commitments")

STATEMENTS = (
    "CREATE TEMPORARY TABLE crowd ON COMMIT DROP AS"
    " SELECT md5('tenant ' || n)::uuid AS tenant_id, md5('user ' || n)::uuid AS user_id, n"
    " FROM generate_series(1, %(tenants)s) n",
    "INSERT INTO tenants (id, name, created_at) SELECT tenant_id, 'one of many', %(then)s FROM crowd",
    "INSERT INTO tenant_counters (tenant_id, memory_count) SELECT tenant_id, %(memories)s FROM crowd",
    "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
    " SELECT tenant_id, user_id, n || '@example.test', %(then)s, %(then)s FROM crowd",
    "INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars, content_hash,"
    " scope, valid_from, recorded_at, touched_at)"
    " SELECT tenant_id, md5(n || ' memory ' || m)::uuid, m, user_id,"
    "  CASE WHEN m <= %(promises)s THEN 'commitment' ELSE 'note' END, 'a topic', 'thing ' || m, 8,"
    "  sha256(('thing ' || m)::bytea), 'personal', %(then)s, %(then)s, %(then)s"
    " FROM crowd, generate_series(1, %(memories)s) m",
    "INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from)"
    " SELECT tenant_id, id, 1, valid_from, 'active', recorded_at FROM memories",
    "INSERT INTO commitments (tenant_id, id, memory_id, due_at, next_surfacing_at, recorded_at, updated_at)"
    " SELECT tenant_id, id, id, %(due)s, %(due)s, recorded_at, recorded_at FROM memories"
    " WHERE memory_type = 'commitment'",
)


def crowd(owner_url: str, *, tenants: int, memories: int = 1, promises: int = 1) -> None:
    """That many tenants with as many memories each, of which the first ones are promises that fell due yesterday."""
    now = datetime.now(UTC)
    parameters = {"tenants": tenants, "memories": memories, "promises": promises, "then": now - timedelta(days=3),
                  "due": now - timedelta(days=1)}  # fmt: skip
    with psycopg.connect(owner_url) as owner:
        for table in TABLES:
            owner.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        for statement in STATEMENTS:
            owner.execute(statement, parameters)
        for table in TABLES:
            owner.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE")


def unsurfaced(owner_url: str, tenant_ids: list[UUID]) -> int:
    """How many promises of these tenants did not surface."""
    total = 0
    with psycopg.connect(owner_url, autocommit=True) as owner:
        for tenant_id in tenant_ids:
            owner.execute("SELECT set_config('app.tenant_id', %s, false)", [str(tenant_id)])
            (count,) = owner.execute("SELECT count(*) FROM commitments WHERE surfaced_at IS NULL").fetchone() or (0,)
            total += count
    return total
