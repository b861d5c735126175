"""Links that come by mail, followed by a person."""

from playwright.sync_api import Browser, Page, expect

from tests.contract.web.stack import PASSWORD
from tests.integration.runtime.processes import Service
from tests.system.browser.conftest import Client, Mail, a_page, log_in, show
from threengram.core.ids import new_id

NEW = "a password nobody has guessed"


def ask(page: Page, email: str) -> None:
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look into your mailbox")).to_be_visible()


def choose(page: Page, button: str) -> None:
    page.get_by_label("Password", exact=True).fill(NEW)
    page.get_by_label("Password again").fill(NEW)
    page.get_by_role("button", name=button).click()


def test_somebody_new_gets_an_account_on_the_way_to_connecting_an_app(page: Page, client: Client, mail: Mail) -> None:
    page.goto(client.authorize_url)
    page.get_by_role("link", name="Create an account").click()
    ask(page, f"{new_id()}@example.test")
    page.goto(mail.next_path())
    choose(page, "Create the account")
    expect(page.get_by_role("heading", name="Notes for <Claude> & friends")).to_be_visible()
    page.get_by_role("button", name="Allow").click()
    assert "code" in client.answers.get(timeout=20)


def test_a_forgotten_password_is_replaced(page: Page, email: str, mail: Mail) -> None:
    page.goto("/login")
    page.get_by_role("link", name="Forgotten your password?").click()
    ask(page, email)
    page.goto(mail.next_path())
    choose(page, "Set the password")
    expect(page.get_by_role("heading", name="Memories")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    log_in(page, email, PASSWORD)
    expect(page.get_by_role("alert")).to_contain_text("don't match")


def test_the_pages_are_seen_as_a_person_sees_them(chromium: Browser, api: Service, email: str, mail: Mail) -> None:
    with a_page(chromium, api.url, viewport={"width": 360, "height": 740}, color_scheme="dark") as page:
        page.goto("/sign-up")
        show(page, "sign-up")
        ask(page, email)
        show(page, "link-sent")
        page.goto(mail.next_path())
        show(page, "choose-password")
        page.goto("/password/choose?link=none")
        expect(page.get_by_role("heading", name="This link does not work any more")).to_be_visible()
