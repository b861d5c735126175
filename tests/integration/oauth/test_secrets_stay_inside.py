"""No code, token, client secret, password or address leaves the process by a log line, a metric or a span."""

from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
from anyio.from_thread import start_blocking_portal

from tests.contract.oauth.stack import STATE, VERIFIER, App, authorize_url
from tests.contract.rest.process import api_process
from tests.contract.web.mailbox import a_mailbox
from tests.contract.web.stack import PASSWORD, TOKEN
from tests.integration.runtime.collector import Collector
from tests.people import make_user
from tests.waiting import wait_until
from threengram.core.ids import new_id


def form_token(page: httpx2.Response) -> str:
    found = TOKEN.search(page.text)
    assert found is not None, page.text
    return unescape(found[1])


def whole_flow(http: httpx2.Client, email: str) -> list[str]:
    """Register, log in, consent, exchange, refresh, replay, revoke; every secret that there was."""
    own = {"sec-fetch-site": "same-origin"}
    made = http.post("/oauth/register", json={"redirect_uris": ["https://app.example/callback"]}).json()
    app = App(made["client_id"], made["client_secret"])
    login = {"csrf_token": form_token(http.get("/login")), "email": email, "password": PASSWORD, "next": "/account"}
    assert http.post("/login", data=login, headers=own).status_code == 303
    session = next(iter(http.cookies.jar)).value
    url = authorize_url(app, resource=None)
    decision = {"csrf_token": form_token(http.get(url)), "decision": "allow", "allow:memory:read": "yes"}
    location = http.post(url, data=decision, headers=own).headers["location"]
    code = dict(parse_qsl(urlsplit(location).query))["code"]

    def token(**given: str) -> httpx2.Response:
        return http.post("/oauth/token", data=given, auth=(app.client_id, str(app.secret)))

    exchange = {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER,
                "redirect_uri": app.redirect_uri}  # fmt: skip
    issued = token(**exchange).json()
    again = token(grant_type="refresh_token", refresh_token=issued["refresh_token"]).json()
    assert token(**exchange).status_code == 400
    assert token(grant_type="refresh_token", refresh_token=again["refresh_token"]).status_code == 400
    http.post("/oauth/revoke", data={"token": issued["access_token"]}, auth=(app.client_id, str(app.secret)))
    secrets = [code, str(app.secret), str(session), PASSWORD, email, VERIFIER, STATE, decision["csrf_token"]]
    for tokens in (issued, again):
        secrets += [tokens["access_token"], tokens["refresh_token"]]
    return secrets


def test_no_secret_of_a_whole_flow_leaves_the_process(tmp_path: Path, database_url: str, redis_url: str) -> None:
    email = f"canary-{new_id()}@example.test"
    make_user(database_url, email, PASSWORD)
    urls = {"database_url": database_url, "redis_url": redis_url, "log_level": "DEBUG"}
    with Collector() as otlp, api_process(tmp_path, otlp_endpoint=otlp.url, **urls) as running:
        wait_until(running.is_ready)
        with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as http:
            secrets = whole_flow(http, email)
        metrics = httpx2.get(f"{running.admin_url}/metrics", timeout=60, trust_env=False).text
        running.process.terminate()
        assert running.ended() == 0

    exits = {"log": running.output, "metrics": metrics, "spans": otlp.text}
    for name, text in exits.items():
        assert text, name
        assert [secret[:4] for secret in secrets if secret in text] == [], name
    assert 'threengram_token_requests_total{grant="refresh_token",outcome="issued"} 1.0' in metrics
    assert 'threengram_token_requests_total{grant="authorization_code",outcome="refused"} 1.0' in metrics
    assert "family_revoked" in running.output
    assert "canary" not in "".join(exits.values())


def test_nothing_about_a_mailed_link_leaves_the_process_but_by_mail(
    tmp_path: Path, database_url: str, redis_url: str
) -> None:
    email, password = f"canary-{new_id()}@example.test", "a canary's new password"
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(a_mailbox()) as mailbox,
        Collector() as otlp,
        api_process(
            tmp_path, otlp_endpoint=otlp.url, database_url=database_url, redis_url=redis_url, log_level="DEBUG",
            sign_up="true", smtp_host="127.0.0.1", smtp_port=str(mailbox.port), smtp_security="none",
            smtp_from="canary-sender@example.test",
        ) as running,
    ):  # fmt: skip
        wait_until(running.is_ready)
        own = {"sec-fetch-site": "same-origin"}
        with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as http:
            asked = {"csrf_token": form_token(http.get("/sign-up")), "email": email, "next": "/account"}
            assert http.post("/sign-up", data=asked, headers=own).status_code == 200
            path = portal.call(mailbox.next_path)
            (link,) = parse_qs(urlsplit(path).query)["link"]
            fields = {"link": link, "new_password": password, "repeated_password": password}
            chosen = {"csrf_token": form_token(http.get(path)), **fields}
            assert http.post("/password/choose", data=chosen, headers=own).status_code == 303
            assert http.post("/password/choose", data=chosen, headers=own).status_code == 403
        metrics = httpx2.get(f"{running.admin_url}/metrics", timeout=60, trust_env=False).text
        running.process.terminate()
        assert running.ended() == 0
    exits = {"log": running.output, "metrics": metrics, "spans": otlp.text}
    for name, text in exits.items():
        assert [secret for secret in (link, link[:40], "canary", password) if secret in text] == [], name
    assert "mail_sent" in running.output
    assert 'threengram_mails_total{outcome="sent"} 1.0' in metrics
