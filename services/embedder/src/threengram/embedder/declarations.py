"""Which models a process serves: one declaration each, as an operator writes them in `MODELS`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from threengram.embedder.spec import DYNAMIC_NAME, STATIC_NAME

MAX_DIMENSIONS = 4_000
"""What pgvector can index of half-precision vectors."""

BUNDLED = (STATIC_NAME, DYNAMIC_NAME)


class _Declaration(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class OnnxDeclaration(_Declaration):
    """A model that runs in the process: one of the bundled ones by name, or a directory, whose files name it."""

    provider: Literal["onnx"] = "onnx"
    name: Literal["all-MiniLM-L6-v2-int8", "all-MiniLM-L6-v2-dynamic-int8"] | None = None
    directory: Path | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> "OnnxDeclaration":
        if (self.name is None) == (self.directory is None):
            raise ValueError("give the name of a bundled model or a directory")
        return self


class HashDeclaration(_Declaration):
    """Hashed n-grams, for tests; named `hash-` and its width."""

    provider: Literal["hash"] = "hash"
    dimensions: int = Field(default=384, ge=8, le=MAX_DIMENSIONS)


class GatewayDeclaration(_Declaration):
    """A model behind an OpenAI-compatible gateway.

    `model` is what the gateway calls it, when that is not `name`. Longer texts are cut into windows of `window_chars`
    characters, prefix and topic included: choose it so that such a text never exceeds the model's own limit, with one
    and a half tokens a character for scripts without spaces. `sends_dimensions` asks the gateway for vectors of that
    width, which only some models can shorten theirs to.
    """

    provider: Literal["openai"] = "openai"
    name: str = Field(min_length=1, max_length=256)
    dimensions: int = Field(ge=1, le=MAX_DIMENSIONS)
    window_chars: int = Field(default=2_000, ge=200, le=100_000)
    model: str | None = Field(default=None, min_length=1, max_length=256)
    url: str | None = Field(default=None, pattern=r"^https?://")
    api_key: SecretStr | None = None
    sends_dimensions: bool = False
    query_prefix: str = ""
    document_prefix: str = ""


Declaration = Annotated[OnnxDeclaration | HashDeclaration | GatewayDeclaration, Field(discriminator="provider")]
