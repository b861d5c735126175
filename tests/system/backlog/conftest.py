"""The fixtures of the worker's tests: a database of its own for each, worker and beat as processes."""

from tests.integration.worker.conftest import (
    diary,
    own_database_url,
    own_owner_url,
    scripted,
    silent_redis_url,
    stack,
    template,
)

__all__ = ["diary", "own_database_url", "own_owner_url", "scripted", "silent_redis_url", "stack", "template"]
