"""PostgreSQL for tests in a container, by testcontainers: on the host's network, and without its reaper.

The reaper is an image of a public registry; the block ends the container, and a killed run leaves one that
`docker ps --filter label=org.testcontainers` shows.
"""

import contextlib
import secrets
import time
from collections.abc import Iterator

import psycopg
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from images.build import tag
from threengram.cli.free_ports import free_port

START_TIMEOUT_S = 60.0
POLL_S = 0.1


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """The URL of an owner of an empty database, as `throwaway.postgres` gives it."""
    testcontainers_config.ryuk_disabled = True
    port, password = free_port(), secrets.token_hex()
    container = (
        DockerContainer(tag("postgres"), network_mode="host")
        .with_env("PORT", str(port))
        .with_env("LISTEN", "127.0.0.1")
        .with_env("OWNER_PASSWORD", password)
        .with_env("POSTGRES_PASSWORD", secrets.token_hex())
    )
    with container:
        url = f"postgresql://threengram_owner:{password}@127.0.0.1:{port}/threengram"
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _accepts(url):
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not become ready:\n{container.get_logs()!r}")
            time.sleep(POLL_S)
        yield url


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
