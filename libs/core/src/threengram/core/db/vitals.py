"""How the database itself is doing, as far as any role may see: for dashboards and alerts, whoever runs the server."""

from collections.abc import Mapping
from dataclasses import dataclass

from threengram.core.db.database import Database
from threengram.core.db.statement import Statement

MIGRATION_LOCK = 7_236_401
"""Key of the advisory lock that a migration holds while it runs."""

SERVER = Statement(
    "database_vitals",
    """
    SELECT s.numbackends AS sessions, current_setting('max_connections')::int AS max_sessions,
           s.xact_commit AS commits, s.xact_rollback AS rollbacks, s.deadlocks, s.temp_bytes,
           s.blks_hit AS blocks_hit, s.blks_read AS blocks_read,
           age(d.datfrozenxid) AS transaction_id_age,
           current_setting('archive_mode') <> 'off' AS is_archiving,
           a.archived_count AS archived, a.failed_count AS archive_failures,
           extract(epoch FROM clock_timestamp() - coalesce(a.last_archived_time, a.stats_reset))::float8
               AS archive_age_s,
           (SELECT count(*) FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.database = d.oid AND l.granted
              AND l.classid = 0 AND l.objid = 7236401 AND l.objsubid = 1) AS migrations
    FROM pg_database d JOIN pg_stat_database s ON s.datid = d.oid CROSS JOIN pg_stat_archiver a
    WHERE d.datname = current_database()
    """,
)
TABLES = Statement(
    "table_sizes",
    """
    SELECT coalesce(r.relname, c.relname) AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes,
           sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), 0))::bigint AS rows
    FROM pg_class c LEFT JOIN pg_class r ON r.oid = pg_partition_root(c.oid)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    GROUP BY 1
    """,
)
KEYS = Statement("signing_keys_by_state", "SELECT state, count(*) AS keys FROM signing_keys GROUP BY state")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its partitions, indexes and long values; `rows` is an estimate."""

    bytes: int
    rows: int


@dataclass(frozen=True, slots=True)
class Vitals:
    """One reading. Counts are since the server's statistics began.

    `archive_age_s` is the time since the last segment of the write-ahead log was archived; None without archiving.
    """

    sessions: int
    max_sessions: int
    commits: int
    rollbacks: int
    deadlocks: int
    temp_bytes: int
    blocks_hit: int
    blocks_read: int
    transaction_id_age: int
    archived: int
    archive_failures: int
    archive_age_s: float | None
    migrations: int
    tables: Mapping[str, Table]
    keys: Mapping[str, int]


async def vitals(database: Database) -> Vitals:
    """A reading of now; raises `Unavailable`."""
    async with database.system() as tx:
        (server,) = await tx.fetch(SERVER)
        tables = await tx.fetch(TABLES)
        keys = await tx.fetch_last(KEYS)
    if not server.pop("is_archiving"):
        server["archive_age_s"] = None
    return Vitals(
        **server,
        tables={row["name"]: Table(row["bytes"], row["rows"]) for row in tables},
        keys={row["state"]: row["keys"] for row in keys},
    )
