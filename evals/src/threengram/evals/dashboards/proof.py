"""Every panel against a Prometheus that watches a loaded stack."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2

from threengram.cli.run_file import RunRecord
from threengram.evals.dashboards.load import Caller
from threengram.evals.dashboards.prometheus import Prometheus, watching
from threengram.evals.dashboards.source import Dashboard

PROBE_TIMEOUT_S = 60.0
MOST_S = 300.0


@dataclass(frozen=True)
class Watched:
    """A Prometheus with the figures of a loaded stack, from `start` to `end` in Unix time."""

    prometheus: Prometheus
    start: float
    end: float


@contextlib.contextmanager
def watched(
    record: RunRecord,
    cimd_url: str,
    rules: Sequence[Path],
    *,
    seconds: float,
    callers: int,
    is_enough: Callable[[Watched], bool] = lambda _: True,
) -> Iterator[Watched]:
    """Load the stack for so long and on until that is enough, with its readiness asked for as a kubelet would."""
    is_over = threading.Event()
    with watching(record.admin_urls, rules) as prometheus:
        start = time.time()
        threads = [
            threading.Thread(target=_load, args=(record, cimd_url, is_over, seed), daemon=True)
            for seed in range(callers)
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        with httpx2.Client(timeout=PROBE_TIMEOUT_S, trust_env=False) as prober:
            while (now := time.monotonic()) < end or (
                now < end + MOST_S and not is_enough(Watched(prometheus, start, time.time()))
            ):
                _probe(prober, record)
                time.sleep(1)
        is_over.set()
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


def _load(record: RunRecord, cimd_url: str, is_over: threading.Event, seed: int) -> None:
    caller = Caller(record, cimd_url, seed=seed)
    try:
        caller.run(is_over.is_set)
    finally:
        caller.close()


def _probe(prober: httpx2.Client, record: RunRecord) -> None:
    for urls in record.admin_urls.values():
        for url in [urls] if isinstance(urls, str) else urls:
            prober.get(f"{url}/readyz")
