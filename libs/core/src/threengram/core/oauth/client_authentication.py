"""How a client proves at the token endpoint who it is (RFC 6749, section 2.3)."""

from dataclasses import dataclass, field

from authlib.oauth2.rfc6749.errors import InvalidClientError, InvalidRequestError
from authlib.oauth2.rfc6749.util import extract_basic_authorization

from threengram.core.oauth.clients import Client
from threengram.core.oauth.secrets import is_secret
from threengram.schema.enums import ClientAuthMethod
from threengram.schema.oauth_requests import ClientParameters


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """What was presented, and by which of the methods."""

    client_id: str
    method: ClientAuthMethod
    secret: str | None = field(default=None, repr=False)

    def refused(self) -> InvalidClientError:
        """The answer when they are wrong, for whatever reason; it names the scheme that was tried."""
        return InvalidClientError("Client authentication failed.", status_code=401)

    def check(self, client: Client) -> None:
        """Return when these are the client's, by the method that it registered. Raises `InvalidClientError`."""
        if self.method is not client.auth_method:
            raise self.refused()
        if client.secret_hash is not None and (self.secret is None or not is_secret(self.secret, client.secret_hash)):
            raise self.refused()


def presented(authorization: str | None, body: ClientParameters) -> ClientCredentials:
    """The credentials in the header or the body. Raises `InvalidRequestError` or `InvalidClientError`."""
    if authorization is not None:
        return _basic(authorization, body)
    if body.client_id is None:
        raise InvalidClientError("The request names no client.", status_code=401)
    if body.client_secret is None:
        return ClientCredentials(body.client_id, ClientAuthMethod.NONE)
    secret = body.client_secret.get_secret_value()
    return ClientCredentials(body.client_id, ClientAuthMethod.CLIENT_SECRET_POST, secret)


def _basic(authorization: str, body: ClientParameters) -> ClientCredentials:
    try:
        client_id, secret = extract_basic_authorization({"Authorization": authorization})
    except ValueError:
        client_id = secret = None
    if client_id is None or secret is None:
        raise InvalidClientError("The Authorization header is malformed.", status_code=401)
    if body.client_secret is not None or body.client_id not in (None, client_id):
        raise InvalidRequestError("The client authenticates in more than one way.")
    return ClientCredentials(client_id, ClientAuthMethod.CLIENT_SECRET_BASIC, secret)
