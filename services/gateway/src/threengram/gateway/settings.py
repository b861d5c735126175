"""What the gateway reads from its environment; the only module here that looks at it."""

from typing import Annotated, Any

from pydantic import AliasChoices, Field, field_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from threengram.edge.settings import EdgeSettings


class Settings(EdgeSettings):
    """`gateway`: MCP for agents."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_GATEWAY_")

    port: int = Field(default=8300, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8320, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
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
    calls_per_minute: int = Field(default=600, ge=1, description="Requests a minute for each user.")

    @field_validator("mcp_allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(origin.strip() for origin in value.split(",") if origin.strip())
        return value
