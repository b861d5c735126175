"""A closed loop: each of `concurrency` connections sends its next request when the last answer is complete."""

import asyncio
import os
import resource
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from threengram.evals.bench import processes
from threengram.evals.bench.client import Connection
from threengram.evals.bench.operations import Operation

ANSWER_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Process:
    """A process whose CPU is counted, with what it started where it serves by children (PostgreSQL)."""

    name: str
    pid: int
    has_children: bool = False

    def cpu_s(self) -> float:
        """CPU seconds so far."""
        return processes.cpu_s(self.pid, with_children=self.has_children)


@dataclass(frozen=True)
class Figures:
    """One run. Latencies are of the calls that count; `complete_share` says how many of all did.

    `embeddings` counts the embedder's requests meanwhile, by priority and outcome, the warm-up's included.
    `other_cpu_s` is CPU time that neither the product nor this client used: the noise of the machine.
    """

    concurrency: int
    duration_s: float
    calls: int
    calls_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_ms: float
    complete_share: float
    errors: Mapping[str, int]
    bytes_per_answer: int
    cpu_ms_per_call: Mapping[str, float]
    client_cpu_ms_per_call: float
    other_cpu_s: float
    load_average: float
    embeddings: Mapping[str, int] = field(default_factory=dict)


@dataclass
class _Tally:
    latencies_s: list[float] = field(default_factory=list)
    incomplete: int = 0
    answer_bytes: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return len(self.latencies_s) + self.incomplete + self.errors.total()


Attempt = Callable[[], Awaitable[tuple[str, int]]]
"""One call: "" for a complete answer, "incomplete", or the kind of error; and the size of the answer in bytes."""


async def over_http(
    operation: Operation,
    *,
    port: int,
    concurrency: int,
    duration_s: float,
    warm_up_s: float,
    watched: Sequence[Process] = (),
) -> Figures:
    """The figures of an operation on a loopback port."""
    connections = [Connection("127.0.0.1", port) for _ in range(concurrency)]
    try:
        attempts = [_attempt(connection, operation) for connection in connections]
        return await measure(attempts, duration_s=duration_s, warm_up_s=warm_up_s, watched=watched)
    finally:
        for connection in connections:
            connection.close()


async def measure(
    attempts: Sequence[Attempt], *, duration_s: float, warm_up_s: float, watched: Sequence[Process] = ()
) -> Figures:
    """Repeat each attempt without a pause, all at once, and count those that begin after the warm-up."""
    tally = _Tally()
    begin = time.perf_counter() + warm_up_s
    end = begin + duration_s
    loops = [asyncio.create_task(_repeat(attempt, tally, begin, end)) for attempt in attempts]
    await asyncio.sleep(warm_up_s)
    before, busy, own = {process.name: process.cpu_s() for process in watched}, processes.busy_s(), _own_cpu_s()
    await asyncio.gather(*loops)
    elapsed_s = time.perf_counter() - begin
    used = {process.name: process.cpu_s() - before[process.name] for process in watched}
    own_s = _own_cpu_s() - own
    latencies = sorted(tally.latencies_s) or [float("nan")]
    calls = max(tally.calls, 1)
    return Figures(
        concurrency=len(attempts),
        duration_s=round(elapsed_s, 2),
        calls=tally.calls,
        calls_per_s=round(len(tally.latencies_s) / elapsed_s, 1),
        p50_ms=_ms(latencies, 0.50),
        p95_ms=_ms(latencies, 0.95),
        p99_ms=_ms(latencies, 0.99),
        mean_ms=round(statistics.fmean(latencies) * 1e3, 2),
        complete_share=round(len(tally.latencies_s) / calls, 4),
        errors=dict(tally.errors),
        bytes_per_answer=tally.answer_bytes // calls,
        cpu_ms_per_call={name: round(used_s / calls * 1e3, 3) for name, used_s in used.items()},
        client_cpu_ms_per_call=round(own_s / calls * 1e3, 3),
        other_cpu_s=round(max(0.0, processes.busy_s() - busy - sum(used.values()) - own_s), 2),
        load_average=round(os.getloadavg()[0], 2),
    )


async def _repeat(attempt: Attempt, tally: _Tally, begin: float, end: float) -> None:
    while (start := time.perf_counter()) < end:
        outcome, size = await attempt()
        if start < begin:
            continue
        tally.answer_bytes += size
        if outcome == "":
            tally.latencies_s.append(time.perf_counter() - start)
        elif outcome == "incomplete":
            tally.incomplete += 1
        else:
            tally.errors[outcome] += 1


def _attempt(connection: Connection, operation: Operation) -> Attempt:
    async def attempt() -> tuple[str, int]:
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                status, body = await connection.request(next(operation.requests))
        except (OSError, EOFError) as error:
            connection.close()
            return type(error).__name__, 0
        if status != operation.status:
            return f"status {status}", len(body)
        if any(mark in body for mark in operation.refused):
            return "error in the answer", len(body)
        return ("" if operation.wanted in body else "incomplete"), len(body)

    return attempt


def _own_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _ms(latencies: Sequence[float], share: float) -> float:
    return round(latencies[min(len(latencies) - 1, int(share * len(latencies)))] * 1e3, 2)
