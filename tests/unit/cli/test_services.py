from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from threengram.api.settings import Settings as ApiSettings
from threengram.cimd.settings import Settings as CimdSettings
from threengram.cli.ports import Ports
from threengram.cli.ready import Readiness
from threengram.cli.secrets import Secrets
from threengram.cli.services import SERVICES, Backends, Services
from threengram.embedder.settings import Settings as EmbedderSettings
from threengram.gateway.settings import Settings as GatewaySettings
from threengram.worker.settings import BeatSettings
from threengram.worker.settings import Settings as WorkerSettings

SECRETS = Secrets(
    postgres_password="secret-postgres",
    owner_password="secret-owner",
    runtime_password="secret-runtime",
    valkey_password="secret-valkey",
    cursor_key="secret-cursor",
    signing_key_pem="secret-signing",
)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(
        ports=Ports(8300),
        backends=Backends("postgresql://r:secret-runtime@h/d", "redis://:secret-valkey@h"),
        secrets=SECRETS,
        signing_keys=lambda: SECRETS.signing_key_pem,
        listen_fds={"gateway": 11, "api": 12, "embedder": 13, "cimd": 14},
        directory=tmp_path,
        account=None,
        readiness=Readiness(),
        models=lambda: "[]",
    )


def test_each_service_gets_the_secrets_that_its_settings_need(services: Services) -> None:
    names = ("postgres", "owner", "runtime", "valkey", "cursor", "signing")
    seen = {
        service: {name for name in names if f"secret-{name}" in "".join(services.environment(service).values())}
        for service in SERVICES
    }
    assert seen == {
        "gateway": {"runtime", "valkey", "cursor"},
        "api": {"runtime", "valkey", "cursor", "signing"},
        "worker": {"runtime", "valkey"},
        "beat": {"runtime", "valkey"},
        "embedder": set(),
        "cimd": set(),
    }


def test_a_service_sees_its_own_variables_of_the_caller_and_no_others(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREENGRAM_GATEWAY_CALLS_PER_MINUTE", "60000")
    monkeypatch.setenv("UNRELATED_TOKEN", "unrelated")
    assert services.environment("gateway")["THREENGRAM_GATEWAY_CALLS_PER_MINUTE"] == "60000"
    assert "THREENGRAM_GATEWAY_CALLS_PER_MINUTE" not in services.environment("api")
    assert "UNRELATED_TOKEN" not in services.environment("gateway")


@pytest.mark.parametrize(
    ("service", "settings"),
    [
        ("gateway", GatewaySettings),
        ("api", ApiSettings),
        ("embedder", EmbedderSettings),
        ("cimd", CimdSettings),
        ("worker", WorkerSettings),
        ("beat", BeatSettings),
    ],
)
def test_every_variable_is_a_field_of_the_settings(
    services: Services, service: str, settings: type[BaseSettings]
) -> None:
    prefix = settings.model_config["env_prefix"]
    own = {name.removeprefix(prefix).lower() for name in services.environment(service) if name.startswith(prefix)}
    assert "admin_port" in own
    assert own <= set(settings.model_fields)


def test_the_socket_is_passed_by_number_and_the_replicas_differ_in_their_admin_port(services: Services) -> None:
    first, second = (services.program("gateway", replica) for replica in range(2))
    assert (first.name, second.name) == ("gateway", "gateway.1")
    for program, admin_port in ((first, "8320"), (second, "8330")):
        command = program.command(0)
        assert command.listen_fds == (11,)
        assert command.environment["THREENGRAM_GATEWAY_LISTEN_FD"] == "11"
        assert command.environment["THREENGRAM_GATEWAY_ADMIN_PORT"] == admin_port


@pytest.mark.parametrize("service", ["gateway", "api", "worker", "beat"])
def test_statements_are_prepared_where_nothing_is_between_a_service_and_the_database(
    services: Services, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    prefix = f"THREENGRAM_{'WORKER' if service == 'beat' else service.upper()}_DATABASE"
    direct = replace(services, backends=replace(services.backends, is_direct=True))
    assert direct.environment(service)[f"{prefix}_PREPARED_STATEMENTS"] == "true"
    assert f"{prefix}_PREPARED_STATEMENTS" not in services.environment(service)
    monkeypatch.setenv(f"{prefix}_URL", "postgresql://r:p@pooler/d")
    assert f"{prefix}_PREPARED_STATEMENTS" not in direct.environment(service)
