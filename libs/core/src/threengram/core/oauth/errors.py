"""Protocol errors that Authlib does not name, and the refusals that are no protocol error at all."""

from authlib.oauth2.rfc6749.errors import InvalidGrantError, OAuth2Error, UnsupportedGrantTypeError

from threengram.schema.oauth import GrantType


class InvalidTargetError(OAuth2Error):
    """The resource is none of ours, or not the one that was consented to (RFC 8707, section 2)."""

    error = "invalid_target"
    description = "The resource is unknown, or not the one that the grant is for."


class UnknownGrantTypeError(UnsupportedGrantTypeError):
    """A grant that the token endpoint does not have; which, is not repeated."""

    description = "The grant types are authorization_code and refresh_token."

    def __init__(self) -> None:
        super().__init__("")


class ReplayError(InvalidGrantError):
    """A code or refresh token came again; all that came of it is revoked, since one of the two had no right to it."""

    description = "This was used before; what came of it is revoked. Ask the user again."

    def __init__(self, grant: GrantType) -> None:
        super().__init__()
        self.grant = grant


class TemporarilyUnavailableError(OAuth2Error):
    """The client can't be told from another now; the same request may succeed later (RFC 6749, section 4.1.2.1)."""

    error = "temporarily_unavailable"
    description = "The client metadata document can not be fetched at the moment."
    status_code = 503


class UnknownClient(Exception):
    """No such client, or its document is refused. `reason` is for logs: whoever asks learns no more than that."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ClientUnavailable(Exception):
    """The client's document can't be fetched now; `reason` is for logs."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CannotAuthorize(Exception):
    """An authorization request that may not be answered by a redirect, since nothing says where that would lead."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
