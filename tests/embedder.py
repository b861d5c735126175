"""The embedding service as a process of its own, for tests that want real vectors."""

from threengram.cli.throwaway import embedder as embedder_service

__all__ = ["DIMENSIONS", "MODELS", "embedder_service"]

MODELS = {"hash": "hash-384", "onnx": "all-MiniLM-L6-v2-dynamic-int8"}
DIMENSIONS = 384
