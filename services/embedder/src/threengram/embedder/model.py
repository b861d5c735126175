"""Pieces in, unit vectors out: an ONNX sentence encoder in this process."""

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from threengram.embedder.settings import forbid_onnxruntime_telemetry
from threengram.embedder.spec import ModelSpec, Pooling
from threengram.embedder.tokens import Ids, Tokenizer

forbid_onnxruntime_telemetry()

import onnxruntime  # type: ignore[import-untyped]  # noqa: E402
from onnxruntime.capi import onnxruntime_pybind11_state as onnx_errors  # type: ignore[import-untyped]  # noqa: E402

Vectors = NDArray[np.float32]

# They have no base class of their own.
RUN_ERRORS = (
    onnx_errors.EngineError,
    onnx_errors.EPFail,
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
    MemoryError,
)


class ModelFailed(Exception):
    """A run raised, or its vectors can't be scaled to length one."""


class Described(Protocol):
    """What is known of a model without running it."""

    name: str
    dimensions: int
    window_pieces: int
    whole_pieces: int
    query_prefix: str
    document_prefix: str
    tokenizer: Tokenizer


class Model(Described, Protocol):
    """A model of this process; `embed` may run in several threads at once."""

    def embed(self, sequences: Sequence[Ids]) -> Vectors:
        """Unit vectors, shape (sequences, dimensions). Sequences have their special pieces. Raises `ModelFailed`."""
        ...


class OnnxModel:
    """A transformer with a token-level output, pooled and normalised here.

    With one thread a run stays on the calling thread, so that thread's operating system priority is the priority of
    the run, and several threads can share the weights. Raises `DamagedFile`.
    """

    def __init__(self, spec: ModelSpec, *, threads: int) -> None:
        self.name = spec.name
        self.window_pieces = spec.window_pieces
        self.whole_pieces = spec.whole_pieces
        self.query_prefix = spec.query_prefix
        self.document_prefix = spec.document_prefix
        self.tokenizer: Tokenizer = spec.tokenizer()
        self._pooling = spec.pooling
        self._pad_id = spec.pad_id
        with spec.loadable() as graph:
            self._session = onnxruntime.InferenceSession(graph, _options(threads), providers=["CPUExecutionProvider"])
        self._inputs = frozenset(node.name for node in self._session.get_inputs())
        self._output = self._session.get_outputs()[0].name
        self.dimensions = self.embed([np.concatenate([self.tokenizer.lead, self.tokenizer.trail])]).shape[1]

    def embed(self, sequences: Sequence[Ids]) -> Vectors:
        """One run of the session over all sequences, padded to the longest."""
        longest = max(len(sequence) for sequence in sequences)
        ids = np.full((len(sequences), longest), self._pad_id, np.int64)
        mask = np.zeros_like(ids)
        for row, sequence in enumerate(sequences):
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            (states,) = self._session.run([self._output], {name: feeds[name] for name in self._inputs})
        except RUN_ERRORS as error:
            raise ModelFailed(type(error).__name__) from error
        return unit(pooled(states, mask, self._pooling))


def pooled(states: Vectors, mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """One vector per row of `states`, shape (rows, pieces, dimensions): its first piece, or the unmasked mean."""
    if pooling is Pooling.CLS:
        return states[:, 0]
    weights = mask[..., None].astype(np.float32)
    means: Vectors = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return means


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length one. Raises `ModelFailed` for a row that is zero or not finite."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise ModelFailed("a vector has no direction")
    scaled: Vectors = (vectors / lengths).astype(np.float32, copy=False)
    return scaled


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena and the memory plans keep the peak of every shape they have seen. Without them a run is as fast and the
    # process returns to its size.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Other processes share these cores; an idle pool must not spin on them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if _saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3
    return options


def _saturates() -> bool:
    """Whether this processor's products of bytes overflow: x86 without VNNI, where the exact way takes twice as long.

    Elsewhere the switch costs the same and changes nothing.
    """
    processors = Path("/proc/cpuinfo")
    has_vnni = processors.exists() and "vnni" in processors.read_text()
    return platform.machine().lower() in {"x86_64", "amd64"} and not has_vnni
