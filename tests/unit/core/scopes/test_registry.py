"""The names of scopes: unique over names and aliases, bounded, resolved in one step."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.core.errors import Conflict, Error, LimitReached, NotFound
from threengram.core.ids import new_id
from threengram.core.scopes.changes import plan
from threengram.core.scopes.configure import required_scope
from threengram.core.scopes.registry import Registry, renamed
from threengram.schema.bounds import MAX_SCOPE_ALIASES, MAX_SCOPE_MAPPINGS, MAX_SCOPES
from threengram.schema.enums import OAuthScope
from threengram.schema.environment import ScopeRecord
from threengram.schema.scopes import (
    ConfigureScopeInput,
    CreateScope,
    DeleteScope,
    ListScopes,
    RenameScope,
    ScopeDeleted,
    ScopeUpserted,
    SetAliases,
    SetMapping,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def a_scope(name: str, *aliases: str, projects: list[str] | None = None) -> ScopeRecord:
    return ScopeRecord(id=new_id(), name=name, aliases=list(aliases), projects=projects or [], created_at=NOW)


def test_a_scope_answers_to_its_name_and_its_aliases() -> None:
    work = a_scope("work", "job", "office")
    registry = Registry([a_scope("personal"), work])
    assert [registry.find(name, field="name") for name in ("work", "job", "office")] == [work] * 3
    with pytest.raises(NotFound) as refused:
        registry.find("elsewhere", field="scope")
    assert (refused.value.field, refused.value.subject_id) == ("scope", None)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (CreateScope(name="work"), "name"),
        (CreateScope(name="job"), "name"),
        (CreateScope(name="new", aliases=["ok", "job"]), "aliases[1]"),
        (CreateScope(name="new", aliases=["personal"]), "aliases[0]"),
        (CreateScope(name="new", aliases=["new"]), "aliases[0]"),
        (RenameScope(name="personal", new_name="job"), "newName"),
        (SetAliases(name="personal", aliases=["work"]), "aliases[0]"),
        (SetAliases(name="personal", aliases=["job"]), "aliases[0]"),
        (SetAliases(name="personal", aliases=["personal"]), "aliases[0]"),
    ],
)
def test_a_name_or_alias_stands_for_one_scope_only(request_: ConfigureScopeInput, field: str) -> None:
    registry = Registry([a_scope("personal"), a_scope("work", "job")])
    with pytest.raises(Conflict) as refused:
        plan(registry, request_, now=NOW)
    assert refused.value.field == field


def test_a_rename_leaves_the_old_name_as_the_last_alias() -> None:
    work = a_scope("work", "job")
    assert renamed(work, "office") == work.model_copy(update={"name": "office", "aliases": ["job", "work"]})


def test_a_rename_to_an_alias_of_its_own_trades_the_two() -> None:
    work = a_scope("work", "job", "office")
    assert renamed(work, "job") == work.model_copy(update={"name": "job", "aliases": ["office", "work"]})


def test_a_rename_without_room_for_the_old_name_is_refused() -> None:
    full = a_scope("work", *(f"alias-{number}" for number in range(MAX_SCOPE_ALIASES)))
    with pytest.raises(LimitReached) as refused:
        renamed(full, "office")
    assert refused.value.field == "newName"
    assert len(renamed(full, "alias-0").aliases) == MAX_SCOPE_ALIASES


def test_the_registry_is_bounded() -> None:
    registry = Registry([a_scope(f"scope-{number}") for number in range(MAX_SCOPES)])
    with pytest.raises(LimitReached):
        plan(registry, CreateScope(name="new"), now=NOW)


def test_mappings_are_bounded_and_a_mapped_project_can_still_move() -> None:
    projects = [f"project-{number}" for number in range(MAX_SCOPE_MAPPINGS)]
    registry = Registry([a_scope("personal", projects=projects), a_scope("work")])
    with pytest.raises(LimitReached):
        plan(registry, SetMapping(project="new", scope="work"), now=NOW)
    plan(registry, SetMapping(project=projects[0], scope="work"), now=NOW)
    plan(registry, SetMapping(project="new"), now=NOW)


def test_only_the_list_is_a_read() -> None:
    assert required_scope(ListScopes()) is OAuthScope.MEMORY_READ
    assert required_scope(DeleteScope(name="work")) is OAuthScope.MEMORY_WRITE


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
LISTS = st.lists(NAMES, max_size=3)
ACTIONS = st.one_of(
    st.builds(lambda name, aliases: CreateScope(name=name, aliases=aliases), NAMES, LISTS),
    st.builds(lambda name, new_name: RenameScope(name=name, new_name=new_name), NAMES, NAMES),
    st.builds(lambda name, aliases: SetAliases(name=name, aliases=aliases), NAMES, LISTS),
    st.builds(lambda name: DeleteScope(name=name), NAMES),
)


@given(st.lists(ACTIONS, max_size=25))
def test_no_history_gives_a_name_two_meanings(history: list[ConfigureScopeInput]) -> None:
    scopes: dict[str, ScopeRecord] = {}
    for request in history:
        try:
            change = plan(Registry(list(scopes.values())), request, now=NOW)
        except Error:
            continue
        if isinstance(change.answer, ScopeUpserted):
            scopes[str(change.answer.scope.id)] = change.answer.scope
        elif isinstance(change.answer, ScopeDeleted):
            scopes.pop(str(change.scope_id))
        names = [name for scope in scopes.values() for name in (scope.name, *scope.aliases)]
        assert len(names) == len(set(names))
