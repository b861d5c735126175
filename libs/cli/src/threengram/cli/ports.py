"""Which port belongs to what, relative to `--port-base`."""

from dataclasses import dataclass

LISTENERS = {"gateway": 0, "api": 1, "embedder": 2, "cimd": 3}
POSTGRES = 10
VALKEY = 11
ADMIN = {"gateway": 20, "api": 21, "embedder": 22, "cimd": 23, "worker": 24, "beat": 25}
NEXT_REPLICA = 10
OTHER_GENERATION = 100
MOST_REPLICAS = 8
SPAN = OTHER_GENERATION + max(ADMIN.values()) + NEXT_REPLICA * (MOST_REPLICAS - 1) + 1


@dataclass(frozen=True)
class Ports:
    """The ports of one stack."""

    base: int

    @property
    def postgres(self) -> int:
        """The port of the embedded PostgreSQL."""
        return self.base + POSTGRES

    @property
    def valkey(self) -> int:
        """The port of the embedded Valkey."""
        return self.base + VALKEY

    def listener(self, service: str) -> int:
        """The port that a service listens on."""
        return self.base + LISTENERS[service]

    def admin(self, service: str, replica: int, generation: int = 0) -> int:
        """During a rolling restart two generations run side by side, so they take turns between two ports."""
        return self.base + ADMIN[service] + NEXT_REPLICA * replica + OTHER_GENERATION * (generation % 2)
