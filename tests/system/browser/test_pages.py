"""Login, account and consent, by clicking, in a real browser with and without JavaScript."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.contract.web.stack import PASSWORD
from tests.integration.runtime.processes import Service
from tests.system.browser.conftest import Client, a_page, log_in, show

NEW = "an even better password"


def test_a_person_logs_in_and_out(page: Page, email: str) -> None:
    page.goto("/account")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    log_in(page, email, "not the password")
    expect(page.get_by_role("alert")).to_contain_text("don't match")
    expect(page.get_by_label("E-mail address")).to_have_value(email)
    log_in(page, email)
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    (cookie,) = [one for one in page.context.cookies() if one["name"] == "threengram_session"]
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.go_back()
    page.reload()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_a_login_elsewhere_is_ended_by_a_click(chromium: Browser, api: Service, email: str) -> None:
    with a_page(chromium, api.url) as here, a_page(chromium, api.url, scripts=False) as there:
        for page in (there, here):
            page.goto("/account")
            log_in(page, email)
        expect(here.get_by_text("Another browser")).to_be_visible()
        here.get_by_role("button", name=re.compile("End the login")).click()
        expect(here.get_by_role("status")).to_contain_text("That login has ended")
        there.reload()
        expect(there.get_by_role("heading", name="Log in")).to_be_visible()


def test_a_password_is_changed_by_clicking(page: Page, email: str) -> None:
    page.goto("/account")
    log_in(page, email)
    for current, said in (("not the password", "another one"), (PASSWORD, "password was changed")):
        page.get_by_label("Current password").fill(current)
        page.get_by_label("New password", exact=True).fill(NEW)
        page.get_by_label("New password again").fill(NEW)
        page.get_by_role("button", name="Change password").click()
        expect(page.get_by_role("alert" if current != PASSWORD else "status")).to_contain_text(said)


def test_an_app_is_allowed_listed_and_disconnected(page: Page, client: Client, email: str) -> None:
    page.goto(client.authorize_url)
    log_in(page, email)
    expect(page.get_by_role("heading", name="Notes for <Claude> & friends")).to_be_visible()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="You can close this window")).to_be_visible()
    answer = client.answers.get(timeout=60)
    assert answer["state"] == "state-of-the-client"
    assert "code" in answer
    page.goto("/account")
    page.get_by_role("button", name="Disconnect Notes for <Claude> & friends").click()
    expect(page.get_by_role("status")).to_contain_text("disconnected")
    expect(page.get_by_text("No app is connected yet")).to_be_visible()


def test_an_app_that_is_denied_is_told_so(page: Page, client: Client, email: str) -> None:
    page.goto(client.authorize_url)
    log_in(page, email)
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("heading", name="You can close this window")).to_be_visible()
    assert client.answers.get(timeout=60)["error"] == "access_denied"


def test_every_page_is_seen_as_a_person_sees_it(chromium: Browser, api: Service, client: Client, email: str) -> None:
    sizes = {"wide": {"width": 1100, "height": 800}, "phone": {"width": 360, "height": 740}}
    for name, scheme in (("wide", "light"), ("phone", "dark")):
        with a_page(chromium, api.url, viewport=sizes[name], color_scheme=scheme) as page:
            page.goto("/login")
            show(page, f"login-{name}")
            log_in(page, email, "not the password")
            show(page, f"login-failed-{name}")
            log_in(page, email)
            page.goto(client.authorize_url)
            show(page, f"consent-{name}")
            page.get_by_role("button", name="Allow").click()
            page.goto("/account?done=password")
            show(page, f"account-{name}")
            page.goto("/oauth/authorize?client_id=unknown&response_type=code")
            show(page, f"error-{name}")
            page.goto("/account")
            scroll, client_width = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert scroll <= client_width
