"""The allowlist of telemetry: every log field and span attribute that may leave a process, and its kind.

Names outside `FIELDS` are dropped and counted. A kind also bounds the value, so that prose can't travel under a
declared name: terms and ids hold no spaces, numbers are numbers. Memory text, topics, queries, tags, facts, e-mail
addresses, tokens and passwords have no field here and must never get one.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Final
from uuid import UUID

Value = str | int | float | bool | list[str] | None

# One word of a closed vocabulary, a class name, a route template, or an identifier. No spaces, no "@": neither prose
# nor an e-mail address matches.
_TERM: Final = re.compile(r"[A-Za-z0-9_./:{}*<>\-+]{1,200}\Z")
_MAX_LIST_ITEMS: Final = 64


class Kind(Enum):
    """What a field may hold."""

    TERM = "term"
    NUMBER = "number"
    FLAG = "flag"
    TERMS = "terms"


# Lists of words rather than of literals, so that a review sees what was added.
_TERM_FIELDS = """
    action actor catalogue check client_id commitment_id component correlation_id credential_id decision effect
    error_class error_code event_id fact_id fallback family_id grant_id host_class job_run_id jti key_id kid kind
    lane listener memory_id memory_type method mode model operation outcome phase policy priority proposal_id
    protocol_version provider python_version queue reason request_id resource route rule run_id scope_id series
    session_id signal source state statement status_class step store surface task tenant_id token_id tool trigger
    user_id verb version window
""".split()  # noqa: SIM905
_NUMBER_FIELDS = """
    admin_port attempt attempts batch_size bytes_out calls claimed claims clients codes content_chars count
    deadline_ms deleted dimensions dropped duration_ms duration_s embedded erased exit_code expired failed families
    grants hits index inserted interval_s items kept keys lease_s left limit lines live memories offset oldest_age_s
    omitted_windows pages pairs pid pool_available pool_size port proposed queued rank released remaining reset_s
    results retries retry_after_s rows runs scanned score sessions size_bytes skipped status stored superseded
    surfaced tenants text_chars texts threads timeout_s tokens topic_chars total updated vectors waiting windows
""".split()  # noqa: SIM905
_FLAG_FIELDS = """
    allowed cached cancelled created degraded enabled exported first_window_only has_more is_error is_live replayed
    retryable truncated
""".split()  # noqa: SIM905
_TERMS_FIELDS = "caused_by checks frames scopes memory_ids violations".split()  # noqa: SIM905

FIELDS: Final[Mapping[str, Kind]] = (
    dict.fromkeys(_TERM_FIELDS, Kind.TERM)
    | dict.fromkeys(_NUMBER_FIELDS, Kind.NUMBER)
    | dict.fromkeys(_FLAG_FIELDS, Kind.FLAG)
    | dict.fromkeys(_TERMS_FIELDS, Kind.TERMS)
)

# Span attributes with a name in the OpenTelemetry semantic conventions; all others are prefixed with `threengram.`.
SEMANTIC_NAMES: Final[Mapping[str, str]] = {
    "error_class": "error.type",
    "operation": "mcp.method.name",
    "protocol_version": "mcp.protocol.version",
    "method": "http.request.method",
    "route": "http.route",
    "statement": "db.query.summary",
    "status": "http.response.status_code",
    "tool": "gen_ai.tool.name",
}

# Every name that `telemetry.span` accepts. Spans of requests are named by method and route template instead.
OTHER_SPAN: Final = "other"
SPAN_NAMES: Final = frozenset(
    """
    cimd.fetch client.embed client.http client.llm db.connect db.query embedder.batch embedder.model embedder.queue
    embedder.tokenize job.embed job.ring job.run mcp.completion mcp.discover mcp.initialize mcp.other
    mcp.prompts_get mcp.prompts_list mcp.resources_list mcp.resources_read mcp.tools_call mcp.tools_list
    search.compared search.embed search.fuse search.list search.page search.walked search.worded
    """.split()  # noqa: SIM905
)


class Refusal(Enum):
    """Why a field was not kept."""

    NAME = "name"
    VALUE = "value"


def _term(value: object) -> str | None:
    if isinstance(value, str):
        text = value
    elif isinstance(value, UUID):
        return str(value)
    elif isinstance(value, datetime):
        text = value.isoformat()
    elif isinstance(value, int):
        return str(value)
    else:
        return None
    return text if _TERM.match(text) else None


def _terms(value: object) -> list[str] | None:
    if not isinstance(value, (list, tuple, set, frozenset)) or len(value) > _MAX_LIST_ITEMS:
        return None
    terms = [_term(item.value if isinstance(item, Enum) else item) for item in value]
    kept = [term for term in terms if term is not None]
    return kept if len(kept) == len(terms) else None


def admit(name: str, value: object) -> Value | Refusal:
    """The value as it may be written, or why it may not. None is always written as null."""
    kind = FIELDS.get(name)
    if kind is None:
        return Refusal.NAME
    if value is None:
        return None
    if isinstance(value, Enum):
        value = value.value
    admitted: Value
    if kind is Kind.TERM:
        admitted = _term(value)
    elif kind is Kind.NUMBER:
        admitted = value if isinstance(value, (int, float)) else None
    elif kind is Kind.FLAG:
        admitted = value if isinstance(value, bool) else None
    else:
        admitted = _terms(value)
    return Refusal.VALUE if admitted is None else admitted
