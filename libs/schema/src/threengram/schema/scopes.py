"""`configure_scope`: the registry of scopes, their aliases, the projects filed into them, the retrieval default."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input, Output
from threengram.schema.enums import RetrievalMode
from threengram.schema.environment import RetrievalScopePolicy, ScopeRecord
from threengram.schema.forms import InputForms, OutputForms
from threengram.schema.memories import Project, ScopeName

Aliases = Annotated[list[ScopeName], Field(max_length=bounds.MAX_SCOPE_ALIASES)]


class ListScopesInput(Input):
    """No arguments."""


class ConfigureScopeInput(InputForms):
    """Arguments of `configure_scope`, one form for each action. A scope is named by its name or an alias."""


class ListScopes(ConfigureScopeInput):
    """Show the registry."""

    action: Literal["list"] = Field(default="list", init=False)


class CreateScope(ConfigureScopeInput):
    """Register a scope."""

    action: Literal["create"] = Field(default="create", init=False)
    name: ScopeName = Field(description="The scope to create, rename, set_aliases of or delete")
    aliases: Aliases = Field(default_factory=list, description="create, set_aliases: its other names, all of them")


class RenameScope(ConfigureScopeInput):
    """Give a scope another name; the old one stays an alias."""

    action: Literal["rename"] = Field(default="rename", init=False)
    name: ScopeName
    new_name: ScopeName = Field(description="rename: the old name stays an alias")


class SetAliases(ConfigureScopeInput):
    """Replace the aliases of a scope."""

    action: Literal["set_aliases"] = Field(default="set_aliases", init=False)
    name: ScopeName
    aliases: Aliases


class SetMapping(ConfigureScopeInput):
    """File what is written for a project into a scope, unless the write names one."""

    action: Literal["set_mapping"] = Field(default="set_mapping", init=False)
    project: Project = Field(description="set_mapping: its writes without a scope go to `scope`; no scope unmaps it")
    scope: ScopeName | None = Field(default=None, description="For set_mapping, and for mode default")


class DeleteScope(ConfigureScopeInput):
    """Take a scope out of the registry; its memories stay where they are."""

    action: Literal["delete"] = Field(default="delete", init=False)
    name: ScopeName


class SetRetrievalDefault(ConfigureScopeInput):
    """Say what a read without a scope means."""

    action: Literal["set_retrieval_default"] = Field(default="set_retrieval_default", init=False)
    mode: RetrievalMode = Field(
        description="set_retrieval_default: a read without a scope sees all (off), `scope` (default) or fails (require)"
    )
    scope: ScopeName | None = Field(default=None, validate_default=True)

    @field_validator("scope")
    @classmethod
    def _scope_belongs_to_default(cls, scope: str | None, info: ValidationInfo) -> str | None:
        mode = info.data.get("mode")
        if mode is RetrievalMode.DEFAULT and scope is None:
            raise PydanticCustomError("scope_required", "mode default needs a scope")
        if mode in (RetrievalMode.OFF, RetrievalMode.REQUIRE) and scope is not None:
            raise PydanticCustomError("scope_refused", "Only mode default takes a scope")
        return scope


class ScopeMapping(Output):
    """Where the writes of a project go; None when nowhere in particular."""

    project: str
    scope: str | None


class ConfigureScopeOutput(OutputForms):
    """The answer of `configure_scope`, in a form that depends on the action."""


class ScopesListed(ConfigureScopeOutput):
    """Every registered scope, by name."""

    action: Literal["list"]
    scopes: list[ScopeRecord]
    count: int


class ScopeUpserted(ConfigureScopeOutput):
    """The scope as it is now."""

    action: Literal["upserted"]
    scope: ScopeRecord


class ScopeDeleted(ConfigureScopeOutput):
    """The name that is registered no more."""

    action: Literal["deleted"]
    name: str


class MappingSet(ConfigureScopeOutput):
    """The mapping as it is now."""

    action: Literal["mapping_set"]
    mapping: ScopeMapping


class RetrievalDefaultSet(ConfigureScopeOutput):
    """The policy as it is now."""

    action: Literal["retrieval_default_set"]
    policy: RetrievalScopePolicy
