"""API keys: what may be asked for one."""

from typing import Annotated

from pydantic import Field, StringConstraints

from threengram.schema import bounds
from threengram.schema.base import Input
from threengram.schema.enums import OAuthScope
from threengram.schema.text import NORMALISED

KeyName = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_KEY_NAME_CHARS), NORMALISED]


class CreateApiKeyInput(Input):
    """A new key of whoever asks. Without `expiresInDays` it lasts until it is revoked."""

    name: KeyName
    scopes: Annotated[list[OAuthScope], Field(min_length=1)]
    expires_in_days: Annotated[int, Field(ge=1, le=bounds.MAX_KEY_DAYS)] | None = None
