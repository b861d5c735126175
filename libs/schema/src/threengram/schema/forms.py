"""Arguments and answers that take one of several forms, told apart by `action`.

The base class of a union stands for all of its forms: they are its subclasses, in the order of their definition. It is
what a verb declares, so that a union is used like any other model; only its schema and its parsing differ.

A form of arguments declares its tag with `init=False`: its class says it already, so Python code leaves it out. On the
wire the tag is required all the same.
"""

from functools import cache
from typing import Annotated, Any, Literal, Self, Union, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

from threengram.schema.base import Input, Output

TAG = "action"


class InputForms(Input):
    """Arguments in one of the forms of a subclass of this class."""

    action: str

    @classmethod
    def parse(cls, arguments: str | bytes) -> Self:
        """The form that `action` names, validated; raises `pydantic.ValidationError`.

        The action is read first, so that the paths of the errors are those of the arguments, without the form's name.
        """
        forms = _forms(cls)
        if not forms:
            return super().parse(arguments)
        tagged = _tag_model(cls).model_validate_json(arguments)
        form: type[Self] = forms[getattr(tagged, TAG)]
        return form.parse(arguments)


class OutputForms(Output):
    """An answer in one of the forms of a subclass of this class."""

    action: str


def union_of(model: type[BaseModel]) -> Any:
    """The forms of `model` as a discriminated union; a model without forms is returned as it is."""
    forms = tuple(_forms(model).values()) if issubclass(model, InputForms | OutputForms) else ()
    return Annotated[Union[forms], Field(discriminator=TAG)] if forms else model  # noqa: UP007 - built at run time


def json_schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The JSON schema of a model or of the union it stands for."""
    return TypeAdapter(union_of(model)).json_schema(mode=mode)


@cache
def _forms(union: type[BaseModel]) -> dict[str, Any]:
    return {get_args(form.model_fields[TAG].annotation)[0]: form for form in union.__subclasses__()}


@cache
def _tag_model(union: type[BaseModel]) -> type[BaseModel]:
    config = ConfigDict(extra="ignore", strict=True, hide_input_in_errors=True)
    action: Any = Literal[tuple(_forms(union))]
    return create_model(union.__name__, __config__=config, action=(action, ...))
