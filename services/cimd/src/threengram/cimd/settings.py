"""What the `cimd` service reads from its environment."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from threengram.runtime.settings import ServiceSettings


class Settings(ServiceSettings):
    """`cimd`: fetches OAuth client metadata documents."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_CIMD_")

    port: int = Field(default=8303, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8323, ge=0, le=65535, description="Port of the admin endpoints (health, metrics); 0 takes a free one."
    )
