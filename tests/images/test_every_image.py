"""Every image, run as in a cluster: what it keeps, and that it serves. Built by `python -m images.build` before."""

from collections.abc import Iterator

import pytest
from joserfc.jwk import RSAKey

from images.build import SERVERS, SERVICES
from images.engine import Docker
from tests.images.containers import await_ready, container, look_inside
from tests.images.promises import UNPRIVILEGED, hold_for
from tests.images.services import Backends, environment, two_ports

LIMITS_MB = {"gateway": 90, "cimd": 30}


@pytest.fixture(scope="module")
def backends(docker: Docker, database_url: str, redis_url: str) -> Iterator[Backends]:
    """Databases from the wheels and an embedder from its image."""
    port, admin_port = two_ports()
    signing_key = RSAKey.generate_key(2048).as_pem(private=True).decode()
    described = Backends(database_url, redis_url, f"http://127.0.0.1:{port}", signing_key)
    with container(docker, "embedder", environment=environment("embedder", described, port, admin_port)) as embedder:
        await_ready(embedder, f"http://127.0.0.1:{admin_port}")
        yield described


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_unprivileged_closed_and_listed_to_the_last_package(docker: Docker, service: str) -> None:
    size = hold_for(docker, service, limit_mb=LIMITS_MB.get(service))
    print(f"{service}: {size / 1e6:.1f} MB of packages and code")


@pytest.mark.parametrize(
    ("service", "command"),
    [("gateway", ()), ("api", ()), ("embedder", ()), ("cimd", ()), ("worker", ()), ("beat", ("beat",))],
)
def test_a_service_gets_ready_on_a_read_only_root_and_ends_when_asked(
    docker: Docker, backends: Backends, service: str, command: tuple[str, ...]
) -> None:
    port, admin_port = two_ports()
    image = "worker" if service == "beat" else service
    settings = environment(service, backends, port, admin_port)
    with container(docker, image, *command, environment=settings) as running:
        await_ready(running, f"http://127.0.0.1:{admin_port}")
        assert running.stop() == 0


def test_only_an_image_that_talks_to_postgres_can(docker: Docker) -> None:
    drivers = {name: "psycopg" in look_inside(docker, name)["installed"] for name in SERVICES}
    assert drivers == {
        "gateway": True, "api": True, "worker": True, "migrations": True, "embedder": False, "cimd": False,
    }  # fmt: skip


def test_the_migrations_image_brings_an_empty_database_up_to_date(docker: Docker, owner_url: str) -> None:
    settings = {"THREENGRAM_MIGRATIONS_OWNER_URL": owner_url}
    with container(docker, "migrations", "upgrade", environment=settings) as running:
        assert docker.run("wait", running.name) == "0", running.log
        assert '"schema_upgraded"' in running.log


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_image_is_unprivileged_and_has_no_installer(docker: Docker, server: str) -> None:
    inside = look_inside(docker, server)
    assert (inside["uid"], int(inside["capabilities"], 16), inside["installers"]) == (UNPRIVILEGED, 0, [])
    assert set(inside["programs"]) <= {"sh"}
