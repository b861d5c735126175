"""The authorization endpoint: what reaches the person, what goes back to the client, and what goes nowhere."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest

from tests.contract.oauth.stack import CALLBACK, MCP, STATE, Flow, Server, answer_of, authorize_url
from tests.contract.web.stack import a_browser, path_of


async def test_a_person_says_yes_and_the_client_gets_a_code(flow: Flow) -> None:
    app = await flow.register()
    response = await flow.decide(app)
    told = answer_of(response)
    assert response.status_code == 303
    assert response.headers["location"].startswith(f"{CALLBACK}?code=")
    assert set(told) == {"code", "state", "iss"}
    assert told["state"] == STATE


async def test_a_person_says_no_and_the_client_hears_it(flow: Flow) -> None:
    told = answer_of(await flow.decide(await flow.register(), "deny"))
    assert (told["error"], told["state"]) == ("access_denied", STATE)
    assert "code" not in told


async def test_the_page_says_who_asks_for_what_and_where_it_leads(flow: Flow) -> None:
    page = await flow.ask(await flow.register(client_name="Note <b>Taker</b>"))
    assert "Note &lt;b&gt;Taker&lt;/b&gt;" in page.text
    assert "nobody has checked who it is" in page.text
    assert "<strong>app.example</strong>" in page.text
    assert re.findall(r'name="allow:([^"]+)"', page.text) == ["memory:read", "memory:write"]


async def test_the_page_can_not_be_framed_and_its_form_leads_to_the_client_only(flow: Flow) -> None:
    page = await flow.ask(await flow.register())
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://app.example;" in policy
    assert page.headers["cache-control"] == "no-store"


async def test_a_decision_counts_only_from_our_own_form(flow: Flow) -> None:
    app = await flow.register()
    forged = await flow.browser.post(authorize_url(app), {"decision": "allow", "allow:memory:read": "yes"})
    foreign = await flow.browser.post(authorize_url(app), {"decision": "allow"}, **{"sec-fetch-site": "cross-site"})
    assert (forged.status_code, foreign.status_code) == (403, 403)


async def test_who_is_not_logged_in_comes_back_after_the_login(flow: Flow, server: Server) -> None:
    app = await flow.register()
    async with a_browser(server.app) as stranger:
        response = await stranger.get(authorize_url(app))
        posted = await stranger.post(authorize_url(app), {"decision": "allow"})
    assert response.status_code == posted.status_code == 303
    assert path_of(response.headers["location"]).startswith("/login?next=%2Foauth%2Fauthorize%3F")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "c" * 42 + "!"}, "invalid_request"),
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": "not a url"}, "invalid_target"),
        ({"scope": "openid profile"}, "invalid_scope"),
    ],
)
async def test_a_fault_of_the_request_goes_back_to_the_client(
    flow: Flow, changes: dict[str, str | None], error: str
) -> None:
    response = await flow.ask(await flow.register(), **changes)
    told = answer_of(response)
    assert (response.status_code, told["error"], told["state"]) == (302, error, STATE)
    assert told["error_description"]
    assert urlsplit(response.headers["location"])._replace(query="").geturl() == CALLBACK


async def test_a_fault_found_after_the_login_goes_back_by_a_link(flow: Flow) -> None:
    app = await flow.register()
    response = await flow.browser.get(authorize_url(app, code_challenge=None), **{"sec-fetch-site": "same-origin"})
    assert response.status_code == 400
    link = re.search(r'href="(https://app[^"]+)"', response.text)
    assert link is not None
    assert unescape(link[1]).startswith(f"{CALLBACK}?error=invalid_request&error_description=")


async def test_nobody_is_sent_anywhere_before_a_login(flow: Flow, server: Server) -> None:
    app = await flow.register()
    async with a_browser(server.app) as stranger:
        response = await stranger.get(authorize_url(app, code_challenge=None))
    assert path_of(response.headers["location"]).startswith("/login?")


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": f"{CALLBACK}/"},
        {"redirect_uri": f"{CALLBACK}?more=1"},
        {"redirect_uri": CALLBACK.upper()},
        {"client_id": "unknown"},
        {"client_id": "un\0known"},
        {"client_id": None},
        {"state": "s" * 5000},
    ],
)
async def test_a_fault_is_shown_and_goes_nowhere_until_the_redirect_is_the_clients(
    flow: Flow, changes: dict[str, str | None]
) -> None:
    response = await flow.ask(await flow.register(), **changes)
    assert response.status_code == 400
    assert "location" not in response.headers
    assert "can&#39;t connect" in response.text
    assert "evil" not in response.text


async def test_a_repeated_parameter_is_refused(flow: Flow) -> None:
    app = await flow.register()
    response = await flow.browser.get(authorize_url(app) + "&scope=memory:read&scope=memory:write")
    assert response.status_code == 400


async def test_the_only_redirect_uri_need_not_be_named(flow: Flow) -> None:
    one = await flow.register()
    two = await flow.register(redirect_uris=[CALLBACK, "https://app.example/other"])
    assert (await flow.ask(one, redirect_uri=None)).status_code == 200
    assert (await flow.ask(two, redirect_uri=None)).status_code == 400


async def test_a_query_of_the_redirect_uri_is_kept(flow: Flow) -> None:
    app = await flow.register(redirect_uris=["https://app.example/callback?tenant=a%20b"])
    response = await flow.decide(app)
    assert response.headers["location"].startswith("https://app.example/callback?tenant=a%20b&code=")


@pytest.mark.parametrize(
    ("presented", "is_same"),
    [
        ("http://127.0.0.1:49152/callback", True),
        ("http://127.0.0.1/callback", True),
        ("http://localhost:49152/callback", False),
        ("http://[::1]:49152/callback", False),
        ("http://user@127.0.0.1:49152/callback", False),
        ("http://127.0.0.1:49152/callback#x", False),
        ("http://127.0.0.1:49152/call%62ack", False),
        ("http://127.0.0.1:49152/callback?x=1", False),
        ("https://127.0.0.1:49152/callback", False),
        ("http://127.0.0.1.evil.example:49152/callback", False),
        ("http://127.0.0.1:99999/callback", False),
    ],
)
async def test_only_the_port_of_a_loopback_redirect_may_differ(flow: Flow, presented: str, is_same: bool) -> None:
    app = await flow.register(redirect_uris=["http://127.0.0.1:3000/callback"])
    response = await flow.ask(app, redirect_uri=presented)
    assert response.status_code == (200 if is_same else 400)
    if is_same:
        assert "this computer" in response.text


async def test_an_app_is_reached_by_its_own_scheme(flow: Flow) -> None:
    app = await flow.register(redirect_uris=["cursor://anysphere.cursor-mcp/oauth/callback"])
    page = await flow.ask(app)
    location = (await flow.decide(app)).headers["location"]
    assert "form-action 'self' cursor:;" in page.headers["content-security-policy"]
    assert location.startswith("cursor://anysphere.cursor-mcp/oauth/callback?code=")


async def test_a_person_chooses_among_the_scopes(flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app, "memory:read")
    unasked = await flow.tokens(app, "memory:read", "account")
    nothing = await flow.decide(app, "allow", "account")
    assert issued["scope"] == unasked["scope"] == "memory:read"
    assert nothing.status_code == 400
    assert "at least one" in nothing.text


async def test_scopes_that_do_not_exist_here_are_left_out(flow: Flow) -> None:
    app = await flow.register()
    issued = await flow.tokens(app, scope="memory:read offline_access account")
    assert issued["scope"] == "memory:read"


@pytest.mark.parametrize("resource", [None, MCP, f"{MCP}/", MCP.replace("http:", "HTTP:")])
async def test_a_resource_is_recognised_in_its_usual_spellings(flow: Flow, resource: str | None) -> None:
    app = await flow.register()
    assert (await flow.ask(app, resource=resource)).status_code == 200


async def test_a_client_without_the_code_grant_can_not_ask(flow: Flow) -> None:
    app = await flow.register(grant_types=["refresh_token"])
    assert answer_of(await flow.ask(app))["error"] == "unauthorized_client"
