"""Pure: the registered scopes of a tenant, and the rules about their names."""

from collections.abc import Sequence
from dataclasses import dataclass

from threengram.core.errors import Conflict, LimitReached, NotFound
from threengram.schema.bounds import MAX_SCOPE_ALIASES, MAX_SCOPE_MAPPINGS, MAX_SCOPES
from threengram.schema.environment import ScopeRecord


@dataclass(frozen=True, slots=True)
class Registry:
    """The scopes by name. No name or alias stands for two of them, so that an alias never leads to an alias."""

    scopes: Sequence[ScopeRecord]

    def find(self, name: str, *, field: str) -> ScopeRecord:
        """The scope of that name or alias; raises `NotFound`."""
        scope = self._holder(name)
        if scope is None:
            raise NotFound("scope", field=field)
        return scope

    def check_room(self) -> None:
        """Raises `LimitReached` when another scope would be one too many."""
        if len(self.scopes) >= MAX_SCOPES:
            raise LimitReached(f"at most {MAX_SCOPES} scopes can be registered; delete one first", field="name")

    def check_room_for_mapping(self, project: str) -> None:
        """Raises `LimitReached` when the project is not mapped yet and another mapping would be one too many."""
        mapped = [name for scope in self.scopes for name in scope.projects]
        if project not in mapped and len(mapped) >= MAX_SCOPE_MAPPINGS:
            raise LimitReached(
                f"at most {MAX_SCOPE_MAPPINGS} projects can be mapped; remove a mapping first", field="project"
            )

    def check_free(self, name: str, *, owner: ScopeRecord | None, field: str) -> None:
        """Raises `Conflict` when a scope other than `owner` goes by that name."""
        holder = self._holder(name)
        if holder is not None and (owner is None or holder.id != owner.id):
            raise Conflict("another scope has this name or alias", field=field, subject_id=str(holder.id))

    def free_aliases(self, name: str, aliases: Sequence[str], *, owner: ScopeRecord | None) -> list[str]:
        """The aliases without repetitions; raises `Conflict` for one that is the scope's own name or another's."""
        for position, alias in enumerate(aliases):
            field = f"aliases[{position}]"
            if alias == name:
                raise Conflict("a scope's own name cannot be its alias", field=field)
            self.check_free(alias, owner=owner, field=field)
        return list(dict.fromkeys(aliases))

    def _holder(self, name: str) -> ScopeRecord | None:
        return next((scope for scope in self.scopes if name == scope.name or name in scope.aliases), None)


def renamed(scope: ScopeRecord, new_name: str) -> ScopeRecord:
    """The scope under its new name, with the old one as its last alias; raises `LimitReached` when there is no room."""
    if new_name == scope.name:
        return scope
    aliases = [*(alias for alias in scope.aliases if alias != new_name), scope.name]
    if len(aliases) > MAX_SCOPE_ALIASES:
        raise LimitReached(
            f"a scope has at most {MAX_SCOPE_ALIASES} aliases, and its old name would be one more;"
            " remove one with set_aliases first",
            field="newName",
        )
    return scope.model_copy(update={"name": new_name, "aliases": aliases})
