"""The rate limiter against a real Valkey, which is also taken away from it."""

import contextlib
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import anyio
import pytest
from redis.exceptions import RedisError

from tests.servers import free_port, running
from threengram.cli.account import own, service_account
from threengram.cli.binaries import valkey_program
from threengram.cli.embedded_valkey import EmbeddedValkey
from threengram.runtime.metrics import REGISTRY
from threengram.runtime.ratelimit import RateLimiter, Rule

pytestmark = pytest.mark.anyio

READS = Rule("mcp_user", calls=5, per_s=60, fallback="open")
LOGINS = Rule("login", calls=3, per_s=60, fallback="local")


class Switchable:
    """A Valkey that the test can stop and start again on the same port."""

    def __init__(self, server: EmbeddedValkey) -> None:
        self.url = server.url
        self._server = server
        self._stack = ExitStack()

    def start(self) -> None:
        """Run, empty."""
        self._stack.enter_context(running(self._server.command(), self._server.accepts_connections))

    def stop(self) -> None:
        """End the process."""
        self._stack.close()


@pytest.fixture
def valkey() -> Iterator[Switchable]:
    """A running server of this test's own, in a directory that the service account can reach."""
    with tempfile.TemporaryDirectory(prefix="threengram-test-") as name:
        directory, account = Path(name), service_account()
        own(directory, account)
        program = valkey_program(directory, account)
        switch = Switchable(EmbeddedValkey(directory, program, free_port(), secrets.token_urlsafe(), account))
        switch.start()
        try:
            yield switch
        finally:
            switch.stop()


@asynccontextmanager
async def limiter(url: str) -> AsyncIterator[RateLimiter]:
    """A started limiter, patient: a busy machine must not look like an outage, which is told by refused connections."""
    limits = RateLimiter(url, timeout_s=30)
    await limits.start()
    try:
        yield limits
    finally:
        await limits.aclose()


def failures(rule: Rule) -> float:
    """How often the shared counters failed for the rule."""
    labels = {"rule": rule.name, "fallback": rule.fallback}
    return REGISTRY.get_sample_value("threengram_ratelimit_store_failures_total", labels) or 0.0


async def test_two_replicas_count_together_from_the_first_call(valkey: Switchable) -> None:
    async with limiter(valkey.url) as one, limiter(valkey.url) as other:
        verdicts = [await replica.hit(READS, "alice") for replica in (one, other, one, other, one, other)]
        bob = await other.hit(READS, "bob")

    assert [verdict.allowed for verdict in verdicts] == [True] * 5 + [False]
    assert [verdict.remaining for verdict in verdicts] == [4, 3, 2, 1, 0, 0]
    assert {verdict.limit for verdict in verdicts} == {5}
    assert 55 < verdicts[-1].retry_after_s <= 60
    assert 55 < verdicts[-1].reset_s <= 60
    assert verdicts[0].retry_after_s == 0
    assert (bob.allowed, bob.remaining) == (True, 4)


async def test_calls_at_the_same_time_never_exceed_the_limit(valkey: Switchable) -> None:
    rule = Rule("mcp_user", calls=50, per_s=60, fallback="open")
    allowed: list[bool] = []

    async def call(limits: RateLimiter) -> None:
        allowed.append((await limits.hit(rule, "alice")).allowed)

    async with limiter(valkey.url) as one, limiter(valkey.url) as other, anyio.create_task_group() as group:
        for replica in (one, other) * 60:
            group.start_soon(call, replica)

    assert (allowed.count(True), allowed.count(False)) == (50, 70)


async def test_a_refused_caller_gets_through_after_the_promised_wait(valkey: Switchable) -> None:
    rule = Rule("mcp_user", calls=2, per_s=1, fallback="open")
    async with limiter(valkey.url) as limits:
        with anyio.fail_after(60):
            while (verdict := await limits.hit(rule, "alice")).allowed:
                pass  # The third one, unless the machine stood still for a window.
            assert verdict.retry_after_s <= rule.per_s
            await anyio.sleep(verdict.retry_after_s + 0.01)
            assert (await limits.hit(rule, "alice")).allowed


@pytest.mark.usefixtures("one_window")
async def test_without_redis_a_credential_route_counts_in_the_process(valkey: Switchable) -> None:
    async with limiter(valkey.url) as limits:
        valkey.stop()
        before = failures(LOGINS)
        verdicts = [await limits.hit(LOGINS, "alice") for _ in range(4)]

    assert [verdict.allowed for verdict in verdicts] == [True, True, True, False]
    assert [verdict.remaining for verdict in verdicts] == [2, 1, 0, 0]
    assert 0 < verdicts[-1].retry_after_s <= 60
    assert failures(LOGINS) == before + 4


@pytest.mark.usefixtures("one_window")
async def test_losing_redis_gives_a_credential_route_no_second_allowance(valkey: Switchable) -> None:
    async with limiter(valkey.url) as limits:
        before = [await limits.hit(LOGINS, "alice") for _ in range(2)]
        valkey.stop()
        after = [await limits.hit(LOGINS, "alice") for _ in range(2)]

    assert [verdict.allowed for verdict in (*before, *after)] == [True, True, True, False]


async def test_without_redis_reads_stay_open_and_the_failure_is_counted(valkey: Switchable) -> None:
    async with limiter(valkey.url) as limits:
        valkey.stop()
        before = failures(READS)
        verdicts = [await limits.hit(READS, "alice") for _ in range(10)]
        with pytest.raises((RedisError, OSError)):
            await limits.check()

    assert all(verdict.allowed for verdict in verdicts)
    assert failures(READS) == before + 10


async def test_the_shared_counters_take_over_again_when_redis_is_back(valkey: Switchable) -> None:
    async with limiter(valkey.url) as limits:
        valkey.stop()
        await limits.hit(READS, "alice")
        valkey.start()
        await limits.check()

        verdicts = [await limits.hit(READS, "alice") for _ in range(6)]

    assert [verdict.allowed for verdict in verdicts] == [True] * 5 + [False]


async def test_a_replica_that_started_without_redis_limits_once_it_is_there(valkey: Switchable) -> None:
    valkey.stop()
    async with limiter(valkey.url) as limits:
        assert (await limits.hit(READS, "alice")).allowed
        valkey.start()

        with anyio.fail_after(60):
            while (await limits.hit(READS, "alice")).remaining == READS.calls:  # noqa: ASYNC110
                await anyio.sleep(0.02)  # A bounded wait for a server that is starting.
        assert (await limits.hit(READS, "alice")).remaining == 3


def connected_to(silent: socket.socket) -> bool:
    """Whether anybody has connected since the last time."""
    seen = False
    with contextlib.suppress(BlockingIOError):
        while True:
            silent.accept()[0].close()
            seen = True
    return seen


async def test_an_unresponsive_redis_costs_one_short_timeout_then_nothing_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, now = [], [100.0]
    monkeypatch.setattr("threengram.runtime.ratelimit.time", SimpleNamespace(monotonic=lambda: now[0]))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        limits = RateLimiter(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", timeout_s=0.1)
        for _ in range(20):
            assert (await limits.hit(READS, "alice")).allowed
            asked.append(connected_to(silent))
        now[0] += 1
        assert (await limits.hit(READS, "alice")).allowed
        asked.append(connected_to(silent))
        await limits.aclose()

    assert asked == [True] + [False] * 19 + [True]
