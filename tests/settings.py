"""What the environment may say to the test suite."""

from pathlib import Path

from pydantic_settings import BaseSettings


class ServerSettings(BaseSettings):
    """Servers to use instead of starting some. The database URL is an owner's, who may create databases and roles.

    With `test_containers` PostgreSQL runs in a container of our image, on the network of the host. `test_pgbouncer` is
    the program of a newer PgBouncer than Debian's.
    """

    test_database_url: str | None = None
    test_redis_url: str | None = None
    test_containers: bool = False
    test_pgbouncer: Path | None = None


class PropertySettings(BaseSettings):
    """How hard the property tests look: examples of each."""

    test_property_examples: int = 40
