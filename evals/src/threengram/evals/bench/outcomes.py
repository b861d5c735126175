"""What the embedder says about its own requests, from its admin endpoint."""

import re
from collections import Counter

from threengram.evals.bench.client import Connection, http

_COUNT = re.compile(
    r'^threengram_embedder_request_duration_seconds_count\{outcome="(\w*)",priority="(\w*)"\} (\S+)$', re.MULTILINE
)


async def embedding_outcomes(admin_port: int) -> Counter[str]:
    """Requests so far by priority and outcome, such as `write deadline`."""
    connection = Connection("127.0.0.1", admin_port)
    try:
        _, body = await connection.request(http("GET", "/metrics", {}))
    finally:
        connection.close()
    return Counter(
        {f"{priority} {outcome}": int(float(count)) for outcome, priority, count in _COUNT.findall(body.decode())}
    )
