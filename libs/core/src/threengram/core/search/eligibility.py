"""Which memories a read may show: one helper for both orders, live and as of a point in time.

A read names its rows `m`. Live, validity and status are the mirror on the memory; as of a point they come from the one
version `l` of its lifetime that was on record then.
"""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `time.as_of`; mypy holds them to it

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from threengram.core.scopes.queries import CANONICAL
from threengram.core.time.as_of import edge_known, known, valid
from threengram.schema.enums import MemoryStatus, MemoryType
from threengram.schema.search import SearchInput

_AS_OF: LiteralString = (
    "memories m JOIN memory_lifetimes l ON l.tenant_id = %(tenant_id)s AND l.memory_id = m.id AND " + known("l")
)
_VALID_AT: LiteralString = " AND " + valid("l")


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The filters of a read: `known_at` is set whenever it travels in time.

    `scope` is a name or an alias, resolved by the statement that reads the rows: one snapshot holds both, so that a
    scope renamed meanwhile is found under the old name or the new one, and never under neither.
    """

    scope: str | None
    project: str | None
    types: tuple[MemoryType, ...]
    status: MemoryStatus | None
    valid_at: datetime | None
    known_at: datetime | None
    recorded_after: datetime | None
    recorded_before: datetime | None

    @property
    def is_narrow(self) -> bool:
        """Whether anything beyond the default liveness filters, so that few rows may remain."""
        return bool(self.scope or self.project or self.types or self.known_at or self.recorded_after
                    or self.recorded_before or self.status is MemoryStatus.ARCHIVED)  # fmt: skip

    @property
    def source(self) -> LiteralString:
        """The FROM item."""
        if self.known_at is None:
            return "memories m"
        return _AS_OF if self.valid_at is None else _AS_OF + _VALID_AT

    @property
    def condition(self) -> LiteralString:
        """The WHERE condition, the tenant included."""
        version: LiteralString = "m" if self.known_at is None else "l"
        parts: list[LiteralString] = ["m.tenant_id = %(tenant_id)s"]
        if self.status is not None:
            parts.append(version + ".status = %(status)s")
        if self.scope is not None:
            parts.append("m.scope = " + CANONICAL)
        if self.project is not None:
            parts.append("m.project = %(project)s")
        if self.types:
            parts.append("m.memory_type = ANY(%(types)s)")
        if self.known_at is not None:
            parts.append("m.recorded_at <= %(known_at)s")
        if self.recorded_after is not None:
            parts.append("m.recorded_at >= %(recorded_after)s")
        if self.recorded_before is not None:
            parts.append("m.recorded_at <= %(recorded_before)s")
        return " AND ".join(parts)

    @property
    def successor(self) -> LiteralString:
        """The id of the memory that had taken over at the same point in time; NULL for one that stands."""
        if self.valid_at is not None:
            return "NULL::uuid"
        version: LiteralString = "m" if self.known_at is None else "l"
        holds: LiteralString = "e.retracted_at IS NULL" if self.known_at is None else edge_known("e")
        return (
            "CASE WHEN "
            + version
            + """.valid_to IS NOT NULL THEN (
                SELECT e.from_id FROM memory_edges e WHERE e.tenant_id = %(tenant_id)s AND e.to_id = m.id
                AND e.edge_type IN ('supersedes', 'updates') AND """
            + holds
            + " LIMIT 1) END"
        )

    @property
    def is_superseded(self) -> LiteralString:
        """Whether there is a successor."""
        return "(" + self.successor + ") IS NOT NULL"

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values behind the names."""
        return {
            "scope": self.scope,
            "project": self.project,
            "types": [str(kind) for kind in self.types],
            "status": self.status,
            "valid_at": self.valid_at,
            "known_at": self.known_at,
            "recorded_after": self.recorded_after,
            "recorded_before": self.recorded_before,
        }


def eligibility(request: SearchInput, scope: str | None, *, now: datetime) -> Eligibility:
    """The filters of a request narrowed to `scope`. Without `asOf`, archived rows are left out unless asked for."""
    as_of = request.as_of
    known_at = None if as_of is None else as_of.as_known_at or now
    return Eligibility(
        scope=scope,
        project=request.project,
        types=request.types,
        status=request.status or (MemoryStatus.ACTIVE if as_of is None else None),
        valid_at=None if as_of is None else as_of.valid_at,
        known_at=known_at,
        recorded_after=request.recorded_after,
        recorded_before=request.recorded_before,
    )
