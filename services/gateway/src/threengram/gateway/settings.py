"""What the gateway reads from its environment; the only module here that looks at it."""

from typing import Annotated, Any

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from threengram.runtime.settings import ServiceSettings


class Settings(ServiceSettings):
    """`gateway`: MCP for agents."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_GATEWAY_")

    port: int = Field(default=8300, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8320, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
    database_url: SecretStr = Field(description="libpq URL of the runtime role.")
    database_pool_min: int = Field(default=2, ge=0, description="Connections kept open.")
    database_pool_max: int = Field(default=10, ge=1, description="Most connections open at once.")
    startup_timeout_s: float = Field(
        default=30, gt=0, description="Longest wait at the start for the database and the schema that this code needs."
    )
    redis_url: SecretStr = Field(description="URL of the Redis or Valkey that holds the rate limits.")
    embedder_url: str | None = Field(
        default=None, description="Base URL of the embedder; without it search is lexical only."
    )
    public_url: str = Field(description="Origin under which clients reach this service; the resource is this + /mcp.")
    issuer_url: str = Field(description="Issuer of access tokens: the authorization server.")
    web_app_url: str | None = Field(
        default=None,
        description="Origin of the web pages; browsers may call from there.",
        validation_alias=AliasChoices("THREENGRAM_GATEWAY_WEB_APP_URL", "WEB_APP_URL"),
    )
    mcp_allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Comma-separated further origins that browsers may call from.",
        validation_alias=AliasChoices("THREENGRAM_GATEWAY_MCP_ALLOWED_ORIGINS", "MCP_ALLOWED_ORIGINS"),
    )
    cursor_key: SecretStr = Field(description="Key that seals page cursors: 32 or more random bytes, base64url.")
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body.")
    calls_per_minute: int = Field(default=600, ge=1, description="Requests a minute for each user.")
    embed_query_timeout_ms: int = Field(default=150, ge=1, description="Longest wait for the vector of a query.")
    embed_write_timeout_ms: int = Field(default=300, ge=1, description="Longest wait for the first vector of a write.")
    request_timeout_s: float = Field(default=14, gt=0, le=15, description="Longest time one call may take.")

    @field_validator("mcp_allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(origin.strip() for origin in value.split(",") if origin.strip())
        return value

    @field_validator("public_url", "issuer_url")
    @classmethod
    def _without_trailing_slash(cls, value: str) -> str:
        # Audience and issuer are compared as strings; one spelling on our side keeps them comparable.
        return value.rstrip("/")
