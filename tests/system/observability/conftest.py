"""One stack for this folder: with a collector of traces, and watched by a Prometheus while it is loaded."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.integration.runtime.collector import Collector
from tests.rules import ROOT, rule_files
from tests.stack import RunningStack, data_directory, hashing, running_stack
from threengram.cli import run_file
from threengram.cli.ports import Ports
from threengram.evals.dashboards.proof import Watched, watched, without_data
from threengram.evals.dashboards.source import Dashboard, read
from threengram.worker.vitals import INTERVAL_S

LOAD_S = 3 * INTERVAL_S + 2.0
"""A rate needs two readings of the database, and they are up to two intervals apart: beat may wake just before one is
due. The first scrape takes a while to come, too. A machine that does other things takes longer.
"""


@dataclass(frozen=True)
class Observed:
    """A stack, its collector, and the Prometheus that has seen it under load."""

    stack: RunningStack
    collected: Collector
    watched: Watched


@pytest.fixture(scope="session")
def dashboards() -> list[Dashboard]:
    return read(ROOT / "charts" / "dashboards")


@pytest.fixture(scope="session")
def observed(dashboards: list[Dashboard]) -> Iterator[Observed]:
    def is_enough(seen: Watched) -> bool:
        return all(health == "up" for health in seen.prometheus.targets().values()) and not without_data(
            seen, dashboards
        )

    with Collector() as collected, data_directory() as data_dir:
        options = (f"--otlp-endpoint={collected.url}", f"--backup-dir={data_dir.parent / 'backups'}")
        with running_stack(data_dir, *hashing(*options)) as stack:
            record = run_file.read(data_dir / "run.json")
            cimd_url = f"http://127.0.0.1:{Ports(stack.port_base).listener('cimd')}"
            with watched(record, cimd_url, rule_files(), seconds=LOAD_S, callers=2, is_enough=is_enough) as seen:
                yield Observed(stack, collected, seen)
