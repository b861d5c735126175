"""Memories for somebody who looks at them, written by a program of theirs over REST."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from tests.contract.rest.stack import BOTH
from tests.integration.runtime.processes import Service
from tests.people import in_database
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.identity.api_keys import create_api_key

NOW = datetime.now(UTC)


def _ago(**span: float) -> str:
    return (NOW - timedelta(**span)).isoformat(timespec="seconds")


def _squat(value: str, days: float) -> dict[str, Any]:
    fact = {
        "subject": "lift.back_squat",
        "predicate": "top_set.weight_kg",
        "value": value,
        "validFrom": _ago(days=days),
    }
    return {"memoryType": "event", "topic": f"Back squat, {value} kg", "content": f"Top set: {value} kg for three.",
            "project": "training", "facts": [fact]}  # fmt: skip


LIFE: Sequence[Mapping[str, Any]] = [
    *(_squat(value, days) for value, days in (("90", 40), ("92.5", 30), ("95", 20), ("94", 12), ("98", 2))),
    {"memoryType": "preference", "topic": "Small reviews in the morning", "scope": "work",
     "content": "Pull requests are read between nine and twelve, and should stay under two hundred lines."},
    {"memoryType": "note", "topic": "اجتماع الفريق", "content": "نلتقي كل يوم اثنين في التاسعة صباحا مع فريق أوسلو.",
     "scope": "work", "tags": ["أوسلو"]},
    {"memoryType": "commitment", "topic": "Send the quarterly figures to Priya", "scope": "work", "project": "ledger",
     "content": "Third quarter, as a spreadsheet and in two sentences.", "owner": "Olga", "dueAt": _ago(days=2)},
    {"memoryType": "commitment", "topic": "Rotate the signing key", "scope": "work", "project": "ledger",
     "content": "Announce it a day ahead.", "dueAt": _ago(days=-9), "recurrence": "FREQ=MONTHLY"},
    {"memoryType": "blocker", "topic": "The Oslo office waits for an export licence", "scope": "work",
     "content": "Legal has asked for it; nothing can be shipped before.", "project": "oslo"},
    {"memoryType": "pattern", "topic": "Friday deploys go wrong", "scope": "work", "project": "ledger",
     "content": "Three of the last four rollbacks were deploys on a Friday after four o'clock."},
    {"memoryType": "decision", "topic": "PostgreSQL for the ledger", "scope": "work", "project": "ledger",
     "content": "The ledger stays in PostgreSQL, four shards, one for each region. A document store was turned down: "
     "the audit needs foreign keys.", "tags": ["database", "audit"],
     "facts": [{"subject": "ledger", "predicate": "shards.count", "value": "4"}]},
]  # fmt: skip
"""Oldest first."""


def live(api: Service, database_url: str, email: str, memories: Sequence[Mapping[str, Any]] = LIFE) -> list[str]:
    """Write memories for the owner of an address; their ids."""

    async def a_key(database: Database) -> str:
        owner = await provision.find_user(database, email)
        assert owner is not None
        return (await create_api_key(database, owner, name="a key", scopes=BOTH, now=datetime.now(UTC))).text

    key = in_database(database_url, a_key)
    with httpx2.Client(base_url=f"{api.url}/api/v1", headers={"x-api-key": key}, timeout=60, trust_env=False) as http:
        return [http.post("/memories", json=memory).raise_for_status().json()["memory"]["id"] for memory in memories]
