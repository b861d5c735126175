"""Valkey starts as the chart says, from the rendered script and configuration, and knows its password."""

from pathlib import Path

import pytest
from redis import AuthenticationError, Redis, RedisError

from tests.deploy.rendering import named, rendered
from tests.servers import account_directory, free_port, running
from threengram.cli.account import own, service_account
from threengram.cli.binaries import valkey_program
from threengram.cli.command import Command

pytestmark = pytest.mark.xdist_group("deploy")

PASSWORD = "from-the-secret"


def test_it_starts_from_what_is_rendered_with_its_password_in_no_argument() -> None:
    manifests = rendered("default")
    container = named(manifests, "StatefulSet", "valkey")["spec"]["template"]["spec"]["containers"][0]
    configuration = named(manifests, "ConfigMap", "valkey")["data"]["valkey.conf"]
    (shell, option, script), account, port = container["command"], service_account(), free_port()
    with account_directory() as directory:
        program = valkey_program(directory, account)
        (directory / "data").mkdir()
        own(directory / "data", account)
        file = directory / "valkey.conf"
        file.write_text(configuration.replace("port 6379", f"port {port}").replace("/data", str(directory / "data")))
        own(file, account)
        command = Command(
            argv=(shell, option, script.replace("/etc/valkey/valkey.conf", str(file))),
            environment={"PATH": f"{program.parent}:/usr/bin:/bin", "VALKEY_PASSWORD": PASSWORD},
            directory=directory,
            account=account,
        )

        def answers() -> bool:
            try:
                with Redis(port=port, password=PASSWORD) as client:
                    return bool(client.ping())
            except RedisError:
                return False

        with running(command, answers) as process, Redis(port=port, password=PASSWORD) as client:
            assert client.config_get("maxmemory-policy", "appendonly", "maxmemory") == {
                "maxmemory-policy": "volatile-lru",
                "appendonly": "yes",
                "maxmemory": str(256 * 1024 * 1024),
            }
            with Redis(port=port) as stranger, pytest.raises(AuthenticationError):
                stranger.ping()
            told = Path(f"/proc/{process.pid}")
            assert PASSWORD not in (told / "cmdline").read_text()
            assert (told / "comm").read_text().startswith("valkey-server")
