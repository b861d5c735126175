"""What the `api` service reads from its environment."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from threengram.runtime.settings import ServiceSettings


class Settings(ServiceSettings):
    """`api`: REST, the authorization server and the web pages."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_API_")

    port: int = Field(default=8301, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8321, ge=0, le=65535, description="Port of the admin endpoints (health, metrics); 0 takes a free one."
    )
    database_url: SecretStr | None = Field(default=None, description="libpq URL of the runtime role.")
    database_pool_min: int = Field(default=2, ge=0, description="Connections that the pool keeps open.")
    database_pool_max: int = Field(default=10, ge=1, description="Connections that the pool opens at most.")
    redis_url: SecretStr | None = Field(default=None, description="URL of Redis or Valkey, for rate limits.")
    embedder_url: str | None = Field(
        default=None, description="Base URL of the embedder; without one, search is lexical."
    )
    public_url: str = Field(default="http://127.0.0.1:8300", description="Public base URL of the gateway.")
    issuer_url: str = Field(
        default="http://127.0.0.1:8301", description="Public base URL of this service, the token issuer."
    )
    cursor_key: SecretStr | None = Field(
        default=None,
        description="Key that seals page cursors: 32 or more random bytes, base64url; the same in every replica.",
    )
