"""What every process that answers callers reads from its environment."""

from pydantic import Field, SecretStr, field_validator

from threengram.runtime.settings import ServiceSettings


class EdgeSettings(ServiceSettings):
    """A service sets `env_prefix`, gives the ports a default and adds what only it needs."""

    database_url: SecretStr = Field(description="libpq URL of the runtime role.")
    database_pool_min: int = Field(default=2, ge=0, description="Connections that the pool keeps open.")
    database_pool_max: int = Field(default=10, ge=1, description="Connections that the pool opens at most.")
    database_prepared_statements: bool = Field(
        default=False,
        description="Let the database keep the plans of the everyday statements; only where the URL leads to "
        "PostgreSQL itself, or to PgBouncer 1.22 or later with `max_prepared_statements` above 0.",
    )
    startup_timeout_s: float = Field(
        default=30, gt=0, description="Longest wait at the start for the database and the schema that this code needs."
    )
    redis_url: SecretStr = Field(description="URL of the Redis or Valkey that holds the rate limits.")
    embedder_url: str | None = Field(
        default=None, description="Base URL of the embedder; without it search is lexical only."
    )
    public_url: str = Field(description="Origin under which agents reach the gateway; its resource is this + /mcp.")
    issuer_url: str = Field(description="Public base URL of `api`, the issuer of access tokens.")
    cursor_key: SecretStr = Field(
        description="Key that seals page cursors: 32 or more random bytes, base64url; the same in every replica."
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body.")
    embed_query_timeout_ms: int = Field(default=150, ge=1, description="Longest wait for the vector of a query.")
    embed_write_timeout_ms: int = Field(default=300, ge=1, description="Longest wait for the first vector of a write.")
    request_timeout_s: float = Field(default=14, gt=0, le=15, description="Longest time one call may take.")

    @field_validator("public_url", "issuer_url")
    @classmethod
    def _without_trailing_slash(cls, value: str) -> str:
        # Audience and issuer are compared as strings; one spelling on our side keeps them comparable.
        return value.rstrip("/")
