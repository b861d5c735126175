"""Vectors for many texts: real ones for a base set, kept on disk, and disturbed copies of those for the rest.

A real vector costs some 10 ms, so a hundred thousand would take longer than all measurements. A disturbed copy of the
vector of a similar text keeps what matters to an index: unit length, and neighbourhoods where a query looks for them.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from threengram.core.embeddings.embedder import Vector
from threengram.core.embeddings.http import HttpEmbedder
from threengram.evals.bench.corpus import Text

CACHE = Path.home() / ".cache" / "threengram" / "bench"
IN_FLIGHT = 16
TIMEOUT_S = 60.0
COSINE_TO_BASE = 0.9

Vectors = NDArray[np.float32]
"""One row of unit length for each text."""


async def real_vectors(embedder: HttpEmbedder, texts: Sequence[Text], *, cache: Path = CACHE) -> Vectors:
    """What the embedder says, kept under the hash of the texts and the name of the model."""
    file = cache / f"{embedder.model_name}-{_digest(texts)}.npy"
    if file.exists():
        return np.asarray(np.load(file), dtype=np.float32)
    found = await _embedded(embedder, texts)
    _save(file, found)
    return found


async def _embedded(embedder: HttpEmbedder, texts: Sequence[Text]) -> Vectors:
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def vector(text: Text) -> Vector:
        async with slots:
            document = await embedder.embed_document(
                text.topic, text.content, timeout_s=TIMEOUT_S, first_window_only=True, priority="write"
            )
        return document.vectors[0]

    return np.asarray(await asyncio.gather(*(vector(text) for text in texts)), dtype=np.float32)


def _digest(texts: Sequence[Text]) -> str:
    return hashlib.sha256("\0".join(f"{text.topic}\0{text.content}" for text in texts).encode()).hexdigest()


def _save(file: Path, vectors: Vectors) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    np.save(file, vectors)


def disturbed_vectors(texts: Sequence[Text], base_texts: Sequence[Text], base: Vectors, *, seed: int) -> Vectors:
    """For each text the vector of a base text of its type, turned by a random angle whose cosine is about 0.9."""
    chance = np.random.default_rng(seed)
    members: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(base_texts):
        members[text.memory_type].append(index)
    chosen = base[[members[text.memory_type][chance.integers(len(members[text.memory_type]))] for text in texts]]
    return _turned(chosen, chance)


def clustered_vectors(count: int, *, clusters: int, dimensions: int, seed: int) -> Vectors:
    """Unit vectors around `clusters` random directions, for an index without a model."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((clusters, dimensions), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return _turned(centres[chance.integers(clusters, size=count)], chance)


def _turned(chosen: Vectors, chance: np.random.Generator) -> Vectors:
    noise = chance.standard_normal(chosen.shape, dtype=np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    mixed = COSINE_TO_BASE * chosen + np.sqrt(1 - COSINE_TO_BASE**2) * noise
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), dtype=np.float32)
