"""What `threengram up` was asked to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from threengram.cli.errors import CannotRun
from threengram.cli.ports import MOST_REPLICAS, SPAN
from threengram.cli.services import SERVICES, SINGLE

HIGHEST_PORT = 65_535


@dataclass(frozen=True)
class UpOptions:
    """`database_url` and `redis_url` name servers to use instead of the embedded ones."""

    data_dir: Path
    port_base: int = 8300
    embedder: str | None = None
    database_url: str | None = field(default=None, repr=False)
    redis_url: str | None = field(default=None, repr=False)
    replicas: Mapping[str, int] = field(default_factory=dict)
    ready_file: Path | None = None
    otlp_endpoint: str | None = None
    backup_dir: Path | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.port_base <= HIGHEST_PORT - SPAN:
            raise CannotRun(f"--port-base has to be between 1 and {HIGHEST_PORT - SPAN}")
        if self.ready_file is not None and not self.ready_file.parent.is_dir():
            raise CannotRun(f"--ready-file: there is no directory {self.ready_file.parent}")

        if self.backup_dir is not None and self.database_url is not None:
            raise CannotRun("--backup-dir is for the embedded PostgreSQL; back up the other one where it runs")

    def replicas_of(self, service: str) -> int:
        """How many processes of a service to start."""
        return self.replicas.get(service, 1)


def parse_replicas(texts: Sequence[str]) -> dict[str, int]:
    """`["gateway=2"]` as a mapping. Raises `CannotRun` for a name or number that can't be."""
    replicas = {}
    for text in texts:
        service, _, number = text.partition("=")
        if service not in SERVICES or service in SINGLE:
            names = ", ".join(name for name in SERVICES if name not in SINGLE)
            raise CannotRun(f"--replicas {text}: give SERVICE=NUMBER with one of {names}")
        if not number.isdecimal() or not 1 <= int(number) <= MOST_REPLICAS:
            raise CannotRun(f"--replicas {text}: the number has to be between 1 and {MOST_REPLICAS}")
        replicas[service] = int(number)
    return replicas
