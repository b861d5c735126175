"""Worker and beat as processes, and what they said."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx2
from redis import Redis

from tests.servers import free_port
from threengram.worker.app import EMBED_PENDING, build
from threengram.worker.settings import EMBED, Settings

PREFIX = "THREENGRAM_WORKER_"
EXIT_TIMEOUT_S = 60.0


@dataclass
class Program:
    """One running process. Output goes to a file, so that a full pipe can't block it."""

    process: subprocess.Popen[bytes]
    admin_url: str
    output_path: Path

    @property
    def output(self) -> str:
        """Everything written so far, on both streams."""
        return self.output_path.read_text()

    def events(self, name: str) -> list[dict[str, Any]]:
        """The log lines of one event; fails when any complete line isn't a JSON object."""
        lines = [json.loads(line) for line in self.output.splitlines(keepends=True) if line.endswith("\n")]
        return [line for line in lines if line["event"] == name]

    def answer(self, path: str) -> httpx2.Response | None:
        """What the admin port says; None while nobody listens."""
        try:
            return httpx2.get(f"{self.admin_url}{path}", timeout=60, trust_env=False)
        except httpx2.TransportError:
            return None

    def is_ready(self) -> bool:
        answer = self.answer("/readyz")
        return answer is not None and answer.status_code == 200

    def metric(self, series: str) -> float:
        """The value of one series, labels included in its name; 0 when it does not exist."""
        answer = self.answer("/metrics")
        found = answer and re.search(rf"^{re.escape(series)} (\S+)$", answer.text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def kill(self) -> None:
        """As a crash does: no goodbye."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.terminate()
        return self.process.wait(EXIT_TIMEOUT_S)


@dataclass
class Stack:
    """Programs with common variables."""

    directory: Path
    variables: dict[str, str]
    programs: list[Program] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            program.kill()

    def worker(self, **variables: str) -> Program:
        return self._start((), variables)

    def beat(self, **variables: str) -> Program:
        return self._start(("beat",), variables)

    def ring(self) -> None:
        """One message for a worker, as beat sends it."""
        settings = Settings(**{name.lower(): value for name, value in self.variables.items()})  # type: ignore[arg-type]
        with build(settings) as app:
            app.send_task(EMBED_PENDING, queue=EMBED)

    def unread(self) -> int:
        """Messages that no worker has taken."""
        with Redis.from_url(self.variables["REDIS_URL"]) as broker:
            return int(broker.llen(EMBED))

    def _start(self, arguments: tuple[str, ...], variables: dict[str, str]) -> Program:
        port = free_port()
        own = {name.upper(): value for name, value in variables.items()}
        environment = {f"{PREFIX}{name}": value for name, value in {**self.variables, **own}.items()}
        environment[f"{PREFIX}ADMIN_PORT"] = str(port)
        output_path = self.directory / f"output-{len(self.programs)}"
        with output_path.open("wb") as output:
            process = subprocess.Popen(
                (sys.executable, "-P", "-m", "threengram.worker", *arguments),
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        program = Program(process, f"http://127.0.0.1:{port}", output_path)
        self.programs.append(program)
        return program
