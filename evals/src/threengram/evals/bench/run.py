"""Run the cases one after the other, round by round, and say how each went."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from threengram.evals.bench import explain, processes
from threengram.evals.bench.cases import Case, Kind, Operations
from threengram.evals.bench.closed_loop import Figures, over_http
from threengram.evals.bench.floors import Unit, Verb, kept_steps, reading, remembering, searching, sql_floor
from threengram.evals.bench.operations import HITS
from threengram.evals.bench.outcomes import embedding_outcomes
from threengram.evals.bench.overlap import overlap
from threengram.evals.bench.world import Site, World
from threengram.evals.bench.writes import short_texts

FLOOR_CALLS = 50
OVERLAP_QUESTIONS = 40


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a case runs, how long before that nothing counts, and how many rounds there are."""

    duration_s: float
    warm_up_s: float
    rounds: int


@dataclass
class Results:
    """Every run of every case, the resident memory of each process, plans and overlaps by tenant."""

    runs: dict[Case, list[Figures]] = field(default_factory=dict)
    memory: dict[str, dict[str, processes.Memory]] = field(default_factory=dict)
    plans: dict[Site, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    overlaps: dict[Site, float] = field(default_factory=dict)


class Runner:
    """Runs cases on a world; `report` gets a line about each."""

    def __init__(self, world: World, pace: Pace, report: Callable[[str], None]) -> None:
        self.results = Results()
        self._world = world
        self._pace = pace
        self._report = report
        self._operations = Operations(world)
        self._kept: dict[tuple[Kind, Site | None], list[Unit]] = {}

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

    async def note_overlap(self, site: Site) -> None:
        """Remember how much of what comparing everything finds a walk in this tenant finds."""
        world = self._world
        questions = world.corpus.queries[:OVERLAP_QUESTIONS]
        principal = world.callers[site].principal
        share = await overlap(world.core, world.product.runtime_url, principal, questions)
        self.results.overlaps[site] = round(share, 3)
        self._report(f"overlap of a walk with comparing everything, {site}: {share:.3f}")

    async def explain(self, site: Site) -> None:
        """Keep the plan of one search of a tenant."""
        units = await self._units(Case(Kind.SEARCH_FLOOR, site, 1))
        principal = self._world.callers[site].principal
        self.results.plans[site] = await explain.explained(self._world.product.runtime_url, principal, units[0])

    async def _run(self, case: Case) -> Figures:
        if case.kind.is_sql:
            return await self._run_sql(case)
        product = self._world.product
        operation = await self._operations.of(case)
        before = await embedding_outcomes(product.ports.admin("embedder", 0))
        figures = await over_http(
            operation,
            port=product.ports.listener(case.kind.service),
            concurrency=case.concurrency,
            duration_s=self._pace.duration_s,
            warm_up_s=self._pace.warm_up_s,
            watched=product.processes,
        )
        after = await embedding_outcomes(product.ports.admin("embedder", 0))
        return replace(figures, embeddings=dict(after - before))

    async def _run_sql(self, case: Case) -> Figures:
        assert case.site is not None
        product = self._world.product
        return await sql_floor(
            product.runtime_url,
            self._world.callers[case.site].principal,
            await self._units(case),
            commits=case.kind is not Kind.REMEMBER_FLOOR,
            concurrency=case.concurrency,
            duration_s=self._pace.duration_s,
            warm_up_s=self._pace.warm_up_s,
            watched=product.processes,
        )

    async def _units(self, case: Case) -> list[Unit]:
        """What the calls of a kind send to the database, the same for every concurrency."""
        key = (case.kind, case.site)
        if key not in self._kept:
            assert case.site is not None
            world = self._world
            self._kept[key] = await kept_steps(
                world.core,
                world.product.runtime_url,
                world.callers[case.site].principal,
                await self._verbs(case.kind, case.site),
                commits=case.kind is not Kind.REMEMBER_FLOOR,
            )
        return self._kept[key]

    async def _verbs(self, kind: Kind, site: Site) -> list[Verb]:
        if kind is Kind.SEARCH_FLOOR:
            return [searching(query) for query in self._world.corpus.queries[:FLOOR_CALLS]]
        if kind is Kind.REMEMBER_FLOOR:
            return [remembering(text) for text in islice(short_texts(), FLOOR_CALLS)]
        ids = await self._world.some_ids(site)
        return [reading(ids[start : start + HITS]) for start in range(0, len(ids), HITS)]


def _summary(figures: Figures) -> str:
    cpu = ", ".join(f"{name} {used}" for name, used in figures.cpu_ms_per_call.items() if used >= 0.1)
    text = (
        f"{figures.calls_per_s} calls/s, p50/p95/p99 {figures.p50_ms}/{figures.p95_ms}/{figures.p99_ms} ms,"
        f" complete {figures.complete_share:.1%}, CPU ms/call: {cpu}, client {figures.client_cpu_ms_per_call}"
        f" (load {figures.load_average}, other CPU {figures.other_cpu_s} s)"
    )
    return text + (f", errors {dict(figures.errors)}" if figures.errors else "")
