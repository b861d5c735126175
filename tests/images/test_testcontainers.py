"""The database of the tests in a container: the same suite runs on it with `TEST_CONTAINERS=1`."""

import psycopg
import pytest

from images.engine import Docker
from tests.servers import postgres_server
from threengram.migrations.run import upgrade


def test_a_container_gives_an_owner_who_can_migrate(docker: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_CONTAINERS", "1")
    if docker.host is not None:
        monkeypatch.setenv("DOCKER_HOST", docker.host)
    with postgres_server() as url:
        upgrade(url, runtime_password="runtime-secret")
        with psycopg.connect(url) as owner:
            row = owner.execute("SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user").fetchone()
            assert row == (False, True)
            assert owner.execute("SELECT extname FROM pg_extension WHERE extname = 'vector'").fetchone() == ("vector",)
