"""Take away what has ended: tokens, codes, families, grants, clients without grants, keys that nobody needs."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.oauth import queries

ENDED_KEPT = timedelta(days=1)
"""How long an ended credential stays to be looked at; a replayed one is refused as unknown after that."""

UNUSED_CLIENT_KEPT = timedelta(days=30)
"""How long a client without any grant keeps its registration."""

KEYS_FOLLOWED_AFTER = timedelta(minutes=5)
"""By then every process signs with the successor of a key, whatever it had cached."""

BATCH = 1_000
MAX_BATCHES = 1_000


@dataclass(frozen=True, slots=True)
class Purged:
    """Rows taken away, and signing keys withdrawn."""

    tokens: int
    codes: int
    families: int
    grants: int
    clients: int
    keys: int


async def purge(database: Database, now: datetime) -> Purged:
    """Take away all that ended long enough ago, in bounded statements; it may run twice, and be cut short anywhere."""
    ended, unused = now - ENDED_KEPT, now - UNUSED_CLIENT_KEPT
    return Purged(
        # In this order: each of them is held by those before it.
        tokens=await _emptied(database, queries.SWEEP_TOKENS, ended),
        codes=await _emptied(database, queries.SWEEP_CODES, ended),
        families=await _emptied(database, queries.SWEEP_FAMILIES, ended),
        grants=await _emptied(database, queries.SWEEP_GRANTS, ended),
        clients=await _emptied(database, queries.SWEEP_CLIENTS, unused),
        keys=await withdraw_keys(database, now),
    )


async def withdraw_keys(database: Database, now: datetime) -> int:
    """Stop publishing the retiring keys by which no token is signed any more; how many that were."""
    async with database.system() as tx:
        parameters = {"now": now, "followed_after": KEYS_FOLLOWED_AFTER}
        rows = await tx.fetch_last(queries.SWEEP_KEYS, parameters)
    return int(rows[0]["total"])


async def _emptied(database: Database, sweep: Statement, before: datetime) -> int:
    total = 0
    for _ in range(MAX_BATCHES):
        async with database.system() as tx:
            rows = await tx.fetch_last(sweep, {"before": before, "limit": BATCH})
        total += rows[0]["total"]
        if rows[0]["total"] < BATCH:
            break
    return total
