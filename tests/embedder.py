"""The embedding service as a process of its own, for tests that want real vectors."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2

from tests.servers import free_port, running
from threengram.cli.command import Command

MODELS = {"hash": "hash-384", "onnx": "all-MiniLM-L6-v2-int8"}
DIMENSIONS = 384


@contextlib.contextmanager
def embedder_service(provider: str) -> Iterator[str]:
    """The base URL of a ready embedder with that provider."""
    port, admin_port = free_port(), free_port()
    prefix = "THREENGRAM_EMBEDDER_"
    command = Command(
        argv=(sys.executable, "-P", "-m", "threengram.embedder"),
        environment={
            f"{prefix}PORT": str(port),
            f"{prefix}ADMIN_PORT": str(admin_port),
            f"{prefix}PROVIDER": provider,
        },
        directory=Path("/"),
    )

    def is_ready() -> bool:
        try:
            return httpx2.get(f"http://127.0.0.1:{admin_port}/readyz", trust_env=False).status_code == httpx2.codes.OK
        except httpx2.TransportError:
            return False

    with running(command, is_ready):
        yield f"http://127.0.0.1:{port}"
