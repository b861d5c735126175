"""The embedding service as a process of its own, for tests that want real vectors."""

from threengram.cli.throwaway import embedder as embedder_service

__all__ = ["DIMENSIONS", "MODELS", "embedder_service"]

MODELS = {"hash": "hash-384", "onnx": "all-MiniLM-L6-v2-dynamic-int8"}
DIMENSIONS = 384

PATIENT = {"embed_query_timeout_ms": "10000", "embed_write_timeout_ms": "10000"}
"""Settings of a service whose test is about its vectors: a busy machine must not turn meaning into words."""
