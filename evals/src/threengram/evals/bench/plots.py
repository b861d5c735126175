"""Figures as pictures: latency and throughput by concurrency, CPU time by process."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from threengram.evals.bench.cases import Case, Kind
from threengram.evals.bench.closed_loop import Figures
from threengram.evals.bench.original import ORIGINAL
from threengram.evals.bench.report import PROCESSES
from threengram.evals.bench.world import Site

DPI = 110
CPU_KINDS = (Kind.SEARCH, Kind.SEARCH_REST, Kind.REMEMBER_SHORT, Kind.REMEMBER_FULL, Kind.GET_MEMORIES, Kind.BRIEFING)


def draw(directory: Path, figures: Mapping[Case, Figures]) -> list[Path]:
    """The files of all pictures."""
    directory.mkdir(parents=True, exist_ok=True)
    pictures = {"search.png": _search(figures), "cpu.png": _cpu(figures)}
    for name, picture in pictures.items():
        picture.savefig(directory / name, dpi=DPI)
    return [directory / name for name in pictures]


def _search(figures: Mapping[Case, Figures]) -> Figure:
    picture = Figure(figsize=(10, 4), layout="constrained")
    rates, latencies = picture.subplots(1, 2)
    for site in Site:
        runs = [figures[case] for case in figures if case.kind is Kind.SEARCH and case.site is site]
        if not runs:
            continue
        runs.sort(key=lambda run: run.concurrency)
        callers = [run.concurrency for run in runs]
        (line,) = rates.plot(callers, [run.calls_per_s for run in runs], marker="o", label=site)
        latencies.plot(callers, [run.p50_ms for run in runs], marker="o", color=line.get_color(), label=site)
        latencies.plot(callers, [run.p95_ms for run in runs], linestyle=":", color=line.get_color())
        known = {
            case.concurrency: it.calls_per_s
            for case, it in ORIGINAL.items()
            if (case.kind, case.site) == (Kind.SEARCH, site)
        }
        rates.scatter(list(known), list(known.values()), marker="x", color=line.get_color())
    for axes, title in ((rates, "complete MCP searches a second (× original)"), (latencies, "p50, dotted p95, ms")):
        axes.set(title=title, xlabel="callers", xscale="log", ylim=(0, None))
        axes.set_xticks([1, 2, 8, 32], labels=["1", "2", "8", "32"])
        axes.grid(alpha=0.3)
    rates.legend(title="tenant")
    return picture


def _cpu(figures: Mapping[Case, Figures]) -> Figure:
    cases = [case for case in figures if case.kind in CPU_KINDS and case.concurrency == 8]
    picture = Figure(figsize=(10, 1 + 0.4 * max(len(cases), 1)), layout="constrained")
    axes = picture.subplots()
    labels = [case.label for case in cases]
    left = [0.0] * len(cases)
    for name in PROCESSES:
        used = [figures[case].cpu_ms_per_call.get(name, 0.0) for case in cases]
        axes.barh(labels, used, left=left, label=name)
        left = [start + more for start, more in zip(left, used, strict=True)]
    axes.set(title="CPU milliseconds a call, eight callers")
    axes.invert_yaxis()
    axes.legend()
    return picture
