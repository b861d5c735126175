"""Client metadata documents, and how the `cimd` service is asked for one.

The members are those of RFC 7591, read by the rules of OAuth Client ID Metadata Documents: a document describes a
public client and is named by its own URL. What a document says beyond our abilities is left out rather than refused,
so that a client which also speaks to others can speak to us.
"""

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from threengram.schema.base import Input, Output, present
from threengram.schema.errors import IssueBody
from threengram.schema.instants import Instant
from threengram.schema.text import NORMALISED
from threengram.schema.urls import InvalidUrl, RedirectUri, check_link, check_redirect_uri

MAX_CLIENT_NAME_CHARS = 255
MAX_REDIRECT_URIS = 16

_NO_AUTHENTICATION: Final = "none"
_AUTH_METHOD: Final = "token_endpoint_auth_method"
_AUTH_METHODS: Final = "token_endpoint_auth_methods_supported"
_SECRETS: Final = ("client_secret", "client_secret_expires_at")
_LINKS: Final = ("client_uri", "logo_uri")


class GrantType(StrEnum):
    """The grants of the token endpoint."""

    AUTHORIZATION_CODE = "authorization_code"
    REFRESH_TOKEN = "refresh_token"  # noqa: S105 - the name of a grant


class ResponseType(StrEnum):
    """The responses of the authorization endpoint."""

    CODE = "code"


def _shown(value: Any) -> Any:
    """A name as a page shows it: without characters that nobody sees, or that change how others are seen."""
    if not isinstance(value, str):
        return value
    kept, marks, is_visible = "", 0, False
    for char in " ".join(value.split()):
        category = unicodedata.category(char)
        marks = marks + 1 if category.startswith("M") else 0
        if category in _UNSEEN or char in _BLANK or marks > _MAX_MARKS:
            continue
        kept += char
        is_visible = is_visible or category[0] in "LNPS"
    return kept if is_visible else ""


_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Zl", "Zp"})
"""Controls, among them the directions of UAX #9, and characters that each font shows as it likes."""
# What of Default_Ignorable_Code_Point (UAX #44) is of other categories, and the Braille pattern without a dot.
_BLANK: Final = frozenset(
    chr(code)
    for code in (
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
        *range(0xE0100, 0xE01F0),
    )
)  # fmt: skip
_MAX_MARKS: Final = 4
"""On one letter: more of them cover the lines above and below."""

ClientName = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_CLIENT_NAME_CHARS), NORMALISED, BeforeValidator(_shown)
]


def _known(kinds: type[StrEnum], value: Any) -> Any:
    """The entries of a list of strings that we know; anything else is left for the type check that follows."""
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        return value
    return [kind for kind in kinds if kind in value]


GrantTypes = Annotated[list[GrantType], BeforeValidator(partial(_known, GrantType))]
ResponseTypes = Annotated[list[ResponseType], BeforeValidator(partial(_known, ResponseType))]


