"""Ids on the wire: UUIDs in their canonical text form, upper or lower case."""

import re
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

_CANONICAL = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", flags=re.ASCII | re.IGNORECASE)


def parse_id(value: Any) -> UUID:
    """The UUID; other spellings that Python would take (braces, URN, no dashes) are refused (RFC 9562, section 4)."""
    if isinstance(value, UUID):
        return value
    if not isinstance(value, str) or _CANONICAL.fullmatch(value) is None:
        raise PydanticCustomError("id_format", "Expected a UUID such as 0190d3a8-7c2e-7000-8000-000000000000")
    return UUID(value)


Id = Annotated[UUID, BeforeValidator(parse_id), WithJsonSchema({"type": "string"})]
