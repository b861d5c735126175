"""The Prometheus series of the services, in one place, with their closed label sets.

Label values come from code, never from callers: pass anything that a client can choose through `closed`. Names follow
the OpenTelemetry semantic conventions for HTTP and MCP, written the Prometheus way. Figures of the database itself are
beat's, which collects them.
"""

import platform
from collections.abc import Collection
from importlib import metadata
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from threengram.schema.enums import MemoryType

REGISTRY: Final = CollectorRegistry(auto_describe=True)
CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
OTHER: Final = "other"

HTTP_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
STATUS_CLASSES: Final = frozenset({"1xx", "2xx", "3xx", "4xx", "5xx"})
MCP_METHODS: Final = frozenset(
    {
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
        "logging/setLevel",
        "subscriptions/listen",
        "notifications/initialized",
        "notifications/cancelled",
    }
)
EMBEDDING_PRIORITIES: Final = frozenset({"query", "write", "backfill"})
PEERS: Final = frozenset({"embedder", "cimd", "llm", "mail", "breach_check"})
SEARCH_LEGS: Final = frozenset({"embed", "compared", "walked", "worded", "fuse", "page", "list"})
SEARCH_VECTORS: Final = frozenset({"used", "unavailable", "off"})
CONFIDENCES: Final = frozenset({"true", "false", "unknown"})
MEMORY_TYPES: Final = frozenset(kind.value for kind in MemoryType)
WRITING_VERBS: Final = frozenset({"remember", "revise", "import"})
EMBEDDED_STATES: Final = frozenset({"done", "pending", "off"})
PROPOSAL_KINDS: Final = frozenset({"edge", "fact"})
PROPOSAL_OUTCOMES: Final = frozenset({"proposed", "accepted", "rejected", "undone", "retired"})
GRANTS: Final = frozenset({"authorization_code", "refresh_token"})
TOKEN_REFUSALS: Final = frozenset(
    {
        "missing",
        "malformed",
        "too_long",
        "wrong_algorithm",
        "unknown_key",
        "bad_signature",
        "wrong_issuer",
        "wrong_audience",
        "missing_claim",
        "expired",
        "issued_in_the_future",
    }
)
KEY_STATES: Final = frozenset({"next", "active", "retiring", "retired"})

_LATENCY_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)

ProcessCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

BUILD_INFO = Gauge(
    "threengram_build_info", "Constant 1, labelled with what runs.", ("service", "version", "python"), registry=REGISTRY
)
DRAINING = Gauge("threengram_draining", "1 while the process drains.", registry=REGISTRY)
TELEMETRY_DROPPED = Counter(
    "threengram_telemetry_dropped_fields_total",
    "Log fields and span attributes that the allowlist refused.",
    ("sink", "reason"),
    registry=REGISTRY,
)
HEALTH_CHECK = Gauge(
    "threengram_health_check_up", "1 when the named check last passed, else 0.", ("check",), registry=REGISTRY
)

