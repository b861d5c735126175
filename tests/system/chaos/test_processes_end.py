"""Processes that are ended while forty callers go on: what was acknowledged stays, and service comes back."""

import asyncio
import os
import signal
import time

import psutil
import psycopg
import pytest

from tests.stack import RunningStack
from tests.system.agent import eventually
from tests.system.chaos.load import Load
from threengram.cli import secrets
from threengram.cli.embedded_postgres import SUPERUSER
from threengram.cli.layout import Layout
from threengram.cli.ports import Ports

CALLERS = 40
BACK_WITHIN_S = 5.0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["in order", "killed"])
async def test_a_restart_of_postgres_loses_no_acknowledged_write(
    stack: RunningStack, load: Load, how: signal.Signals
) -> None:
    async with load.running(CALLERS):
        await load.answers(200)
        await end(stack, "postgres", how)
        await eventually(lambda: asyncio.to_thread(postgres_accepts_connections, stack))
        accepted_at = time.monotonic()
        served_at = await load.answers(1)
        print(f"answers came {served_at - accepted_at:.2f} s after PostgreSQL accepted connections")
        assert served_at - accepted_at < BACK_WITHIN_S
        await load.answers(200)
    assert load.failures
    await load.require_everything_once()
    await load.require_all_vectors()


@pytest.mark.parametrize("service", ["valkey", "embedder", "worker"])
async def test_the_end_of_a_process_that_calls_can_do_without_fails_no_call(
    stack: RunningStack, load: Load, service: str
) -> None:
    async with load.running(CALLERS):
        await load.answers(100)
        await end(stack, service, signal.SIGKILL)
        await load.answers(400)
    assert not load.failures
    await load.require_everything_once()
    await load.require_all_vectors()


async def test_the_end_of_a_gateway_fails_only_the_calls_that_it_held(stack: RunningStack, load: Load) -> None:
    async with load.running(CALLERS):
        await load.answers(100)
        await end(stack, "gateway", signal.SIGKILL)
        await load.answers(400)
    assert sum(load.failures.values()) <= 2 * CALLERS
    await load.require_everything_once()
    await load.require_all_vectors()


async def end(stack: RunningStack, service: str, how: signal.Signals) -> None:
    """Send the signal to a process of the service and wait until it has ended."""
    pids = stack.record["pids"][service]
    process = psutil.Process(pids[0] if isinstance(pids, list) else pids)
    os.kill(process.pid, how)
    await eventually(lambda: has_ended(process))


async def has_ended(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def postgres_accepts_connections(stack: RunningStack) -> bool:
    password = secrets.load(Layout(stack.data_dir).secrets).postgres_password
    port = Ports(stack.port_base).postgres
    try:
        psycopg.connect(f"postgresql://{SUPERUSER}:{password}@127.0.0.1:{port}/{SUPERUSER}", connect_timeout=1).close()
    except psycopg.OperationalError:
        return False
    return True
