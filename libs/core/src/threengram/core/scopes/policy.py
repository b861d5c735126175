"""What a read without a scope means for a tenant: everything, one scope, or a refusal.

Reads that select by themselves (`briefing`, `handoff`) ask with the scope of their selector, and with None only for the
selector of everything; a project satisfies the policy there and not in `search`.
"""

from dataclasses import dataclass

from threengram.core.db.database import TenantTransaction
from threengram.core.errors import UnscopedRetrieval
from threengram.core.identity.admission import Admission
from threengram.core.scopes import queries
from threengram.schema.enums import RetrievalMode


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The scope to filter by, None for all; `applied` repeats it when the policy and not the caller supplied it."""

    scope: str | None
    applied: str | None


class ScopeRequired(Exception):
    """The policy refuses a read without a scope."""


def narrow(admission: Admission, scope: str | None) -> Narrowing:
    """Pure: what a read that asked for `scope` may see. Raises `ScopeRequired`."""
    if scope is not None or admission.policy_mode is RetrievalMode.OFF:
        return Narrowing(scope, applied=None)
    if admission.policy_mode is RetrievalMode.REQUIRE:
        raise ScopeRequired
    return Narrowing(admission.policy_scope, applied=admission.policy_scope)


async def enforce(tx: TenantTransaction, admission: Admission, scope: str | None) -> Narrowing:
    """The narrowing of a read; raises `UnscopedRetrieval` with the names to choose from, read only for that."""
    try:
        return narrow(admission, scope)
    except ScopeRequired as error:
        rows = await tx.fetch_last(queries.SCOPE_NAMES)
        raise UnscopedRetrieval([row["name"] for row in rows]) from error
