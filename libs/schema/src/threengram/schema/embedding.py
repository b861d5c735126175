"""The embedding request and response: the OpenAI embeddings format and a few optional keys of ours.

A plain OpenAI client never sends the extension keys and never sees them in an answer.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_INPUTS = 64
MAX_DEADLINE_MS = 600_000


class EmbeddingPriority(StrEnum):
    """Who is waiting: a searcher, a writer, or nobody."""

    QUERY = "query"
    WRITE = "write"
    BACKFILL = "backfill"


class WindowMode(StrEnum):
    """What happens to a text longer than the model's window.

    `none` refuses it, `first` returns the vector of its first window, `all` one vector per window.
    """

    NONE = "none"
    FIRST = "first"
    ALL = "all"


class EncodingFormat(StrEnum):
    """How a vector is written: JSON numbers, or base64 of little-endian float32."""

    FLOAT = "float"
    BASE64 = "base64"


class Wire(BaseModel):
    """A frozen message that converts nothing and refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, strict=True)


class EmbeddingRequest(Wire):
    """Texts to embed, in order.

    `contexts` has the length of `input` and holds what is repeated in front of every window of that text; an
    empty string means none. `priority: query` applies the model's query prefix, the others its document prefix.
    Past `deadline_ms` after arrival the work is dropped and the answer is a 504.
    """

    model: str = Field(min_length=1, max_length=256)
    input: str | Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_INPUTS)]
    encoding_format: EncodingFormat = EncodingFormat.FLOAT
    dimensions: int | None = Field(default=None, ge=1)
    user: str | None = Field(default=None, max_length=1024)
    priority: EmbeddingPriority = EmbeddingPriority.WRITE
    windows: WindowMode = WindowMode.NONE
    contexts: Annotated[tuple[str, ...], Field(max_length=MAX_INPUTS)] | None = None
    deadline_ms: int | None = Field(default=None, ge=1, le=MAX_DEADLINE_MS)

    @model_validator(mode="after")
    def _texts_are_embeddable(self) -> Self:
        """Refuse what has no vector, and what Postgres could not store next to one."""
        if self.contexts is not None and len(self.contexts) != len(self.inputs):
            raise ValueError("contexts must have one entry per input")
        for context, text in self.texts():
            if not text:
                raise ValueError("an input must not be empty")
            if "\0" in text or "\0" in context:
                raise ValueError("texts must not contain U+0000")
        return self

    @property
    def inputs(self) -> tuple[str, ...]:
        """The texts, a single one as a tuple of one."""
        return (self.input,) if isinstance(self.input, str) else self.input

    def texts(self) -> Iterator[tuple[str, str]]:
        """Pairs of context and text, in input order."""
        inputs = self.inputs
        return zip(self.contexts or ("",) * len(inputs), inputs, strict=True)


class EmbeddingDatum(Wire):
    """One unit vector. The last three are present exactly when the request asked for windows.

    `index` is the position of the text in `input`, `window` the position of this window in the text.
    `window_count` is how many windows `all` returns for this text, and `omitted_windows` how many
    it has beyond the service's limit; their sum is the number of windows the text needs.
    """

    object: Literal["embedding"] = "embedding"
    index: int = Field(ge=0)
    embedding: tuple[float, ...] | str
    window: int | None = Field(default=None, ge=0)
    window_count: int | None = Field(default=None, ge=1)
    omitted_windows: int | None = Field(default=None, ge=0)


class EmbeddingUsage(Wire):
    """Pieces that went through the model, special ones included."""

    prompt_tokens: int = Field(ge=0)
    total_tokens: int = Field(ge=0)


class EmbeddingResponse(Wire):
    """Vectors ordered by (`index`, `window`)."""

    object: Literal["list"] = "list"
    model: str
    data: tuple[EmbeddingDatum, ...]
    usage: EmbeddingUsage


class EmbeddingModelCard(Wire):
    """A served model. `window_pieces` is its window, special pieces included."""

    object: Literal["model"] = "model"
    id: str
    created: int
    owned_by: str
    dimensions: int = Field(ge=1)
    window_pieces: int = Field(ge=1)


class EmbeddingModelList(Wire):
    """Answer of `GET /v1/models`."""

    object: Literal["list"] = "list"
    data: tuple[EmbeddingModelCard, ...]


class EmbeddingErrorDetail(Wire):
    """What went wrong, in OpenAI's shape."""

    message: str
    type: str
    code: str


class EmbeddingError(Wire):
    """Body of every answer that is not a success."""

    error: EmbeddingErrorDetail
