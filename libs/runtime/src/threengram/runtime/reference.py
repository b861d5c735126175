"""The settings reference, generated from the settings classes."""

import types
import typing
from collections.abc import Iterable

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

_HEADER = "| variable | type | default | meaning |\n|---|---|---|---|"


def _type_name(annotation: object) -> str:
    if annotation is SecretStr:
        return "secret"
    if annotation is type(None):
        return "unset"
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Literal:
        return " or ".join(f"`{argument}`" for argument in arguments)
    if origin in {typing.Union, types.UnionType}:
        return " or ".join(_type_name(argument) for argument in arguments if argument is not type(None))
    if arguments:
        return f"{getattr(origin, '__name__', origin)} of {', '.join(_type_name(argument) for argument in arguments)}"
    return getattr(annotation, "__name__", str(annotation))


def _is_secret(annotation: object) -> bool:
    return annotation is SecretStr or SecretStr in typing.get_args(annotation)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        return "computed"
    if field.default is None or field.default is PydanticUndefined:
        return "unset"
    if _is_secret(field.annotation):
        return "(secret)"
    return f"`{field.default}`"


def _variables(name: str, field: FieldInfo, prefix: str) -> str:
    alias = field.validation_alias
    names = [f"{prefix}{name}".upper()]
    if isinstance(alias, AliasChoices):
        names = [choice.upper() for choice in alias.choices if isinstance(choice, str)]
    elif isinstance(alias, str):
        names = [alias.upper()]
    return ", ".join(f"`{variable}`" for variable in names)


def _row(name: str, field: FieldInfo, prefix: str) -> str:
    cells = (
        _variables(name, field, prefix),
        _type_name(field.annotation),
        _default(field),
        (field.description or "").replace("|", "\\|").replace("\n", " "),
    )
    return f"| {' | '.join(cells)} |"


def settings_table(classes: Iterable[type[BaseSettings]]) -> str:
    """Markdown: one table a settings class under the first line of its docstring; defaults of secrets are hidden."""
    sections = []
    for settings in classes:
        prefix = settings.model_config.get("env_prefix", "")
        rows = [_row(name, field, prefix) for name, field in settings.model_fields.items()]
        title = (settings.__doc__ or settings.__name__).strip().splitlines()[0].rstrip(".")
        sections.append("\n".join((f"## {title}", "", _HEADER, *rows)))
    return "\n\n".join(sections) + "\n"
