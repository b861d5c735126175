"""What every service reads from its environment; the only module here that looks at it.

A service subclasses `ServiceSettings`, sets `env_prefix`, and gives `port` and `admin_port` a default.
"""

import socket
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class ServiceSettings(BaseSettings):
    """Frozen values, read once in a service's `app.py` and passed down.

    An empty variable counts as unset. Validation errors never print the rejected value, which may be a secret.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,
        validate_default=True,
        populate_by_name=True,
    )

    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    listen_fd: int | None = Field(
        default=None,
        ge=0,
        description="Inherited listening socket; wins over host and port, and stays open for its owner.",
    )
    admin_host: str = Field(default="127.0.0.1", description="Address of the admin endpoints (health, metrics).")
    admin_port: int = Field(ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one.")
    admin_listen_fd: int | None = Field(
        default=None, ge=0, description="Inherited listening socket of the admin endpoints."
    )
    log_level: LogLevel = Field(default="INFO", description="Lowest level that is written.")
    otlp_endpoint: str | None = Field(
        default=None, description="Base URL of an OTLP/HTTP collector; spans are exported only when it is set."
    )
    shutdown_grace_s: float = Field(
        default=20, gt=0, description="Seconds that requests in flight get to finish on SIGTERM."
    )
    drain_linger_s: float = Field(
        default=1.0,
        ge=0,
        description="Seconds during which idle keep-alive connections stay open on SIGTERM, so that a request "
        "already on its way is answered and told to reconnect. Part of the grace period.",
    )
    trusted_proxies: str | None = Field(
        default=None,
        description="Comma-separated addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are believed; "
        "none by default.",
    )
    instance: str = Field(default_factory=socket.gethostname, description="Name of this replica in logs and traces.")