def said(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that say something: a null one says as much as an absent one."""
    return {name: value for name, value in members.items() if value is not None}


def _usable(value: Any) -> Any:
    """The redirect URIs that we can honour: a private-use scheme beside an https URI loses only itself."""
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        return value
    return [uri for uri in dict.fromkeys(value) if _holds(check_redirect_uri, uri)]


def _holds(check: Any, text: str) -> bool:
    try:
        check(text)
    except InvalidUrl:
        return False
    return True


METADATA_CONFIG: Final = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, strict=True)


class ClientMetadata(BaseModel):
    """A public client as its document describes it, narrowed to what this server supports.

    `grant_types` may be empty, when the client supports none of ours. Reading a narrowed document again gives the same.
    """

    model_config = METADATA_CONFIG

    client_id: str
    client_name: ClientName
    redirect_uris: list[RedirectUri] = Field(min_length=1, max_length=MAX_REDIRECT_URIS)
    grant_types: GrantTypes = [GrantType.AUTHORIZATION_CODE]
    response_types: ResponseTypes = Field(default=[ResponseType.CODE], min_length=1)
    token_endpoint_auth_method: Literal["none"] = "none"  # noqa: S105 - says that there is no password
    client_uri: str | None = present()
    logo_uri: str | None = present()

    @classmethod
    def parse(cls, document: bytes, url: str) -> Self:
        """The metadata in the UTF-8 JSON found at `url`. Raises `pydantic.ValidationError`."""
        return cls.model_validate_json(document, context={"url": url})

    @model_validator(mode="before")
    @classmethod
    def _narrowed(cls, members: Any) -> Any:
        if not isinstance(members, dict):
            return members
        kept = said(members)
        if any(name in kept for name in _SECRETS):
            raise PydanticCustomError("client_secret", "A public document must hold no client secret")
        for name in _LINKS:
            if name in kept and not (isinstance(kept[name], str) and _holds(check_link, kept[name])):
                del kept[name]
        # The plural form decides, where a document has it.
        methods = kept.get(_AUTH_METHODS)
        if isinstance(methods, list) and _NO_AUTHENTICATION in methods:
            kept[_AUTH_METHOD] = _NO_AUTHENTICATION
        elif methods is not None:
            kept[_AUTH_METHOD] = methods
        return kept

    @field_validator("client_id")
    @classmethod
    def _is_the_url(cls, client_id: str, info: ValidationInfo) -> str:
        if info.context is not None and info.context["url"] != client_id:
            raise PydanticCustomError("client_id_mismatch", "client_id must equal the URL of the document")
        return client_id

    @field_validator("redirect_uris", mode="before")
    @classmethod
    def _usable_redirect_uris(cls, value: Any) -> Any:
        return _usable(value)


class ResolveFailure(StrEnum):
    """Why there is no document. Whoever asks for a token hears `invalid_client` for all of them."""

    INVALID_CLIENT_ID = "invalid_client_id"
    UNSAFE_ADDRESS = "unsafe_address"
    UNSAFE_REDIRECT = "unsafe_redirect"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    HOST_NOT_FOUND = "host_not_found"
    DNS_FAILURE = "dns_failure"
    FETCH_FAILURE = "fetch_failure"
    TLS_FAILURE = "tls_failure"
    DOCUMENT_MISSING = "document_missing"
    DOCUMENT_UNAVAILABLE = "document_unavailable"
    INVALID_RESPONSE = "invalid_response"
    INVALID_DOCUMENT = "invalid_document"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    CAPACITY_EXCEEDED = "capacity_exceeded"
    QUOTA_EXCEEDED = "quota_exceeded"

    @property
    def is_retryable(self) -> bool:
        """Whether it is an outage, theirs or ours: the same URL may have a document a little later."""
        return self in _OUTAGES


_OUTAGES: Final = frozenset(
    {
        ResolveFailure.DNS_FAILURE,
        ResolveFailure.FETCH_FAILURE,
        ResolveFailure.TLS_FAILURE,
        ResolveFailure.DOCUMENT_UNAVAILABLE,
        ResolveFailure.DEADLINE_EXCEEDED,
        ResolveFailure.CAPACITY_EXCEEDED,
        ResolveFailure.QUOTA_EXCEEDED,
    }
)


class ResolveRequest(Input):
    """Body of `POST /v1/resolve`. The rules for the URL are the service's, so that breaking one has its own code."""

    client_id: str = Field(min_length=1)


class ResolveResponse(Output):
    """A valid document.

    From `expires_at` on the document must be resolved again; it equals `fetched_at` when the document's directives
    allow no cache. `may_serve_stale` says whether they let a shared cache keep it for an outage (RFC 9111, 4.2.4).
    """

    document: ClientMetadata
    fetched_at: Instant
    expires_at: Instant
    may_serve_stale: bool


class ResolveError(Output):
    """Why there is none. `issues` say what is wrong with a document, without anything that it holds."""

    error: ResolveFailure
    detail: str
    retryable: bool
    retry_after_s: int | None = present("Seconds until the URL is tried again; until then the answer stays the same")
    issues: list[IssueBody] | None = present("Which members of the document break which rule")
