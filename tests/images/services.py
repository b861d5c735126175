"""How each service is started for a test, on the host's network with ports of its own."""

from dataclasses import dataclass

from tests.servers import free_port

CURSOR_KEY = "k" * 64


@dataclass(frozen=True)
class Backends:
    """What the services talk to, and the key that `api` signs with."""

    database_url: str
    redis_url: str
    embedder_url: str
    signing_key: str


def environment(service: str, backends: Backends, port: int, admin_port: int) -> dict[str, str]:
    """The environment of one service, or of `beat`."""
    prefix = f"THREENGRAM_{'WORKER' if service == 'beat' else service.upper()}_"
    data = {"DATABASE_URL": backends.database_url, "REDIS_URL": backends.redis_url}
    embedder = {"EMBEDDER_URL": backends.embedder_url}
    edge = {
        "CURSOR_KEY": CURSOR_KEY, "PUBLIC_URL": "http://127.0.0.1:8300", "ISSUER_URL": "http://127.0.0.1:8301",
    }  # fmt: skip
    own: dict[str, dict[str, str]] = {
        "gateway": {**data, **embedder, **edge},
        "api": {**data, **embedder, **edge, "SIGNING_KEY": backends.signing_key},
        "worker": {**data, **embedder},
        "beat": {**data, **embedder},
        "embedder": {},
        "cimd": {},
    }
    settings = {"PORT": str(port), "ADMIN_PORT": str(admin_port), **own[service]}
    return {prefix + name: value for name, value in settings.items()}


def two_ports() -> tuple[int, int]:
    """One to serve on and one for the admin endpoints."""
    return free_port(), free_port()
