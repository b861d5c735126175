"""Scopes, mappings, the retrieval default and the switch of consolidation, where nothing here says otherwise."""

from collections.abc import Sequence
from datetime import datetime

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.errors import Conflict, Error, LimitReached, NotFound
from threengram.core.imports import queries as own_queries
from threengram.core.imports.ledger import NEW, SAME, Entry, Ledger, Plan, Verdict, skipped
from threengram.core.scopes import queries
from threengram.core.scopes.registry import Registry
from threengram.schema.bounds import MAX_SCOPE_ALIASES
from threengram.schema.environment import ScopeRecord
from threengram.schema.import_records import (
    ImportedConsolidation,
    ImportedMapping,
    ImportedRetrievalPolicy,
    ImportedScope,
    ImportRecord,
)
from threengram.schema.imports import SkipReason

_REASONS: dict[type[Error], SkipReason] = {
    Conflict: SkipReason.NAME_TAKEN,
    LimitReached: SkipReason.LIMIT_REACHED,
    NotFound: SkipReason.REFERS_TO_MISSING,
}


async def planned(call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportRecord]], _ledger: Ledger) -> Plan:
    """What becomes of each record; no other change of the registry comes in between."""
    labels = [alias for entry in entries if isinstance(entry.record, ImportedScope) for alias in entry.record.aliases]
    *_, scopes, settings, filed = await tx.run(
        [
            Step(own_queries.ONE_AT_A_TIME),
            Step(queries.CHANGING),
            Step(queries.REGISTERED),
            Step(own_queries.SETTINGS),
            Step(own_queries.FILED_UNDER, {"labels": labels}),
        ]
    )
    planner = _Planner([ScopeRecord(**row) for row in scopes], settings[0], {row["label"] for row in filed}, call.now)
    return Plan([planner.verdict(entry.record) for entry in entries], planner.steps)


class _Planner:
    """Decides record by record, on the registry as those before it leave it.

    An alias takes along what is filed under it, and what is here stays where it is: so none that is in use comes in.
    """

    def __init__(self, scopes: list[ScopeRecord], settings: Row, filed: set[str], now: datetime) -> None:
        self.steps: list[Step] = []
        self._scopes = scopes
        self._settings = settings
        self._filed = filed
        self._now = now

    def verdict(self, record: ImportRecord) -> Verdict:
        """What becomes of the record."""
        try:
            match record:
                case ImportedScope():
                    return self._scope(record)
                case ImportedMapping():
                    return self._mapping(record)
                case ImportedRetrievalPolicy():
                    return self._policy(record)
                case ImportedConsolidation():
                    return self._consolidation(record)
        except tuple(_REASONS) as error:
            return skipped(_REASONS[type(error)])
        raise TypeError(f"{type(record).__name__} belongs to no registry")

    def _scope(self, record: ImportedScope) -> Verdict:
        registry = Registry(self._scopes)
        here = next((scope for scope in self._scopes if scope.name == record.name), None)
        if here is not None:
            return self._more_aliases(here, record, registry)
        if any(scope.id == record.id for scope in self._scopes):
            return skipped(SkipReason.ID_TAKEN)
        registry.check_free(record.name, owner=None, field="name")
        registry.check_room()
        aliases = registry.free_aliases(record.name, record.aliases, owner=None)
        if not self._filed.isdisjoint(aliases):
            return skipped(SkipReason.NAME_TAKEN)
        created_at = min(record.created_at, self._now)
        self._scopes.append(
            ScopeRecord(id=record.id, name=record.name, aliases=aliases, projects=[], created_at=created_at)
        )
        row = {"id": record.id, "name": record.name, "aliases": aliases, "created_at": created_at}
        self.steps.append(Step(queries.INSERT_SCOPE, row))
        return NEW

    def _more_aliases(self, here: ScopeRecord, record: ImportedScope, registry: Registry) -> Verdict:
        """The scope that is here, `personal` for one, gains the names that stand for nothing yet; it loses none."""
        aliases = registry.free_aliases(here.name, record.aliases, owner=here)
        missing = [alias for alias in aliases if alias not in here.aliases]
        if not missing:
            return SAME
        if not self._filed.isdisjoint(missing):
            return skipped(SkipReason.NAME_TAKEN, here.id)
        if len(here.aliases) + len(missing) > MAX_SCOPE_ALIASES:
            return skipped(SkipReason.LIMIT_REACHED, here.id)
        here.aliases.extend(missing)
        self.steps.append(Step(queries.UPDATE_SCOPE, {"id": here.id, "name": here.name, "aliases": list(here.aliases)}))
        return NEW

    def _mapping(self, record: ImportedMapping) -> Verdict:
        registry = Registry(self._scopes)
        scope = registry.find(record.scope, field="scope")
        here = next((other for other in self._scopes if record.project in other.projects), None)
        if here is not None:
            return SAME if here.id == scope.id else skipped(SkipReason.NAME_TAKEN, here.id)
        registry.check_room_for_mapping(record.project)
        scope.projects.append(record.project)
        row = {"project": record.project, "name": scope.name, "now": min(record.created_at, self._now)}
        self.steps.append(Step(queries.MAP_PROJECT, row))
        return NEW

    def _policy(self, record: ImportedRetrievalPolicy) -> Verdict:
        name = None if record.scope is None else Registry(self._scopes).find(record.scope, field="scope").name
        wanted = (str(record.mode), name)
        if self._settings["mode"] is not None:
            is_same = (self._settings["mode"], self._settings["scope"]) == wanted
            return SAME if is_same else skipped(SkipReason.NAME_TAKEN)
        self._settings |= {"mode": str(record.mode), "scope": name}
        row = {"mode": record.mode, "name": name, "now": min(record.updated_at, self._now)}
        self.steps.append(Step(queries.SET_POLICY, row))
        return NEW

    def _consolidation(self, record: ImportedConsolidation) -> Verdict:
        if self._settings["is_enabled"] is not None:
            return SAME if self._settings["is_enabled"] == record.is_enabled else skipped(SkipReason.NAME_TAKEN)
        self._settings |= {"is_enabled": record.is_enabled}
        row = {"is_enabled": record.is_enabled, "changed_at": min(record.changed_at, self._now)}
        self.steps.append(Step(own_queries.IMPORT_CONSOLIDATION, row))
        return NEW
