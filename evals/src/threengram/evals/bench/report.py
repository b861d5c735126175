"""The report: figures of one measurement as Markdown, with what they are compared to beside them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from threengram.evals.bench.cases import Case, Kind
from threengram.evals.bench.closed_loop import Figures
from threengram.evals.bench.original import AIMS, MAX_CROWD_RATIO, MIN_OVERLAP, ORIGINAL
from threengram.evals.bench.overlap import NEAREST
from threengram.evals.bench.processes import Memory
from threengram.evals.bench.world import Site

FIGURE_NAMES = {"p50_ms": "p50 ms", "p95_ms": "p95 ms", "calls_per_s": "calls/s"}
SQL_OF = {
    Kind.SEARCH: Kind.SEARCH_FLOOR,
    Kind.SEARCH_LEGACY: Kind.SEARCH_FLOOR,
    Kind.SEARCH_REST: Kind.SEARCH_FLOOR,
    Kind.REMEMBER_SHORT: Kind.REMEMBER_FLOOR,
    Kind.REMEMBER_REST: Kind.REMEMBER_FLOOR,
    Kind.REMEMBER_FULL: Kind.REMEMBER_FLOOR,
    Kind.GET_MEMORIES: Kind.GET_MEMORIES_FLOOR,
}
EMBEDDING_OF = {
    Kind.SEARCH: Kind.EMBED_QUERY,
    Kind.SEARCH_LEGACY: Kind.EMBED_QUERY,
    Kind.SEARCH_REST: Kind.EMBED_QUERY,
    Kind.REMEMBER_SHORT: Kind.EMBED_60,
    Kind.REMEMBER_REST: Kind.EMBED_60,
    Kind.REMEMBER_FULL: Kind.EMBED_256,
}
PROCESSES = ("gateway", "api", "embedder", "postgres", "valkey", "worker")
BROKEN_DOWN = (
    Case(Kind.SEARCH, Site.SMALL, 1), Case(Kind.SEARCH, Site.MEDIUM, 1), Case(Kind.SEARCH, Site.LARGE, 1),
    Case(Kind.SEARCH_REST, Site.SMALL, 1), Case(Kind.REMEMBER_SHORT, Site.WRITER, 1),
    Case(Kind.REMEMBER_FULL, Site.WRITER, 1),
)  # fmt: skip


@dataclass(frozen=True)
class Measurement:
    """Everything the report says; `figures` has the median round of each case."""

    figures: Mapping[Case, Figures]
    machine: Mapping[str, object]
    corpus: str
    rounds: int
    duration_s: float
    memory: Mapping[str, Mapping[str, Memory]]
    seconds: Mapping[str, float]
    overlaps: Mapping[Site, float]
    images: Sequence[str] = field(default=())


def median_round(runs: Sequence[Figures]) -> Figures:
    """The run in the middle by median latency."""
    return sorted(runs, key=lambda run: run.p50_ms)[len(runs) // 2]


def document(measured: Measurement) -> str:
    """The whole report."""
    parts = [
        _introduction(measured),
        "## Against the aims\n\n" + _aims(measured.figures),
        *(f"![{image}]({image})" for image in measured.images),
        "## Every case\n\n" + _EXPLANATION + "\n\n" + _cases(measured.figures),
        "## What a walk finds\n\n" + _WALKS + "\n\n" + _overlaps(measured.overlaps),
        "## Where each millisecond goes\n\n" + _BREAKDOWN + "\n\n" + _breakdown(measured.figures),
        "## CPU milliseconds a call\n\n" + _cpu(measured),
        "## The embedder\n\n" + _embedder(measured.figures),
        "## Embeddings that came too late\n\n" + _late(measured.figures),
        "## Memory and starts\n\n" + _memory(measured.memory) + "\n\n" + _seconds(measured.seconds),
    ]
    return "\n\n".join(parts) + "\n"


_EXPLANATION = (
    "Latencies are in milliseconds and of complete calls only: searches that used vectors, writes that left with their "
    "vectors (a text of 2,000 characters has a second window, which always follows later). *complete* is their share. "
    "*SQL* and *embedder* are the medians of the call's own statement and of its text, each alone, straight from a "
    "driver at the same concurrency. *original* is the quotient of calls per second."
)
_WALKS = (
    f"Large tenants are searched along the index. The share of the {NEAREST} nearest memories, as comparing every "
    "vector finds them, that the walk has too; words play no part in it."
)
_BREAKDOWN = (
    "One caller. Embedding runs beside admission (one round trip), so what is neither model nor statement is the rest: "
    "HTTP, signature, rate limit, admission, validation, ranking, the answer, and the client."
)


def _introduction(measured: Measurement) -> str:
    machine = measured.machine
    loads = sorted(figures.load_average for figures in measured.figures.values())
    return (
        "# Benchmarks\n\nHow fast it is and what a call costs, beside the aims. Written by `make bench`. "
        "Product, database and load client share the machine: "
        f"{machine['cpus']} processors ({machine['processor']}), {machine['memory_gib']} GiB, {machine['system']}, "
        f"Python {machine['python']}. Closed loop, {measured.duration_s:g} s a case, {measured.rounds} round(s), no "
        "cached query vectors, rate limits checked but out of reach, no consolidation meanwhile. Texts: "
        f"{measured.corpus}. The load average was between {loads[0]} and {loads[-1]} (median "
        f"{loads[len(loads) // 2]}): above {machine['cpus']}, others used the machine too, and latencies say "
        "little, CPU time per call more."
    )


def _aims(figures: Mapping[Case, Figures]) -> str:
    rows = []
    for aim in AIMS:
        if (run := figures.get(aim.case)) is None:
            continue
        value = float(getattr(run, aim.figure))
        original = ORIGINAL.get(aim.case)
        sign = "≥" if aim.is_floor else "≤"
        rows.append([
            _named(aim.case), FIGURE_NAMES[aim.figure], f"{value:g}", f"{sign} {aim.bound:g}",
            "yes" if aim.is_met(value) else "no", _number(None if original is None else getattr(original, aim.figure)),
            f"{run.complete_share:.1%}", f"{run.load_average:g}",
        ])  # fmt: skip
    few, many = (figures.get(Case(Kind.SEARCH, site, 8)) for site in (Site.ONE_OF_TEN, Site.ONE_OF_THOUSANDS))
    if few is not None and many is not None:
        ratio = many.p95_ms / few.p95_ms
        met = "yes" if ratio <= MAX_CROWD_RATIO else "no"
        name = "MCP search, 20 among 5,000 tenants by 20 among 10, C=8"
        rows.append([name, "p95 quotient", f"{ratio:.2f}", f"≤ {MAX_CROWD_RATIO}", met,
                     "–", f"{many.complete_share:.1%}", f"{many.load_average:g}"])  # fmt: skip
    return table(["case", "figure", "measured", "aim", "met", "original", "complete", "load"], rows)


def _overlaps(overlaps: Mapping[Site, float]) -> str:
    rows = [[str(site), f"{share:.3f}", f"≥ {MIN_OVERLAP}"] for site, share in overlaps.items()]
    return table(["memories", "overlap", "aim"], rows)


def _cases(figures: Mapping[Case, Figures]) -> str:
    rows = []
    for case, run in figures.items():
        original = ORIGINAL.get(case)
        rows.append([
            case.kind, case.site or "–", str(case.concurrency), f"{run.calls_per_s:g}", _number(run.p50_ms),
            _number(run.p95_ms), _number(run.p99_ms), f"{run.complete_share:.1%}", _floor(figures, case, SQL_OF),
            _floor(figures, case, EMBEDDING_OF),
            "–" if original is None else f"{run.calls_per_s / original.calls_per_s:.1f}×",
            str(sum(run.errors.values())), f"{run.load_average:g}",
        ])  # fmt: skip
    heads = ["operation", "tenant", "C", "calls/s", "p50", "p95", "p99", "complete", "SQL", "embedder", "original",
             "errors", "load"]  # fmt: skip
    return table(heads, rows)


def _floor(figures: Mapping[Case, Figures], case: Case, kinds: Mapping[Kind, Kind]) -> str:
    run = _floor_run(figures, case, kinds)
    return "–" if run is None else _number(run.p50_ms)


def _floor_run(figures: Mapping[Case, Figures], case: Case, kinds: Mapping[Kind, Kind]) -> Figures | None:
    kind = kinds.get(case.kind)
    if kind is None:
        return None
    return figures.get(Case(kind, None if kind.is_embedding else case.site, case.concurrency))


def _breakdown(figures: Mapping[Case, Figures]) -> str:
    rows = []
    for case in BROKEN_DOWN:
        run = figures.get(case)
        sql, embedding = _floor_run(figures, case, SQL_OF), _floor_run(figures, case, EMBEDDING_OF)
        if run is None or sql is None or embedding is None:
            continue
        rest = run.p50_ms - sql.p50_ms - embedding.p50_ms
        rows.append([_named(case), _number(run.p50_ms), _number(embedding.p50_ms), _number(sql.p50_ms),
                     f"{rest:.1f}", f"{run.load_average:g}"])  # fmt: skip
    return table(["call", "p50", "its embedding", "its statement", "the rest", "load"], rows)


def _cpu(measured: Measurement) -> str:
    rows = []
    for case, run in measured.figures.items():
        used = [run.cpu_ms_per_call.get(name, 0.0) for name in PROCESSES]
        total = sum(run.cpu_ms_per_call.values())
        original = ORIGINAL.get(case)
        rows.append([
            _named(case), *(f"{value:.2f}" for value in used), f"{total:.2f}",
            _number(None if original is None else original.cpu_ms_per_call), f"{run.client_cpu_ms_per_call:.2f}",
            f"{_allowed(measured, total + run.client_cpu_ms_per_call):.0f}", f"{run.load_average:g}",
        ])  # fmt: skip
    heads = ["call", *PROCESSES, "all", "original, without model", "client", "calls/s allowed", "load"]
    return (
        "Work needs more CPU time where others compete for caches and execution units. *calls/s allowed* is what the "
        "processors could serve at this cost if nothing else ran.\n\n" + table(heads, rows)
    )


def _allowed(measured: Measurement, cpu_ms: float) -> float:
    processors = measured.machine["cpus"]
    assert isinstance(processors, int)
    return processors * 1000 / max(cpu_ms, 1e-3)


def _embedder(figures: Mapping[Case, Figures]) -> str:
    rows = [
        [case.kind.removeprefix("embedder: "), str(case.concurrency), f"{run.calls_per_s:g}", _number(run.p50_ms),
         _number(run.p95_ms), f"{run.cpu_ms_per_call.get('embedder', 0.0):.2f}", f"{run.load_average:g}"]
        for case, run in figures.items() if case.kind.is_embedding
    ]  # fmt: skip
    return table(["text", "C", "texts/s", "p50", "p95", "CPU ms a text", "load"], rows)


def _late(figures: Mapping[Case, Figures]) -> str:
    rows = []
    for case, run in figures.items():
        unserved = {name: count for name, count in run.embeddings.items() if not name.endswith(" ok")}
        if unserved:
            said = ", ".join(f"{count} {name}" for name, count in sorted(unserved.items()))
            rows.append([_named(case), str(sum(run.embeddings.values())), said, f"{run.load_average:g}"])
    if not rows:
        return "None: every request to the embedder was answered in time."
    return "How requests to the embedder ended that got no vectors, by priority, warm-up included.\n\n" + table(
        ["case", "requests", "without vectors", "load"], rows
    )


def _memory(memory: Mapping[str, Mapping[str, Memory]]) -> str:
    moments = list(memory)
    names = dict.fromkeys(name for held in memory.values() for name in held)
    rows = [[name, *(_held(memory[moment].get(name)) for moment in moments)] for name in names]
    return "Resident MiB of each process (shared pages by their share).\n\n" + table(["process", *moments], rows)


def _held(memory: Memory | None) -> str:
    return "–" if memory is None else f"{memory.rss_mib:.0f} ({memory.pss_mib:.0f})"


def _seconds(seconds: Mapping[str, float]) -> str:
    return table(["what", "seconds"], [[what, f"{value:g}"] for what, value in seconds.items()])


def _named(case: Case) -> str:
    return case.label.replace(" | ", ", ")


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:g}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
