"""The whole product behind the pooler: many tenants at once over few server connections."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, LiteralString
from urllib.parse import urlunsplit

import httpx2
import psycopg
import pytest
from psycopg.rows import dict_row

from tests.stack import RunningStack, data_directory, hashing, running_stack
from tests.system.agent import Agent, agents, eventually
from tests.system.pooler.pgbouncer import console, follows_prepared_statements, pgbouncer
from threengram.cli import secrets
from threengram.cli.account import service_account
from threengram.cli.backends import RUNTIME_ROLE
from threengram.cli.embedded_postgres import DATABASE
from threengram.cli.free_ports import claim_range
from threengram.cli.layout import Layout
from threengram.cli.ports import Ports

TENANTS = 50
WRITES = 2_000
PARALLEL = 24
POOL_SIZE = 6
TYPES = ("note", "decision", "fact", "commitment", "preference")


class Pooled:
    """A stack whose services all reach PostgreSQL through `pooler_url`."""

    def __init__(self, stack: RunningStack, pooler_url: str) -> None:
        self.stack = stack
        self.pooler_url = pooler_url


@pytest.fixture(scope="module")
def pooled() -> Iterator[Pooled]:
    with ExitStack() as resources:
        variables = resources.enter_context(pytest.MonkeyPatch.context())
        data_dir = resources.enter_context(data_directory())
        layout, base = Layout(data_dir), claim_range()
        layout.create(service_account())
        password = secrets.load_or_create(layout.secrets).runtime_password
        netloc = f"{RUNTIME_ROLE}:{password}@127.0.0.1:{Ports(base).postgres}"
        direct = urlunsplit(("postgresql", netloc, f"/{DATABASE}", "", ""))
        url = resources.enter_context(pgbouncer(direct, pool_size=POOL_SIZE))
        for service in ("GATEWAY", "API", "WORKER"):
            variables.setenv(f"THREENGRAM_{service}_DATABASE_URL", url)
            prepares = str(follows_prepared_statements()).lower()
            variables.setenv(f"THREENGRAM_{service}_DATABASE_PREPARED_STATEMENTS", prepares)
        options = hashing("--replicas=gateway=2")
        yield Pooled(resources.enter_context(running_stack(data_dir, *options, port_base=base)), url)


def body(tenant: int, number: int) -> dict[str, Any]:
    kind = TYPES[number % len(TYPES)]
    claims = [{"subject": f"tenant {tenant}", "predicate": "entry", "value": str(number)}] if kind == "fact" else []
    content = f"Entry {number} of the ledger of tenant {tenant}."
    return {"memoryType": kind, "topic": f"Ledger {tenant}", "content": content, "facts": claims}


async def test_fifty_tenants_interleaved_on_two_gateways_keep_exactly_what_is_theirs(pooled: Pooled) -> None:
    # A kept connection stays with the gateway that took it; new ones reach both.
    async with agents(pooled.stack, TENANTS, keeps_alive=False) as everybody:
        writes = [(tenant, number) for tenant in range(TENANTS) for number in range(WRITES // TENANTS)]
        random.Random(0).shuffle(writes)
        await in_parallel(everybody, writes)
        for tenant, agent in enumerate(everybody):
            listed = Counter(hit["content"] for hit in await agent.everything())
            expected = {body(tenant, number)["content"] for number in range(WRITES // TENANTS)}
            assert listed == dict.fromkeys(expected, 1), tenant
            assert (await agent.call("describe_environment"))["stats"]["activeMemories"] == len(expected)

        async def everything_is_embedded() -> bool:
            return not any([await agent.pending() for agent in everybody])

        await eventually(everything_is_embedded)
    assert min(calls_of_each_gateway(pooled.stack)) > WRITES // 50


async def in_parallel(everybody: list[Agent], writes: list[tuple[int, int]]) -> None:
    """All writes, each followed by a search in the same tenant, with `PARALLEL` tenants' calls under way."""
    waiting = iter(writes)

    async def work() -> None:
        for tenant, number in waiting:
            await everybody[tenant].call("remember", **body(tenant, number))
            if number % 10 == 0:
                found = await everybody[tenant].call("search", query="entry of the ledger")
                assert {hit["topic"] for hit in found["hits"]} <= {f"Ledger {tenant}"}

    async with asyncio.TaskGroup() as group:
        for _ in range(PARALLEL):
            group.create_task(work())


def calls_of_each_gateway(stack: RunningStack) -> list[float]:
    counts = []
    for url in stack.record["adminUrls"]["gateway"]:
        lines = httpx2.get(f"{url}/metrics", timeout=60, trust_env=False).text.splitlines()
        counts.append(
            sum(
                float(line.rpartition(" ")[2])
                for line in lines
                if line.startswith("mcp_server_operation_duration_seconds_count") and 'tool="remember"' in line
            )
        )
    return counts


def test_no_server_connection_remembers_a_tenant(pooled: Pooled) -> None:
    """Holds every server connection of the pool at once, so that none is left out."""
    with ExitStack() as held:
        connections = [held.enter_context(psycopg.connect(pooled.pooler_url)) for _ in range(POOL_SIZE)]
        try:
            seen = [
                connection.execute(
                    "SELECT pg_backend_pid(), count(*), NULLIF(current_setting('app.tenant_id', true), '')"
                    " FROM memories"
                ).fetchone()
                for connection in connections
            ]
        except psycopg.Error as error:
            raise AssertionError(f"a server connection is not free: {show(pooled, 'SERVERS')}") from error
        (pool,) = [row for row in show(pooled, "POOLS") if row["database"] == DATABASE]
    assert [row[1:] for row in seen if row] == [(0, None)] * POOL_SIZE
    assert len({row[0] for row in seen if row}) == POOL_SIZE
    assert (pool["sv_active"], pool["pool_mode"]) == (POOL_SIZE, "transaction")


def show(pooled: Pooled, what: LiteralString) -> list[dict[str, Any]]:
    """What PgBouncer says about itself."""
    with psycopg.connect(console(pooled.pooler_url), autocommit=True, row_factory=dict_row) as pooler:
        return pooler.execute(f"SHOW {what}", prepare=False).fetchall()
