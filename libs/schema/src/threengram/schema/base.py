"""The compatibility rule in two classes: inputs refuse what they do not know, outputs are checked before they leave.

Wire names are camelCase, Python names are snake_case. `Input.parse` accepts wire names only; Python code may construct
by field name.
"""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

_SHARED = ConfigDict(
    alias_generator=to_camel,
    extra="forbid",
    frozen=True,
    hide_input_in_errors=True,
    strict=True,
    validate_by_alias=True,
    validate_by_name=True,
    serialize_by_alias=True,
)


class Input(BaseModel):
    """Arguments from a caller: closed, so that a dropped filter can never read as a leak."""

    model_config = _SHARED

    @classmethod
    def parse(cls, arguments: str | bytes) -> Self:
        """The validated arguments of a JSON object; raises `pydantic.ValidationError`."""
        return cls.model_validate_json(arguments, by_alias=True, by_name=False)


class Output(BaseModel):
    """An answer: every field stated, strictly validated when it is made, advertised open."""

    model_config = _SHARED

    def wire(self) -> dict[str, Any]:
        """Plain JSON values under wire names; keys that exist only with content are left out."""
        return self.model_dump(mode="json")


def _is_none(value: object) -> bool:
    return value is None


def present(description: str | None = None) -> Any:
    """A field whose key is on the wire only when it has content."""
    return Field(default=None, exclude_if=_is_none, description=description)
