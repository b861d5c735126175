"""The one string type that carries rules: normalised first, then counted, never cut.

A text is trimmed, brought into Unicode Normalization Form C (UAX #15) and counted in code points. NUL, which PostgreSQL
cannot store, and lone surrogates, which are no Unicode text at all, are refused.
"""

import unicodedata
from typing import Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError


def normalised(value: Any) -> Any:
    """`value` in NFC without outer white space; anything but a string is left for the type check that follows."""
    if not isinstance(value, str):
        return value
    if "\x00" in value:
        raise PydanticCustomError("text_nul", "Text must not contain the NUL character")
    if not value.isascii():
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise PydanticCustomError("text_surrogate", "Text must not contain lone surrogates")
        value = unicodedata.normalize("NFC", value)
    return value.strip()


NORMALISED = BeforeValidator(normalised)
"""Put last in an `Annotated[str, StringConstraints(...), NORMALISED]`: the outermost validator runs first."""
