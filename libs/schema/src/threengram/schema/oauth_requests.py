"""What clients send to the endpoints of the authorization server. Parameters that we don't know are ignored (RFC 6749).

Values are bounded here and judged in core. A parameter without a value counts as left out (RFC 6749, section 3.1).
"""

from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from threengram.schema.enums import ClientAuthMethod
from threengram.schema.oauth import (
    MAX_REDIRECT_URIS,
    METADATA_CONFIG,
    ClientName,
    GrantType,
    GrantTypes,
    ResponseType,
    ResponseTypes,
    said,
)
from threengram.schema.urls import MAX_URL_CHARS, InvalidUrl, check_app_redirect_uri, check_redirect_uri

_MAX_STATE_CHARS: Final = 4_096
_MAX_SCOPE_CHARS: Final = 1_024
_MAX_SECRET_CHARS: Final = 1_024
_MAX_TOKEN_CHARS: Final = 8_192

ClientId = Annotated[str, StringConstraints(min_length=1, max_length=MAX_URL_CHARS)]
Url = Annotated[str, StringConstraints(max_length=MAX_URL_CHARS)]
Word = Annotated[str, StringConstraints(max_length=128)]
ScopeText = Annotated[str, StringConstraints(max_length=_MAX_SCOPE_CHARS)]
Secret = Annotated[SecretStr, Field(max_length=_MAX_SECRET_CHARS)]
Credential = Annotated[SecretStr, Field(max_length=_MAX_TOKEN_CHARS)]


class AuthorizationParameters(BaseModel):
    """The query of an authorization request (RFC 6749, 4.1.1; RFC 7636; RFC 8707)."""

    model_config = METADATA_CONFIG

    client_id: ClientId
    redirect_uri: Url | None = None
    response_type: Word | None = None
    scope: ScopeText | None = None
    state: Annotated[str, StringConstraints(max_length=_MAX_STATE_CHARS)] | None = None
    code_challenge: Word | None = None
    code_challenge_method: Word | None = None
    resource: Url | None = None


class ClientParameters(BaseModel):
    """How a client names itself in a body."""

    model_config = METADATA_CONFIG

    client_id: ClientId | None = None
    client_secret: Secret | None = None


class TokenParameters(ClientParameters):
    """The body of a token request (RFC 6749, 4.1.3 and 6)."""

    grant_type: Word | None = None
    code: Credential | None = None
    redirect_uri: Url | None = None
    code_verifier: Credential | None = None
    refresh_token: Credential | None = None
    scope: ScopeText | None = None
    resource: Url | None = None


class RevocationParameters(ClientParameters):
    """The body of a revocation request (RFC 7009, 2.1); the hint about the kind of token is not needed."""

    token: Credential | None = None


class RegistrationRequest(BaseModel):
    """What a client that registers itself says (RFC 7591, section 2), narrowed to what this server supports.

    Without a name it is called after the host of its first redirect URI. The private-use schemes that may lead back
    into an app are given as `schemes` in the validation context.
    """

    model_config = METADATA_CONFIG

    redirect_uris: list[str] = Field(min_length=1, max_length=MAX_REDIRECT_URIS)
    client_name: ClientName
    grant_types: GrantTypes = Field(default=list(GrantType), min_length=1)
    response_types: ResponseTypes = Field(default=list(ResponseType), min_length=1)
    token_endpoint_auth_method: ClientAuthMethod = ClientAuthMethod.CLIENT_SECRET_BASIC

    @classmethod
    def parse(cls, body: bytes, schemes: frozenset[str]) -> Self:
        """The request in a JSON body. Raises `pydantic.ValidationError`."""
        return cls.model_validate_json(body, context={"schemes": schemes})

    @model_validator(mode="before")
    @classmethod
    def _narrowed(cls, members: Any) -> Any:
        if not isinstance(members, dict):
            return members
        kept = said(members)
        uris = kept.get("redirect_uris")
        if not kept.get("client_name") and isinstance(uris, list) and uris and isinstance(uris[0], str):
            kept["client_name"] = _host(uris[0])
        return kept

    @field_validator("redirect_uris", mode="before")
    @classmethod
    def _usable_redirect_uris(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            return value
        schemes: frozenset[str] = (info.context or {}).get("schemes", frozenset())
        usable = [uri for uri in dict.fromkeys(value) if _is_usable(uri, schemes)]
        if value and not usable:
            raise PydanticCustomError("redirect_uris", "No redirect URI is https, http on loopback, or an allowed app")
        return usable

    @field_validator("token_endpoint_auth_method", mode="before")
    @classmethod
    def _known_method(cls, value: Any) -> Any:
        # A method that we don't know leaves a public client, which proves itself by PKCE; the answer says so.
        if not isinstance(value, str):
            return value
        return ClientAuthMethod(value) if value in set(ClientAuthMethod) else ClientAuthMethod.NONE


def _is_usable(uri: str, schemes: frozenset[str]) -> bool:
    for check in (check_redirect_uri, lambda text: check_app_redirect_uri(text, schemes)):
        try:
            check(uri)
        except InvalidUrl:
            continue
        return True
    return False


def _host(uri: str) -> str:
    try:
        return urlsplit(uri).hostname or "unnamed"
    except ValueError:
        return "unnamed"
