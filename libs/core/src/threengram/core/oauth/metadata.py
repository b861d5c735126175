"""The authorization server describes itself (RFC 8414, RFC 9207, client id metadata documents)."""

from typing import Any

from authlib.oauth2 import rfc8414, rfc9207

from threengram.core.identity.tokens import ALGORITHM
from threengram.core.oauth.resources import Resource
from threengram.schema.enums import ClientAuthMethod, OAuthScope
from threengram.schema.oauth import GrantType, ResponseType

AUTHORIZE_PATH = "/oauth/authorize"
TOKEN_PATH = "/oauth/token"  # noqa: S105 - a path
REGISTER_PATH = "/oauth/register"
REVOKE_PATH = "/oauth/revoke"
KEYS_PATH = "/jwks"
CODE_CHALLENGE_METHOD = "S256"
RESOURCE_NAME = "3ngram"


def server_metadata(issuer: str) -> dict[str, Any]:
    """The document; every member has a value, since some clients stumble over null."""
    methods = [str(method) for method in ClientAuthMethod]
    document = {
        "issuer": issuer,
        "authorization_endpoint": issuer + AUTHORIZE_PATH,
        "token_endpoint": issuer + TOKEN_PATH,
        "registration_endpoint": issuer + REGISTER_PATH,
        "revocation_endpoint": issuer + REVOKE_PATH,
        "jwks_uri": issuer + KEYS_PATH,
        "scopes_supported": [str(scope) for scope in OAuthScope],
        "response_types_supported": [str(kind) for kind in ResponseType],
        "response_modes_supported": ["query"],
        "grant_types_supported": [str(kind) for kind in GrantType],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": [CODE_CHALLENGE_METHOD],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }
    rfc8414.AuthorizationServerMetadata(document).validate(metadata_classes=[rfc9207.AuthorizationServerMetadata])
    return document


def openid_metadata(issuer: str) -> dict[str, Any]:
    """The same for clients that look for OpenID Connect Discovery only; they insist on these members.

    No ID tokens are made.
    """
    return server_metadata(issuer) | {
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }


def resource_metadata(resource: Resource, issuer: str) -> dict[str, Any]:
    """Protected resource metadata (RFC 9728)."""
    return {
        "resource": resource.identifier,
        "authorization_servers": [issuer],
        "scopes_supported": [str(scope) for scope in resource.scopes],
        "bearer_methods_supported": ["header"],
        "resource_name": RESOURCE_NAME,
    }
