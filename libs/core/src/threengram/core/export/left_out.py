"""What an export leaves out, and why: every column of every tenant table stands here or in a section."""

from collections.abc import Mapping
from typing import Final

_CREDENTIAL: Final = "A credential, or what is known of one: worth nothing elsewhere, and no memory."
_DERIVED: Final = "Made from the texts, and made anew by whatever reads them in."
_WORK: Final = "Background work under way."
_OURS: Final = "The installation's own record, kept for whoever answers for it."

LEFT_OUT: Final[Mapping[str, str]] = {
    "api_keys": _CREDENTIAL,
    "oauth_codes": _CREDENTIAL,
    "oauth_families": _CREDENTIAL,
    "oauth_grants": _CREDENTIAL,
    "oauth_tokens": _CREDENTIAL,
    "user_sessions": _CREDENTIAL,
    "users.password_hash": _CREDENTIAL,
    "audit_log": _OURS,
    "job_runs": _WORK,
    "embedding_jobs": _WORK,
    "consolidation_waiting": _WORK,
    "consolidation_progress.examined_no": _WORK,
    "memory_embeddings": _DERIVED,
    "memory_terms": _DERIVED,
    "term_stats": _DERIVED,
    "tenant_counters": _DERIVED,
    "memories.memory_no": _DERIVED,
    "memories.content_chars": _DERIVED,
    "memories.content_hash": _DERIVED,
    "tenants.status": "An account is exported while it is active.",
}
"""The reason, by table or by `table.column`. `tenant_id` is the account itself, which the first record names."""
