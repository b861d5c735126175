"""Fixtures of the suite, led through the pooler."""

from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.conftest import RUNTIME_PASSWORD
from tests.system.pooler.pgbouncer import follows_prepared_statements, pgbouncer
from threengram.migrations.run import RUNTIME_ROLE

POOL_SIZE = 2
"""Fewer than the clients of any test, so that they have to share."""


@pytest.fixture(scope="session")
def database_url(owner_url: str) -> Iterator[str]:
    """The runtime role's database behind PgBouncer."""
    parts = urlsplit(owner_url)
    direct = urlunsplit(parts._replace(netloc=f"{RUNTIME_ROLE}:{RUNTIME_PASSWORD}@{parts.hostname}:{parts.port}"))
    with pgbouncer(direct, pool_size=POOL_SIZE) as url:
        yield url


@pytest.fixture(scope="session")
def keeps_plans() -> bool:
    """Only where the pooler follows prepared statements, which Debian's is too old for."""
    return follows_prepared_statements()
