"""Run the cases one after the other, round by round, and say how each went."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from threengram.core.db.statement import Step
from threengram.evals.bench import explain, processes
from threengram.evals.bench.cases import Case, Kind, Operations
from threengram.evals.bench.closed_loop import Figures, over_http
from threengram.evals.bench.floors import search_floor, search_steps
from threengram.evals.bench.world import Site, World

FLOOR_QUERIES = 50


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a case runs, how long before that nothing counts, and how many rounds there are."""

    duration_s: float
    warm_up_s: float
    rounds: int


@dataclass
class Results:
    """Every run of every case, the resident memory of each process, and plans by tenant."""

    runs: dict[Case, list[Figures]] = field(default_factory=dict)
    memory: dict[str, dict[str, processes.Memory]] = field(default_factory=dict)
    plans: dict[Site, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class Runner:
    """Runs cases on a world; `report` gets a line about each."""

    def __init__(self, world: World, pace: Pace, report: Callable[[str], None]) -> None:
        self.results = Results()
        self._world = world
        self._pace = pace
        self._report = report
        self._operations = Operations(world)
        self._searches: dict[Site, list[list[Step]]] = {}

    async def run(self, cases: Sequence[Case]) -> None:
        """All cases once a round, so that a slow spell of the machine hits every case alike."""
        for _ in range(self._pace.rounds):
            for case in cases:
                figures = await self._run(case)
                self.results.runs.setdefault(case, []).append(figures)
                self._report(f"{case.label}: {_summary(figures)}")

    def note_memory(self, moment: str) -> None:
        """Remember what every process holds now."""
        self.results.memory[moment] = {
            process.name: processes.memory(process.pid, with_children=process.has_children)
            for process in self._world.product.processes
        }

    def note_seconds(self, what: str, started: float) -> None:
        """Remember how long something took since `started` (monotonic)."""
        self.results.seconds[what] = round(time.monotonic() - started, 1)
        self._report(f"{what}: {self.results.seconds[what]} s")

    async def explain(self, site: Site) -> None:
        """Keep the plan of one search of a tenant."""
        searches = await self._planned(site)
        principal = self._world.callers[site].principal
        self.results.plans[site] = await explain.explained(self._world.product.runtime_url, principal, searches[0])

    async def _run(self, case: Case) -> Figures:
        product = self._world.product
        if case.kind is Kind.SEARCH_FLOOR:
            return await search_floor(
                product.runtime_url,
                self._world.callers[case.site].principal,
                await self._planned(case.site),
                concurrency=case.concurrency,
                duration_s=self._pace.duration_s,
                warm_up_s=self._pace.warm_up_s,
                watched=product.processes,
            )
        service = "embedder" if case.kind is Kind.EMBED_FLOOR else "gateway"
        return await over_http(
            await self._operations.of(case),
            port=product.ports.listener(service),
            concurrency=case.concurrency,
            duration_s=self._pace.duration_s,
            warm_up_s=self._pace.warm_up_s,
            watched=product.processes,
        )

    async def _planned(self, site: Site) -> list[list[Step]]:
        if site not in self._searches:
            world = self._world
            self._searches[site] = await search_steps(
                world.core,
                world.product.runtime_url,
                world.callers[site].principal,
                world.corpus.queries[:FLOOR_QUERIES],
            )
        return self._searches[site]


def _summary(figures: Figures) -> str:
    cpu = ", ".join(f"{name} {used}" for name, used in figures.cpu_ms_per_call.items() if used >= 0.1)
    text = (
        f"{figures.calls_per_s} calls/s, p50/p95/p99 {figures.p50_ms}/{figures.p95_ms}/{figures.p99_ms} ms,"
        f" complete {figures.complete_share:.1%}, CPU ms/call: {cpu}, client {figures.client_cpu_ms_per_call}"
        f" (load {figures.load_average}, other CPU {figures.other_cpu_s} s)"
    )
    return text + (f", errors {dict(figures.errors)}" if figures.errors else "")
