"""A real Prometheus on loopback that scrapes a running stack, and what it answers."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from threengram.cli.command import Command
from threengram.cli.free_ports import free_port
from threengram.cli.serving import running
from threengram.evals.dashboards.source import RATE_INTERVAL, Query

SCRAPE_INTERVAL_S = 1
SHORTEST_RATE_S = 10
TIMEOUT_S = 30.0


class NotInstalled(RuntimeError):
    """Debian's package `prometheus` brings the program."""


@dataclass(frozen=True)
class Series:
    """One line of a panel: its name, and (Unix time, value) pairs without gaps' places."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Prometheus:
    """A running server; `client` has its address."""

    client: httpx2.Client

    def range(self, query: Query, start: float, end: float, *, step_s: float) -> list[Series]:
        """What a panel would draw. Raises `RuntimeError` for a query that the server refuses."""
        expr = query.expr.replace(RATE_INTERVAL, f"{SHORTEST_RATE_S}s")
        parameters = {"query": expr, "start": f"{start}", "end": f"{end}", "step": f"{step_s}"}
        found = []
        for result in self._get("/api/v1/query_range", parameters)["result"]:
            points = [(float(at), float(value)) for at, value in result["values"] if value != "NaN"]
            if points:
                found.append(Series(_named(query.legend, result["metric"]), tuple(points)))
        return found

    def targets(self) -> dict[str, str]:
        """The health of each scraped component."""
        active = self._get("/api/v1/targets", {})["activeTargets"]
        return {target["labels"]["component"]: target["health"] for target in active}

    def _get(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = self.client.get(path, params=parameters).json()
        if answer["status"] != "success":
            raise RuntimeError(answer["error"])
        data: dict[str, Any] = answer["data"]
        return data


@contextlib.contextmanager
def watching(admin_urls: Mapping[str, str | list[str]], rules: Sequence[Path]) -> Iterator[Prometheus]:
    """A server that scrapes these components every second, from the moment that it is ready."""
    program = shutil.which("prometheus")
    if program is None:
        raise NotInstalled("install Debian's package prometheus, as tests/system/install.sh does")
    with tempfile.TemporaryDirectory() as name:
        config = Path(name) / "prometheus.json"
        config.write_text(json.dumps(_config(admin_urls, rules)))  # JSON is YAML
        url = f"http://127.0.0.1:{free_port()}"
        command = Command(
            argv=(
                program,
                f"--config.file={config}",
                f"--storage.tsdb.path={name}/data",
                f"--web.listen-address={url.removeprefix('http://')}",
            ),
            environment={},
            directory=Path(name),
        )

        with httpx2.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:

            def is_ready() -> bool:
                try:
                    return client.get("/-/ready").status_code == httpx2.codes.OK
                except httpx2.TransportError:
                    return False

            with running(command, is_ready):
                yield Prometheus(client)


def _config(admin_urls: Mapping[str, str | list[str]], rules: Sequence[Path]) -> dict[str, Any]:
    targets = [
        {
            "labels": {"component": component},
            "targets": [url.removeprefix("http://") for url in ([urls] if isinstance(urls, str) else urls)],
        }
        for component, urls in admin_urls.items()
    ]
    interval = f"{SCRAPE_INTERVAL_S}s"
    return {
        "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
        "rule_files": [str(path) for path in rules],
        "scrape_configs": [{"job_name": "threengram", "static_configs": targets}],
    }


def _named(legend: str, labels: Mapping[str, str]) -> str:
    if not legend:
        return ", ".join(f"{name}={value}" for name, value in sorted(labels.items()))
    for name, value in labels.items():
        legend = legend.replace("{{" + name + "}}", value)
    return legend
