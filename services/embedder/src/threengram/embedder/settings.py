"""Everything an operator can set for the embedder."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from threengram.embedder.declarations import Declaration, GatewayDeclaration, HashDeclaration, OnnxDeclaration
from threengram.embedder.spec import DYNAMIC_NAME
from threengram.runtime.settings import ServiceSettings

DEFAULT_NAME = DYNAMIC_NAME
"""The bundled model of a new installation."""


class Provider(StrEnum):
    """What makes the vectors of the one model that is served where `models` is empty."""

    ONNX = "onnx"
    HASH = "hash"


class Settings(ServiceSettings):
    """Read from `THREENGRAM_EMBEDDER_*`."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_EMBEDDER_")

    port: int = Field(default=8302, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8322, ge=0, le=65535, description="Port of the admin endpoints; 0 takes a free one."
    )
    models: tuple[Declaration, ...] = Field(
        default=(),
        max_length=8,
        description="Models to serve, as a JSON list of declarations (docs/operate/models.md). "
        "Empty: the one that `PROVIDER`, `MODEL` and `MODEL_DIR` name.",
    )
    provider: Provider = Field(default=Provider.ONNX, description="What makes the vectors; `hash` is for tests only.")
    model: str = Field(default=DEFAULT_NAME, description="Name of the bundled model to serve.")
    model_dir: Path | None = Field(default=None, description="Directory of another ONNX sentence model to serve.")
    openai_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Base URL of the gateway behind declared `openai` models, up to and including `/v1`.",
    )
    openai_api_key: SecretStr | None = Field(default=None, description="Bearer token for that gateway.")
    openai_timeout_s: float = Field(
        default=30, gt=0, le=600, description="Longest that a gateway may take for one batch, all tries included."
    )
    openai_tries: int = Field(default=3, ge=1, le=10, description="Tries of one batch, the first included.")
    openai_batch_texts: int = Field(default=64, ge=1, le=2048, description="Most texts in one call to a gateway.")
    openai_connections: int = Field(default=8, ge=1, le=256, description="Calls to a gateway at the same time.")
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

    @model_validator(mode="after")
    def _can_be_served(self) -> Self:
        """Names are unique among those that are known here, and a gateway has an address."""
        names = [name for name in map(_known_name, self.declared()) if name is not None]
        if len(set(names)) < len(names):
            raise ValueError("two declared models have one name")
        if self.openai_url is None and any(
            isinstance(one, GatewayDeclaration) and one.url is None for one in self.declared()
        ):
            raise ValueError("a model of provider openai needs a url, or OPENAI_URL for all of them")
        return self

    def declared(self) -> tuple[Declaration, ...]:
        """The models to serve."""
        if self.models:
            return self.models
        if self.provider is Provider.HASH:
            return (HashDeclaration(),)
        if self.model_dir is not None:
            return (OnnxDeclaration(directory=self.model_dir),)
        return (OnnxDeclaration.model_validate({"name": self.model}),)


def _known_name(declaration: Declaration) -> str | None:
    return f"hash-{declaration.dimensions}" if isinstance(declaration, HashDeclaration) else declaration.name


def forbid_onnxruntime_telemetry() -> None:
    """Keep onnxruntime from sending usage data and from writing a device id below `$HOME`.

    It looks once, when it is imported; its own switch comes after the files have been written.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # noqa: TID251 (this is a settings module)
