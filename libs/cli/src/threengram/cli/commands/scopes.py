"""`threengram scopes`: the registry of scopes, their aliases, the projects filed into them, the default of reads."""

from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from threengram.cli.memory import text
from threengram.cli.memory.command import Found, uses_memory
from threengram.schema.enums import RetrievalMode
from threengram.schema.environment import ScopeRecord
from threengram.sdk import Threengram

app = typer.Typer(help="Scopes: list, create, rename, alias, map, delete, default.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Of a scope, or one of its aliases.")]


@uses_memory
def list_scopes(memory: Threengram) -> Found:
    """One line a scope: name, aliases, projects."""
    listed = memory.list_scopes()
    return Found(listed, Group(*(_shown(scope) for scope in listed.scopes)))


@uses_memory
def create(memory: Threengram, name: Name) -> Found:
    """Register a scope."""
    made = memory.create_scope(name=name)
    return Found(made, _shown(made.scope))


@uses_memory
def rename(memory: Threengram, name: Name, new_name: Annotated[str, typer.Argument(help="Its new name.")]) -> Found:
    """Give a scope and its memories another name; the old one stays an alias."""
    made = memory.rename_scope(name=name, new_name=new_name)
    return Found(made, _shown(made.scope))


@uses_memory
def alias(
    memory: Threengram, name: Name, aliases: Annotated[list[str] | None, typer.Argument(help="All of them.")] = None
) -> Found:
    """Replace the aliases of a scope."""
    made = memory.set_aliases(name=name, aliases=aliases or [])
    return Found(made, _shown(made.scope))


@uses_memory
def map_project(
    memory: Threengram,
    project: Annotated[str, typer.Argument(help="What is written for it without a scope ...")],
    scope: Annotated[str | None, typer.Argument(help="... goes here; nowhere in particular if not given.")] = None,
) -> Found:
    """File a project into a scope."""
    made = memory.set_mapping(project=project, scope=scope)
    return Found(made, text.line(text.said(made.mapping.project), made.mapping.scope or "nowhere in particular"))


@uses_memory
def delete(memory: Threengram, name: Name) -> Found:
    """Take a scope out of the registry; its memories stay where they are."""
    gone = memory.delete_scope(name=name)
    return Found(gone, text.line(text.said(gone.name), "deleted"))


@uses_memory
def default(
    memory: Threengram,
    mode: Annotated[RetrievalMode, typer.Argument(help="A read without a scope sees all, one scope, or fails.")],
    scope: Annotated[str | None, typer.Argument(help="With `default`: which one.")] = None,
) -> Found:
    """Say what a read without a scope means."""
    made = memory.set_retrieval_default(mode=mode, scope=scope)
    return Found(made, text.line(text.said(made.policy.mode), made.policy.scope))


def _shown(scope: ScopeRecord) -> Text:
    aliases = f"also {', '.join(scope.aliases)}" if scope.aliases else None
    projects = f"projects {', '.join(scope.projects)}" if scope.projects else None
    return text.line(text.said(scope.name, "bold"), aliases, projects)


for name, command in {
    "list": list_scopes, "create": create, "rename": rename, "alias": alias, "map": map_project, "delete": delete,
    "default": default,
}.items():  # fmt: skip
    app.command(name)(command)
