"""Clients that a document describes: those of today, what they may not do, and an outage of their host."""

from typing import Any

import psycopg
import pytest

from tests.conftest import Clock
from tests.contract.oauth.stack import (
    CALLBACK,
    App,
    DocumentService,
    Flow,
    answer_of,
    authorize_url,
    error_of,
)
from tests.contract.web.stack import a_browser
from tests.integration.cimd.origin import answer

BOTH_GRANTS = ["authorization_code", "refresh_token"]

CLAUDE = {
    "client_name": "Claude",
    "client_uri": "https://claude.ai",
    "redirect_uris": ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    "grant_types": [*BOTH_GRANTS, "urn:ietf:params:oauth:grant-type:jwt-bearer"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}
CLAUDE_CODE = {
    "client_name": "Claude Code",
    "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
    "grant_types": BOTH_GRANTS,
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}
CHATGPT = {
    "client_name": "ChatGPT",
    "redirect_uris": ["https://chatgpt.com/connector_platform_oauth_redirect"],
    "grant_types": BOTH_GRANTS,
    "response_types": ["code"],
    "token_endpoint_auth_method": "private_key_jwt",
    "token_endpoint_auth_methods_supported": ["private_key_jwt", "none"],
    "token_endpoint_auth_signing_alg": "RS256",
    "jwks_uri": "https://chatgpt.com/oauth/jwks.json",
}
DOCUMENT = {"client_name": "App", "redirect_uris": [CALLBACK], "grant_types": BOTH_GRANTS}


def clients(owner_url: str, client_id: str) -> list[tuple[Any, ...]]:
    """The rows of a client."""
    with psycopg.connect(owner_url) as owner:
        return owner.execute(
            "SELECT registration, name, last_used_at IS NOT NULL FROM oauth_clients WHERE client_id = %s", (client_id,)
        ).fetchall()


@pytest.mark.parametrize(
    ("document", "redirect_uri"),
    [
        (CLAUDE, "https://claude.ai/api/mcp/auth_callback"),
        (CLAUDE, "https://claude.com/api/mcp/auth_callback"),
        (CLAUDE_CODE, "http://localhost:53127/callback"),
        (CLAUDE_CODE, "http://127.0.0.1:8/callback"),
        (CHATGPT, "https://chatgpt.com/connector_platform_oauth_redirect"),
    ],
    ids=["claude.ai", "claude.com", "claude-code", "claude-code-address", "chatgpt"],
)
async def test_the_clients_of_today_authorize_exchange_and_refresh(
    described: DocumentService, described_flow: Flow, document: dict[str, Any], redirect_uri: str
) -> None:
    app = App(described.publish("/client.json", document), redirect_uri=redirect_uri)
    page = await described_flow.ask(app)
    assert str(document["client_name"]) in page.text
    assert "Described by <strong>app.example</strong>" in page.text
    issued = await described_flow.tokens(app)
    refreshed = await described_flow.refresh(app, issued["refresh_token"])
    assert refreshed.status_code == 200
    assert refreshed.json()["refresh_token"]


async def test_a_client_has_a_row_only_once_somebody_consented(
    described: DocumentService, described_flow: Flow, owner_url: str
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    await described_flow.ask(app)
    await described_flow.decide(app, "deny")
    assert clients(owner_url, app.client_id) == []
    await described_flow.decide(app)
    await described_flow.decide(app)
    assert clients(owner_url, app.client_id) == [("document", "App", True)]


async def test_nothing_is_fetched_for_a_stranger(described: DocumentService, described_flow: Flow) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    async with a_browser(described_flow.browser.http._transport.app) as stranger:  # type: ignore[attr-defined]
        asked = await stranger.get(authorize_url(app))
    refreshed = await described_flow.refresh(app, "anything")
    revoked = await described_flow.revoke(app, "anything")
    assert asked.status_code == 303
    assert error_of(refreshed) == error_of(revoked) == (401, "invalid_client")
    assert described.origin.requests == []


@pytest.mark.parametrize(
    "document",
    [
        {"client_name": "App"},
        {"client_name": "App", "redirect_uris": ["http://app.example/"]},
        {**DOCUMENT, "client_secret": "x"},
        {**DOCUMENT, "token_endpoint_auth_method": "private_key_jwt"},
        {**DOCUMENT, "response_types": ["token"]},
    ],
)
async def test_a_document_that_breaks_a_rule_is_no_client(
    described: DocumentService, described_flow: Flow, document: dict[str, Any], owner_url: str
) -> None:
    app = App(described.publish("/client.json", document))
    page = await described_flow.ask(app)
    assert page.status_code == 400
    assert "location" not in page.headers
    assert clients(owner_url, app.client_id) == []


@pytest.mark.parametrize(
    "client_id",
    [
        "https://127.0.0.2/client.json",
        "https://app.example/",
        "http://app.example/client.json",
        "https://a@b.example/c",
    ],
)
async def test_an_identifier_that_may_not_be_fetched_looks_like_any_that_is_unknown(
    described_flow: Flow, client_id: str
) -> None:
    page = await described_flow.ask(App(client_id))
    assert page.status_code == 400
    assert client_id not in page.text


async def test_a_client_that_can_use_none_of_our_grants_is_told_so(
    described: DocumentService, described_flow: Flow
) -> None:
    app = App(described.publish("/client.json", {**DOCUMENT, "grant_types": ["client_credentials"]}))
    assert answer_of(await described_flow.ask(app))["error"] == "unauthorized_client"


async def test_a_document_without_refresh_gets_no_refresh_token(
    described: DocumentService, described_flow: Flow
) -> None:
    app = App(described.publish("/client.json", {"client_name": "App", "redirect_uris": [CALLBACK]}))
    assert "refresh_token" not in await described_flow.tokens(app)


async def test_a_client_with_a_document_is_public_whatever_it_sends(
    described: DocumentService, described_flow: Flow
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    issued = await described_flow.tokens(app)
    pretending = App(app.client_id, "a secret", "client_secret_post")
    assert error_of(await described_flow.refresh(pretending, issued["refresh_token"])) == (401, "invalid_client")


async def test_what_a_document_says_now_decides(
    described: DocumentService, described_flow: Flow, clock: Clock, owner_url: str
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    issued = await described_flow.tokens(app)
    code = await described_flow.code(app)
    moved = {**DOCUMENT, "client_name": "Renamed", "redirect_uris": ["https://app.example/new"]}
    described.publish("/client.json", moved)
    clock.advance(seconds=50)
    described.publish("/client.json", moved)
    clock.advance(minutes=6)
    refreshed = await described_flow.refresh(app, issued["refresh_token"])
    assert refreshed.status_code == 200
    assert clients(owner_url, app.client_id) == [("document", "Renamed", True)]
    assert error_of(await described_flow.exchange(app, code)) == (400, "invalid_grant")

    described.publish("/client.json", {**DOCUMENT, "grant_types": ["authorization_code"]})
    clock.advance(minutes=6)
    refused = await described_flow.refresh(app, refreshed.json()["refresh_token"])
    assert error_of(refused) == (400, "unauthorized_client")


async def test_an_outage_of_the_clients_host_does_not_log_out(
    described: DocumentService, described_flow: Flow, clock: Clock
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    issued = await described_flow.tokens(app)
    code = await described_flow.code(app)
    described.fail("/client.json")
    clock.advance(minutes=10)

    exchanged = await described_flow.exchange(app, code)
    assert error_of(exchanged) == (503, "temporarily_unavailable")
    assert exchanged.headers["retry-after"]
    assert (await described_flow.ask(app)).status_code == 400

    refreshed = await described_flow.refresh(app, issued["refresh_token"])
    assert refreshed.status_code == 200
    clock.advance(hours=23, minutes=50)
    again = await described_flow.refresh(app, refreshed.json()["refresh_token"])
    assert again.status_code == 200
    clock.advance(minutes=10)
    late = await described_flow.refresh(app, again.json()["refresh_token"])
    assert error_of(late) == (503, "temporarily_unavailable")

    described.publish("/client.json", DOCUMENT)
    clock.advance(minutes=2)
    assert (await described_flow.refresh(app, again.json()["refresh_token"])).status_code == 200


async def test_a_document_that_may_not_be_kept_does_not_serve_an_outage(
    described: DocumentService, described_flow: Flow, clock: Clock
) -> None:
    app = App(described.publish("/client.json", DOCUMENT, cache_control="no-store"))
    issued = await described_flow.tokens(app)
    described.fail("/client.json")
    clock.advance(minutes=1)
    refused = await described_flow.refresh(app, issued["refresh_token"])
    assert error_of(refused) == (503, "temporarily_unavailable")


async def test_a_document_that_is_gone_is_no_outage(
    described: DocumentService, described_flow: Flow, clock: Clock
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    issued = await described_flow.tokens(app)
    described.origin.on("/client.json", answer(b"{}", status="404 Not Found"))
    clock.advance(minutes=10)
    assert error_of(await described_flow.refresh(app, issued["refresh_token"])) == (401, "invalid_client")


async def test_without_the_service_known_clients_go_on_for_a_while(
    described: DocumentService, described_flow: Flow, clock: Clock
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    issued = await described_flow.tokens(app)
    described.line.is_cut = True
    clock.advance(minutes=10)
    assert (await described_flow.ask(app)).status_code == 400
    assert (await described_flow.refresh(app, issued["refresh_token"])).status_code == 200


async def test_a_registered_client_wins_over_a_document(
    described: DocumentService, described_flow: Flow, owner_url: str
) -> None:
    app = App(described.publish("/client.json", DOCUMENT))
    with psycopg.connect(owner_url) as owner:
        owner.execute(
            "INSERT INTO oauth_clients (client_id, registration, name, redirect_uris, grant_types, auth_method,"
            " created_at) VALUES (%s, 'dynamic', 'Registered', %s, %s, 'none', now())",
            (app.client_id, [CALLBACK], BOTH_GRANTS),
        )
    assert "Registered" in (await described_flow.ask(app)).text
    await described_flow.tokens(app)
    assert described.origin.requests == []
    assert clients(owner_url, app.client_id) == [("dynamic", "Registered", True)]
