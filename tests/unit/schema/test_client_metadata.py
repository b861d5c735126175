"""Client metadata documents: what is read, narrowed and refused."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from threengram.schema.errors import issues_of
from threengram.schema.oauth import ClientMetadata, GrantType, ResolveFailure

URL = "https://app.example/client.json"
MINIMAL = {"client_id": URL, "client_name": "App", "redirect_uris": ["https://app.example/cb"]}


def parsed(**members: Any) -> ClientMetadata:
    return ClientMetadata.parse(json.dumps(MINIMAL | members).encode(), URL)


def refused(document: bytes, url: str = URL) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as error:
        ClientMetadata.parse(document, url)
    return [(issue.path, issue.code) for issue in issues_of(error.value)]


def test_a_minimal_document_is_a_public_client_with_the_code_grant() -> None:
    client = parsed()
    assert client.model_dump(mode="json") == MINIMAL | {
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


DOCUMENTS: dict[str, dict[str, Any]] = {
    "a web client that also lists an assertion grant": {
        "client_name": "Claude",
        "client_uri": "https://claude.ai",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    },
    "a native client with loopback redirects without a port": {
        "client_name": "Claude Code",
        "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": "none",
    },
    "a web client that prefers a signed assertion and supports none": {
        "client_name": "ChatGPT",
        "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "none"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
    },
    "an editor with a scheme of its own beside https": {
        "client_name": "Editor",
        "redirect_uris": ["editor://oauth/callback", "https://editor.example/redirect", "http://127.0.0.1:33418/"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": ["code", "id_token"],
        "application_type": "native",
        "logo_uri": "http://editor.example/logo.png",
        "software_statement": None,
        "scope": None,
        "x-unknown": {"nested": [1, 2.5, True]},
    },
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_documents_shaped_like_those_of_real_clients_are_narrowed_to_what_is_supported(
    document: dict[str, Any],
) -> None:
    client = parsed(**document)
    expected = [uri for uri in document["redirect_uris"] if uri.startswith("http")]
    assert client.redirect_uris == expected
    assert client.grant_types == [GrantType.AUTHORIZATION_CODE, GrantType.REFRESH_TOKEN]
    assert (client.token_endpoint_auth_method, client.response_types) == ("none", ["code"])
    assert client.logo_uri is None


def test_reading_a_narrowed_document_again_changes_nothing() -> None:
    for document in DOCUMENTS.values():
        client = parsed(**document)
        assert ClientMetadata.model_validate_json(client.model_dump_json()) == client


def test_a_client_with_none_of_our_grants_stays_a_client() -> None:
    assert parsed(grant_types=["client_credentials"]).grant_types == []


def test_null_says_as_much_as_nothing() -> None:
    members = ("grant_types", "response_types", "token_endpoint_auth_method", "client_secret", "logo_uri", "client_uri")
    assert parsed(**dict.fromkeys((*members, "token_endpoint_auth_methods_supported"))) == parsed()


def test_a_name_can_not_change_the_direction_or_the_lines_of_the_page_that_shows_it() -> None:
    assert parsed(client_name=" \u202eexe.ppA\u2066\n ").client_name == "exe.ppA"
    assert parsed(client_name="App\u2028\u00a0\u00a0 checked").client_name == "App checked"
    assert parsed(client_name="Z" + "\u0316" * 200 + "oo").client_name == "Z" + "\u0316" * 4 + "oo"


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff", "\u3164", "\u2800", "\U000e0041", "\ufe0f", "\u0301", "\ue000"])
def test_a_name_has_something_to_see(unseen: str) -> None:
    with pytest.raises(ValidationError):
        parsed(client_name=unseen * 3)
    if unseen != "\u0301":
        assert parsed(client_name=f"{unseen}App{unseen}").client_name == "App"


@pytest.mark.parametrize("name", ["Café Ünï", "日本語アプリ", "แอปบันทึกที่ดี", "हिन्दी ऐप", "App 🧠 2.0", "<b>x</b>"])
def test_a_name_of_any_script_stays_as_it_is(name: str) -> None:
    assert parsed(client_name=name).client_name == name


@pytest.mark.parametrize(
    ("members", "issue"),
    [
        ({"client_id": URL + "/"}, ("client_id", "client_id_mismatch")),
        ({"client_id": URL.replace("app.", "APP.")}, ("client_id", "client_id_mismatch")),
        ({"client_id": None}, ("client_id", "missing")),
        ({"client_name": "\n"}, ("client_name", "string_too_short")),
        ({"client_name": "a" * 256}, ("client_name", "string_too_long")),
        ({"client_name": 7}, ("client_name", "string_type")),
        ({"client_name": None}, ("client_name", "missing")),
        ({"redirect_uris": []}, ("redirect_uris", "too_short")),
        ({"redirect_uris": ["app://cb", "http://app.example/cb"]}, ("redirect_uris", "too_short")),
        ({"redirect_uris": [f"https://app.example/{n}" for n in range(17)]}, ("redirect_uris", "too_long")),
        ({"redirect_uris": ["https://app.example/cb", 7]}, ("redirect_uris[1]", "string_type")),
        ({"redirect_uris": "https://app.example/cb"}, ("redirect_uris", "list_type")),
        ({"grant_types": "authorization_code"}, ("grant_types", "list_type")),
        ({"response_types": ["token"]}, ("response_types", "too_short")),
        ({"token_endpoint_auth_method": "private_key_jwt"}, ("token_endpoint_auth_method", "literal_error")),
        ({"token_endpoint_auth_method": "client_secret_basic"}, ("token_endpoint_auth_method", "literal_error")),
        (
            {"token_endpoint_auth_method": "none", "token_endpoint_auth_methods_supported": ["private_key_jwt"]},
            ("token_endpoint_auth_method", "literal_error"),
        ),
        ({"client_secret": "s"}, ("", "client_secret")),
        ({"client_secret_expires_at": 0}, ("", "client_secret")),
    ],
)
def test_a_document_that_we_could_not_keep_its_word_for_is_refused(
    members: dict[str, Any], issue: tuple[str, str]
) -> None:
    assert refused(json.dumps(MINIMAL | members).encode()) == [issue]


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xef\xbb\xbf" + json.dumps(MINIMAL).encode(),
        json.dumps(MINIMAL).encode("utf-16"),
        json.dumps(MINIMAL).encode().replace(b"App", b"\xff"),
        json.dumps(MINIMAL).encode().replace(b"App", b"\\ud800"),
        b'{"a":' + b"[" * 2_000,
    ],
)
def test_what_is_no_json_object_in_utf_8_is_refused(document: bytes) -> None:
    assert [code for _path, code in refused(document)] in (["json_invalid"], ["model_type"])


def test_the_issues_of_a_document_quote_nothing_of_it() -> None:
    document = json.dumps(MINIMAL | {"client_id": "https://canary.example/c", "redirect_uris": ["canary"]}).encode()
    with pytest.raises(ValidationError) as error:
        ClientMetadata.parse(document, URL)
    assert "canary" not in repr(issues_of(error.value))
    assert "canary" not in str(error.value)


def test_only_outages_are_worth_another_try() -> None:
    assert [failure.value for failure in ResolveFailure if failure.is_retryable] == [
        "dns_failure",
        "fetch_failure",
        "tls_failure",
        "document_unavailable",
        "deadline_exceeded",
        "capacity_exceeded",
        "quota_exceeded",
    ]
