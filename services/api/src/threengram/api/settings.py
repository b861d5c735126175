"""What the `api` service reads from its environment; the only module here that looks at it."""

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from threengram.runtime.settings import ServiceSettings


class Settings(ServiceSettings):
    """`api`: REST, the authorization server and the web pages."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_API_")

    port: int = Field(default=8301, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8321, ge=0, le=65535, description="Port of the admin endpoints (health, metrics); 0 takes a free one."
    )
    database_url: SecretStr = Field(description="libpq URL of the runtime role.")
    database_pool_min: int = Field(default=2, ge=0, description="Connections that the pool keeps open.")
    database_pool_max: int = Field(default=10, ge=1, description="Connections that the pool opens at most.")
    redis_url: SecretStr = Field(description="URL of the Redis or Valkey that holds the rate limits.")
    embedder_url: str | None = Field(
        default=None, description="Base URL of the embedder; without one, search is lexical."
    )
    public_url: str = Field(default="http://127.0.0.1:8300", description="Public base URL of the gateway.")
    issuer_url: str = Field(
        default="http://127.0.0.1:8301", description="Public base URL of this service, the token issuer."
    )
    cursor_key: SecretStr = Field(
        description="Key that seals page cursors: 32 or more random bytes, base64url; the same in every replica."
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body.")
    key_calls_per_minute: int = Field(default=300, ge=1, description="Requests a minute with one API key.")
    user_calls_per_minute: int = Field(default=600, ge=1, description="Requests a minute of one user, over all keys.")
    embed_query_timeout_ms: int = Field(default=150, ge=1, description="Longest wait for the vector of a query.")
    embed_write_timeout_ms: int = Field(default=300, ge=1, description="Longest wait for the first vector of a write.")
    request_timeout_s: float = Field(default=14, gt=0, le=15, description="Longest time one call may take.")

    @field_validator("public_url", "issuer_url")
    @classmethod
    def _without_trailing_slash(cls, value: str) -> str:
        # Audience and issuer are compared as strings; one spelling on our side keeps them comparable.
        return value.rstrip("/")
