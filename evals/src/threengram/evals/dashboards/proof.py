"""Every panel against a Prometheus that watches a loaded stack."""

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from threengram.cli.run_file import RunRecord
from threengram.evals.dashboards.load import Caller
from threengram.evals.dashboards.prometheus import Prometheus, watching
from threengram.evals.dashboards.source import Dashboard

PROBE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Watched:
    """A Prometheus with the figures of a loaded stack, from `start` to `end` in Unix time."""

    prometheus: Prometheus
    start: float
    end: float


@contextlib.contextmanager
def watched(
    record: RunRecord, cimd_url: str, rules: Sequence[Path], *, seconds: float, callers: int
) -> Iterator[Watched]:
    """Load the stack for a while, with its readiness asked for as a kubelet would."""
    with watching(record.admin_urls, rules) as prometheus:
        start = time.time()
        threads = [
            threading.Thread(target=_load, args=(record, cimd_url, seconds, seed), daemon=True)
            for seed in range(callers)
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        with httpx2.Client(timeout=PROBE_TIMEOUT_S, trust_env=False) as prober:
            while time.monotonic() < end:
                _probe(prober, record)
                time.sleep(1)
        for thread in threads:
            thread.join(30)
        yield Watched(prometheus, start, time.time())


def without_data(watched: Watched, dashboards: Sequence[Dashboard]) -> list[str]:
    """The panels with a query that found nothing, but for those that say why they are empty when all is well."""
    return [
        f"{dashboard.name}: {panel.title}: {query.expr}"
        for dashboard in dashboards
        for panel in dashboard.panels
        if panel.empty is None
        for query in panel.queries
        if not watched.prometheus.range(query, watched.start, watched.end, step_s=1)
    ]


def _load(record: RunRecord, cimd_url: str, seconds: float, seed: int) -> None:
    caller = Caller(record, cimd_url, seed=seed)
    try:
        caller.run_for(seconds)
    finally:
        caller.close()


def _probe(prober: httpx2.Client, record: RunRecord) -> None:
    for urls in record.admin_urls.values():
        for url in [urls] if isinstance(urls, str) else urls:
            prober.get(f"{url}/readyz")
