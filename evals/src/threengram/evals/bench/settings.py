"""The environment of the product under measurement."""

import os
from collections.abc import Mapping

UNLIMITED_CALLS_PER_MINUTE = 1_000_000_000
MEASURED = {
    "THREENGRAM_EMBEDDER_QUERY_CACHE_ENTRIES": "0",
    "THREENGRAM_GATEWAY_CALLS_PER_MINUTE": str(UNLIMITED_CALLS_PER_MINUTE),
    "THREENGRAM_API_KEY_CALLS_PER_MINUTE": str(UNLIMITED_CALLS_PER_MINUTE),
    "THREENGRAM_API_USER_CALLS_PER_MINUTE": str(UNLIMITED_CALLS_PER_MINUTE),
    "THREENGRAM_WORKER_CONSOLIDATION_ENABLED": "false",
}
"""No cached query vectors, limits that are checked on every call but never reached, and a worker that only embeds: the
hourly consolidation of some hundred thousand new memories would fall into one case or another."""


def environment(settings: Mapping[str, str] = MEASURED) -> Mapping[str, str]:
    """The caller's environment with these settings, by default those that a measurement needs."""
    return {**os.environ, **settings}  # noqa: TID251 (this is a settings module)
