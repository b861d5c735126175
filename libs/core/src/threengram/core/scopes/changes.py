"""Pure: what each action on the registry writes, and what it answers.

A name that becomes an alias takes its memories along: whatever was filed under it belongs to the scope from then on. So
no memory is ever labelled with an alias, and one comparison finds all of a scope.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.scopes import queries
from threengram.core.scopes.registry import Registry, renamed
from threengram.schema.environment import RetrievalScopePolicy, ScopeRecord
from threengram.schema.scopes import (
    ConfigureScopeInput,
    ConfigureScopeOutput,
    CreateScope,
    DeleteScope,
    MappingSet,
    RenameScope,
    RetrievalDefaultSet,
    ScopeDeleted,
    ScopeMapping,
    ScopeUpserted,
    SetAliases,
    SetMapping,
    SetRetrievalDefault,
)


@dataclass(frozen=True, slots=True)
class Change:
    """The steps of a change and its answer. `labels` are the names whose memories it moves to the scope `name`."""

    answer: ConfigureScopeOutput
    steps: list[Step]
    scope_id: UUID | None
    name: str | None = None
    labels: tuple[str, ...] = ()


def plan(registry: Registry, request: ConfigureScopeInput, *, now: datetime) -> Change:
    """The change that a request asks for; raises `NotFound`, `Conflict` or `LimitReached` with the field concerned."""
    match request:
        case CreateScope():
            return _create(registry, request, now)
        case RenameScope():
            return _rename(registry, request, now)
        case SetAliases():
            return _set_aliases(registry, request)
        case SetMapping():
            return _set_mapping(registry, request, now)
        case DeleteScope():
            return _delete(registry, request, now)
        case SetRetrievalDefault():
            return _set_retrieval_default(registry, request, now)
    raise TypeError(f"{type(request).__name__} changes nothing")


def _create(registry: Registry, request: CreateScope, now: datetime) -> Change:
    registry.check_free(request.name, owner=None, field="name")
    registry.check_room()
    aliases = registry.free_aliases(request.name, request.aliases, owner=None)
    scope = ScopeRecord(id=new_id(), name=request.name, aliases=aliases, projects=[], created_at=now)
    row = {"id": scope.id, "name": scope.name, "aliases": aliases, "created_at": now}
    return _upserted(scope, Step(queries.INSERT_SCOPE, row), labels=aliases)


def _rename(registry: Registry, request: RenameScope, now: datetime) -> Change:
    before = registry.find(request.name, field="name")
    registry.check_free(request.new_name, owner=before, field="newName")
    scope = renamed(before, request.new_name)
    moved = {"name": scope.name, "old_name": before.name, "now": now}
    carried = [Step(queries.MOVE_MAPPINGS, moved), Step(queries.MOVE_POLICY, moved)]
    return _upserted(scope, _updating(scope), *carried, labels=[before.name])


def _set_aliases(registry: Registry, request: SetAliases) -> Change:
    before = registry.find(request.name, field="name")
    aliases = registry.free_aliases(before.name, request.aliases, owner=before)
    scope = before.model_copy(update={"aliases": aliases})
    return _upserted(scope, _updating(scope), labels=[alias for alias in aliases if alias not in before.aliases])


def _updating(scope: ScopeRecord) -> Step:
    return Step(queries.UPDATE_SCOPE, {"id": scope.id, "name": scope.name, "aliases": scope.aliases})


def _upserted(scope: ScopeRecord, *steps: Step, labels: list[str]) -> Change:
    moved = tuple(label for label in labels if label != scope.name)
    relabelling = [Step(queries.RELABEL_MEMORIES, {"name": scope.name, "labels": list(moved)})] if moved else []
    answer = ScopeUpserted(action="upserted", scope=scope)
    return Change(answer, [*steps, *relabelling], scope.id, scope.name, moved)


def _set_mapping(registry: Registry, request: SetMapping, now: datetime) -> Change:
    if request.scope is None:
        mapping = ScopeMapping(project=request.project, scope=None)
        steps = [Step(queries.UNMAP_PROJECT, {"project": request.project})]
        return Change(MappingSet(action="mapping_set", mapping=mapping), steps, None)
    scope = registry.find(request.scope, field="scope")
    registry.check_room_for_mapping(request.project)
    mapping = ScopeMapping(project=request.project, scope=scope.name)
    steps = [Step(queries.MAP_PROJECT, {"project": request.project, "name": scope.name, "now": now})]
    return Change(MappingSet(action="mapping_set", mapping=mapping), steps, scope.id)


def _delete(registry: Registry, request: DeleteScope, now: datetime) -> Change:
    scope = registry.find(request.name, field="name")
    gone = {"id": scope.id, "name": scope.name, "now": now}
    statements = (queries.DELETE_SCOPE, queries.DELETE_MAPPINGS, queries.CLOSE_POLICY)
    answer = ScopeDeleted(action="deleted", name=scope.name)
    return Change(answer, [Step(statement, gone) for statement in statements], scope.id)


def _set_retrieval_default(registry: Registry, request: SetRetrievalDefault, now: datetime) -> Change:
    scope = None if request.scope is None else registry.find(request.scope, field="scope")
    policy = RetrievalScopePolicy(mode=request.mode, scope=None if scope is None else scope.name)
    steps = [Step(queries.SET_POLICY, {"mode": policy.mode, "name": policy.scope, "now": now})]
    answer = RetrievalDefaultSet(action="retrieval_default_set", policy=policy)
    return Change(answer, steps, None if scope is None else scope.id)