HTTP_SERVER_DURATION = Histogram(
    "http_server_request_duration_seconds",
    "Time from the first byte of a request to the last of its response.",
    ("method", "route", "status_class"),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
HTTP_SERVER_ACTIVE = Gauge("http_server_active_requests", "Requests in flight.", registry=REGISTRY)
HTTP_CLIENT_DURATION = Histogram(
    "http_client_request_duration_seconds",
    "Time of outbound requests until the response's headers; `failed` when none came.",
    ("peer", "status_class"),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)

MCP_OPERATION_DURATION = Histogram(
    "mcp_server_operation_duration_seconds",
    "Time of MCP operations; `tool` is empty for methods that name none.",
    ("method", "tool", "outcome"),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)

RATELIMIT_DECISIONS = Counter(
    "threengram_ratelimit_decisions_total",
    "Answers of the rate limiter; `store` says which counters decided.",
    ("rule", "outcome", "store"),
    registry=REGISTRY,
)
RATELIMIT_STORE_FAILURES = Counter(
    "threengram_ratelimit_store_failures_total",
    "Failed round trips to the shared counters.",
    ("rule", "fallback"),
    registry=REGISTRY,
)

EMBEDDER_REQUESTS = Histogram(
    "threengram_embedder_request_duration_seconds",
    "Time of embedding requests, queueing included.",
    ("priority", "outcome"),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
EMBEDDER_QUEUE_TEXTS = Gauge("threengram_embedder_queue_texts", "Windows waiting.", ("priority",), registry=REGISTRY)
EMBEDDER_QUEUE_TOKENS = Gauge("threengram_embedder_queue_tokens", "Tokens waiting.", ("priority",), registry=REGISTRY)
EMBEDDER_QUEUE_AGE = Gauge(
    "threengram_embedder_queue_oldest_age_seconds",
    "Age of the oldest waiting window.",
    ("priority",),
    registry=REGISTRY,
)
EMBEDDER_QUEUE_WAIT = Histogram(
    "threengram_embedder_queue_wait_seconds",
    "Time a window waits before its batch starts.",
    ("priority",),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
EMBEDDER_BATCH_TEXTS = Histogram(
    "threengram_embedder_batch_texts", "Windows in one batch.", buckets=_SIZES, registry=REGISTRY
)
EMBEDDER_BATCH_DURATION = Histogram(
    "threengram_embedder_batch_duration_seconds", "Time of one model run.", buckets=_LATENCY_S, registry=REGISTRY
)
EMBEDDER_TOKENS = Counter("threengram_embedder_tokens_total", "Tokens run through the model.", registry=REGISTRY)
EMBEDDER_CACHE = Counter(
    "threengram_embedder_cache_lookups_total", "Query cache look-ups.", ("result",), registry=REGISTRY
)

CIMD_RESOLUTIONS = Counter(
    "threengram_cimd_resolutions_total",
    "Answers about client metadata documents: `cached`, `fetched`, `shared` (with a fetch under way), or the failure.",
    ("outcome",),
    registry=REGISTRY,
)
CIMD_FETCH_DURATION = Histogram(
    "threengram_cimd_fetch_duration_seconds",
    "Time to fetch and check one client metadata document, with DNS and redirects.",
    ("outcome",),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
CIMD_ACTIVE = Gauge("threengram_cimd_active_fetches", "Documents being fetched.", registry=REGISTRY)
CIMD_CACHE_BYTES = Gauge("threengram_cimd_cache_bytes", "Bytes of the documents that are kept.", registry=REGISTRY)

DB_POOL_CONNECTIONS = Gauge(
    "threengram_db_pool_connections", "Connections of the database pool.", ("state",), registry=REGISTRY
)
DB_POOL_WAITING = Gauge("threengram_db_pool_waiting", "Callers that wait for a connection.", registry=REGISTRY)
DB_POOL_LIMIT = Gauge("threengram_db_pool_limit", "Largest size of the pool.", registry=REGISTRY)
DB_POOL_WAIT = Histogram(
    "threengram_db_pool_wait_seconds",
    "Time until the pool gave a connection, for units of work that got one.",
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
DB_STATEMENT_DURATION = Histogram(
    "threengram_db_statement_duration_seconds",
    "Time of one round trip to the database, named by its first statement; the wait for a connection is part of it.",
    ("statement",),
    buckets=(0.0005, *_LATENCY_S, 15.0),
    registry=REGISTRY,
)
GUARD_VIOLATIONS = Counter(
    "threengram_guard_violations_total",
    "Readings of the catalogue that found isolation not in force.",
    registry=REGISTRY,
)

EMBED_CALL_DURATION = Histogram(
    "threengram_embed_call_duration_seconds",
    "Time of calls to the embedder as the caller sees them.",
    ("priority", "outcome"),
    buckets=_LATENCY_S,
    registry=REGISTRY,
)
SEARCH_LEG_DURATION = Histogram(
    "threengram_search_leg_duration_seconds",
    "Time of each part of a search: the query's vector, the statement in one of its forms, the ranking, later pages.",
    ("leg",),
    buckets=(0.0005, *_LATENCY_S),
    registry=REGISTRY,
)
SEARCHES = Counter(
    "threengram_searches_total",
    "First pages of searches by relevance: whether vectors took part, and whether the answer called itself confident.",
    ("vector", "confident"),
    registry=REGISTRY,
)
MEMORIES_WRITTEN = Counter(
    "threengram_memories_written_total",
    "Memories appended, and whether their vectors were ready by then.",
    ("verb", "memory_type", "embedded"),
    registry=REGISTRY,
)
PROPOSALS = Counter(
    "threengram_proposals_total", "Proposals by what became of them.", ("kind", "outcome"), registry=REGISTRY
)

TOKEN_REQUESTS = Counter(
    "threengram_token_requests_total", "Answers of the token endpoint.", ("grant", "outcome"), registry=REGISTRY
)
REFRESH_REUSE = Counter(
    "threengram_refresh_reuse_total",
    "Refresh tokens presented again after their grace, each of which ended its family.",
    registry=REGISTRY,
)
LOGINS = Counter("threengram_logins_total", "Attempts to log in.", ("outcome",), registry=REGISTRY)
MAILS = Counter(
    "threengram_mails_total", "Mails with a link that were asked for, by outcome.", ("outcome",), registry=REGISTRY
)
BEARER_REFUSALS = Counter(
    "threengram_bearer_refusals_total", "Requests without a good access token.", ("reason",), registry=REGISTRY
)

JOBS_WAITING = Gauge("threengram_jobs_waiting", "Job rows that are due.", ("queue", "kind"), registry=REGISTRY)
JOBS_RUNNING = Gauge("threengram_jobs_running", "Job rows under a live lease.", ("queue", "kind"), registry=REGISTRY)
JOBS_FAILED = Gauge(
    "threengram_jobs_failed", "Job rows whose attempts are used up.", ("queue", "kind"), registry=REGISTRY
)
JOBS_OLDEST_AGE = Gauge(
    "threengram_jobs_oldest_age_seconds",
    "How long ago the oldest due job row was written.",
    ("queue", "kind"),
    registry=REGISTRY,
)
JOB_DURATION = Histogram(
    "threengram_job_duration_seconds",
    "Time of one attempt at a job.",
    ("queue", "kind", "outcome"),
    buckets=(*_LATENCY_S, 30.0, 60.0, 300.0),
    registry=REGISTRY,
)
EMBEDDING_ROWS = Counter(
    "threengram_embedding_rows_total",
    "Claimed rows of missing vectors by what became of them.",
    ("outcome",),
    registry=REGISTRY,
)
HEARTBEAT = Gauge("threengram_heartbeat_timestamp_seconds", "Unix time of the last heartbeat.", registry=REGISTRY)


def closed(value: str | None, allowed: Collection[str]) -> str:
    """The value when it is one of the allowed, else `other`; empty for None."""
    if value is None:
        return ""
    return value if value in allowed else OTHER


def status_class(status: int) -> str:
    """`2xx` for 204 and so on; `other` outside 100 to 599."""
    return closed(f"{status // 100}xx", STATUS_CLASSES)


def set_build_info(service: str) -> None:
    """Publish the version of the distribution `threengram-<service>`."""
    BUILD_INFO.labels(service, metadata.version(f"threengram-{service}"), platform.python_version()).set(1)


def render() -> bytes:
    """The registry in the Prometheus text format, whose media type is `CONTENT_TYPE`."""
    return generate_latest(REGISTRY)
