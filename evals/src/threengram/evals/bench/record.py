"""Figures as JSON: every run of every case beside the machine it ran on."""

import os
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import orjson

from threengram.evals.bench import processes
from threengram.evals.bench.run import Pace, Results
from threengram.evals.bench.settings import MEASURED

FILE = "figures.json"


def write(directory: Path, results: Results, pace: Pace, *, corpus_source: str) -> Path:
    """The file that holds everything that was measured."""
    directory.mkdir(parents=True, exist_ok=True)
    content = {
        "measuredAt": datetime.now(UTC),
        "machine": machine(),
        "settings": MEASURED,
        "pace": asdict(pace),
        "corpus": corpus_source,
        "seconds": results.seconds,
        "overlaps": {str(site): share for site, share in results.overlaps.items()},
        "memory": {
            moment: {name: asdict(held) for name, held in all_.items()} for moment, all_ in results.memory.items()
        },
        "cases": [
            {
                "operation": case.kind,
                "tenant": case.site,
                "concurrency": case.concurrency,
                "runs": [asdict(figures) for figures in runs],
            }
            for case, runs in results.runs.items()
        ],
        "plans": {str(site): lines for site, lines in results.plans.items()},
    }
    file = directory / FILE
    file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return file


def machine() -> dict[str, object]:
    """What the figures depend on; no name of a host."""
    return {
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} " + ".".join(platform.release().split(".")[:2]),
        "python": platform.python_version(),
    }


def _processor() -> str:
    lines = (processes.PROC / "cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
