"""What the `cimd` service reads from its environment."""

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from threengram.cimd.addresses import parse_networks
from threengram.runtime.settings import ServiceSettings


class Settings(ServiceSettings):
    """`cimd`: fetches OAuth client metadata documents.

    No setting can widen what may be connected to.
    """

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_CIMD_")

    port: int = Field(default=8303, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8323, ge=0, le=65535, description="Port of the admin endpoints (health, metrics); 0 takes a free one."
    )
    resolve_timeout_s: float = Field(
        default=10, gt=0, le=60, description="Seconds for one document, with DNS, redirects and body."
    )
    max_document_bytes: int = Field(default=5_120, ge=256, le=65_536, description="Longest document.")
    max_redirects: int = Field(default=3, ge=0, le=10, description="Redirects that are followed, each checked anew.")
    max_fetches: int = Field(
        default=64,
        ge=1,
        le=1_024,
        description="New documents fetched at once, and as many known ones; more are refused with 503.",
    )
    max_fetches_per_host: int = Field(
        default=8, ge=1, le=1_024, description="Documents fetched from one host at once; more are refused with 503."
    )
    new_documents_per_minute: int = Field(
        default=120,
        ge=1,
        description="Fetches a minute, by one replica, of URLs that never had a valid document here; more are refused "
        "with 503.",
    )
    cache_entries: int = Field(default=512, ge=0, description="Valid documents kept in this process; 0 turns it off.")
    cache_bytes: int = Field(default=4_194_304, ge=0, description="Bytes of all kept documents together.")
    default_ttl_s: int = Field(
        default=300, ge=0, description="Seconds a document is kept whose response says nothing about it."
    )
    max_ttl_s: int = Field(default=3_600, ge=0, description="Longest time a document is kept, whatever it says.")
    refused_networks: str = Field(
        default="",
        description="Comma-separated networks that are never connected to, beside everything that is not public: for "
        "clusters with public addresses of their own.",
    )

    @field_validator("refused_networks")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        parse_networks(value)
        return value
