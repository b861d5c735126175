"""What is a person's own: proposals, keys, the data, the account, by clicking; and how it looks."""

import re
from datetime import UTC, datetime
from uuid import UUID

import httpx2
import orjson
from playwright.sync_api import Browser, Page, expect

from tests.contract.web.stack import PASSWORD
from tests.integration.core.proposing import propose_edge, propose_fact
from tests.integration.runtime.processes import Service
from tests.people import Person, in_database
from tests.system.browser.conftest import a_page, log_in, show
from tests.system.browser.writing import live
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.identity.provision import find_user


def propose(database_url: str, email: str, newer: str, older: str) -> None:
    """Leave proposals of both kinds, as background work does."""

    async def make(database: Database) -> None:
        principal = await find_user(database, email)
        assert principal is not None
        core = Core(database, None, CursorSealer(b"k" * 32), lambda: datetime.now(UTC))
        person = Person("", principal)
        await propose_edge(core, person, UUID(newer), UUID(older))
        await propose_fact(core, person, UUID(newer), subject="ledger", predicate="regions.count", value="4")

    in_database(database_url, make)


def test_a_proposal_is_accepted_and_taken_back(page: Page, api: Service, email: str, database_url: str) -> None:
    *_, older, newer = live(api, database_url, email)
    propose(database_url, email, newer, older)
    page.goto("/proposals")
    log_in(page, email)
    expect(page.get_by_role("link", name="Proposals")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("heading", name="A fact to keep")).to_be_visible()
    page.get_by_label("The newer one", exact=True).select_option("extends")
    page.get_by_role("button", name="Accept").first.click()
    expect(page.get_by_role("status")).to_contain_text("Accepted")
    page.get_by_role("link", name="Accepted").click()
    expect(page.get_by_role("heading", name="adds to the older one")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("status")).to_contain_text("Taken back")
    page.get_by_role("link", name="Open (1)").click()
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    page.get_by_role("button", name="Switch it off").click()
    expect(page.get_by_role("button", name="Switch it on")).to_be_visible()


def test_a_key_is_made_the_data_taken_and_the_account_deleted(page: Page, api: Service, email: str) -> None:
    page.goto("/account")
    log_in(page, email)
    page.get_by_role("link", name="See, make and revoke keys").click()
    page.get_by_label("What it is for").fill("laptop")
    page.get_by_label("Your password").fill("not the password")
    page.get_by_role("button", name="Make a key").click()
    expect(page.get_by_text("Your password is another one")).to_be_visible()
    expect(page.get_by_label("What it is for")).to_have_value("laptop")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Make a key").click()
    key = page.get_by_label(re.compile("Key “laptop”")).input_value()
    headers = {"x-api-key": key}
    assert httpx2.get(f"{api.url}/api/v1/version", headers=headers, timeout=60, trust_env=False).status_code == 200
    page.get_by_role("button", name="Revoke laptop").click()
    expect(page.get_by_role("status")).to_contain_text("revoked")
    assert httpx2.get(f"{api.url}/api/v1/version", headers=headers, timeout=60, trust_env=False).status_code == 401

    page.get_by_role("link", name="Account", exact=True).click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download your data").click()
    assert re.fullmatch(r"3ngram-export-\d{4}-\d\d-\d\d\.ndjson", downloading.value.suggested_filename)
    lines = downloading.value.path().read_bytes().splitlines()
    assert orjson.loads(lines[-1])["record"] == "end"

    page.get_by_role("link", name="delete your account").click()
    page.get_by_label("I know that everything").check()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_role("heading", name="Your account is deleted")).to_be_visible()
    page.goto("/account")
    log_in(page, email)
    expect(page.get_by_role("alert")).to_contain_text("don't match")


def test_these_pages_fit_a_phone_and_the_dark(chromium: Browser, api: Service, email: str, database_url: str) -> None:
    *_, older, newer = live(api, database_url, email)
    propose(database_url, email, newer, older)
    sizes = {"wide": {"width": 1100, "height": 800}, "phone": {"width": 360, "height": 740}}
    for name, scheme in (("wide", "light"), ("phone", "dark")):
        with a_page(chromium, api.url, viewport=sizes[name], color_scheme=scheme) as page:
            page.goto("/proposals")
            log_in(page, email)
            for path in ("/proposals", "/account/keys", "/account", "/account/delete"):
                page.goto(path)
                show(page, f"own{path.replace('/', '-')}-{name}")
                scroll, client = page.evaluate(
                    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
                )
                assert scroll <= client, path
