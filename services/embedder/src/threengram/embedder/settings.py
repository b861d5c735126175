"""Everything an operator can set for the embedder."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from threengram.runtime.settings import ServiceSettings


class Provider(StrEnum):
    """What makes the vectors: a model in this process, or hashed n-grams for tests."""

    ONNX = "onnx"
    HASH = "hash"


class Settings(ServiceSettings):
    """Read from `THREENGRAM_EMBEDDER_*`."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_EMBEDDER_")

    port: int = Field(default=8302, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8322, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
    provider: Provider = Field(default=Provider.ONNX, description="What makes the vectors; `hash` is for tests only.")
    model_dir: Path | None = Field(
        default=None, description="Directory of another ONNX sentence model; the bundled all-MiniLM-L6-v2 when unset."
    )
    threads: int = Field(
        default=1, ge=1, le=64, description="Threads of one run for queries and writes; backfill has one."
    )
    query_cache_entries: int = Field(
        default=1024, ge=0, description="Query vectors kept in this process; 0 turns it off."
    )
    max_queue_tokens: int = Field(
        default=16_384, ge=1, description="Pieces that may wait in each priority; more are refused with 503."
    )
    max_text_chars: int = Field(default=262_144, ge=1, description="Longest context and text together.")
    max_windows: int = Field(
        default=128, ge=1, description="Windows of one text that are embedded; more are counted only."
    )
    max_body_bytes: int = Field(default=4_194_304, ge=1, description="Longest request body.")
    max_pending_body_bytes: int = Field(
        default=33_554_432, ge=1, description="Bodies of all requests in work together; more are refused with 503."
    )
