"""Finding, reading, correcting and putting away memories, by clicking, with JavaScript and without."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.integration.runtime.processes import Service
from tests.system.browser.conftest import a_page, log_in, show
from tests.system.browser.writing import live

SHARDS = "PostgreSQL for the ledger"


def test_a_person_finds_corrects_and_archives_a_memory(page: Page, api: Service, email: str, database_url: str) -> None:
    (*_, former) = live(api, database_url, email)
    page.goto("/login")
    log_in(page, email)
    expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
    page.get_by_label("Search", exact=True).fill("which database has the ledger")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memories\?s="))
    found = page.url
    assert "ledger" not in found
    page.get_by_role("link", name=SHARDS).click()
    expect(page).to_have_url(f"{api.url}/memories/{former}")
    page.go_back()
    expect(page).to_have_url(found)
    expect(page.get_by_label("Search", exact=True)).to_have_value("which database has the ledger")
    page.get_by_role("link", name=SHARDS).click()

    page.get_by_role("link", name="Correct").click()
    page.get_by_label("Text").fill("The ledger stays in PostgreSQL, five shards.")
    page.get_by_label("things have moved on").check()
    page.get_by_role("group", name="Fact 1").get_by_label("Value").fill("5")
    page.get_by_role("button", name="Save the new version").click()
    expect(page.get_by_role("status")).to_contain_text("Corrected.")
    expect(page.get_by_text("five shards.")).to_be_visible()
    expect(page.get_by_role("row", name="ledger shards.count 5")).to_be_visible()

    page.get_by_role("listitem").get_by_role("link", name=SHARDS).click()
    expect(page).to_have_url(f"{api.url}/memories/{former}")
    expect(page.get_by_text("four shards")).to_be_visible()
    expect(page.get_by_role("button", name="Archive")).to_have_count(0)
    page.get_by_role("link", name="Go to the version that replaced it").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_role("status")).to_contain_text("Archived.")
    page.get_by_role("button", name="Bring back").click()
    expect(page.get_by_role("status")).to_contain_text("in use again")


def test_filters_open_by_keyboard_and_reach_what_is_older(
    page: Page, api: Service, email: str, database_url: str
) -> None:
    live(api, database_url, email)
    page.goto("/memories")
    log_in(page, email)
    expect(page.locator(".results > li")).to_have_count(5)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.get_by_text("Filters and point in time").press("Enter")
    page.get_by_label("Results on a page").select_option("10")
    page.get_by_label("Type").select_option("event")
    page.get_by_label("Project").fill("training")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".results > li")).to_have_count(5)
    page.get_by_label("As of (UTC)").fill("2020-01-01T00:00")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Nothing matches.")).to_be_visible()


def test_every_page_is_seen_as_a_person_sees_it(chromium: Browser, api: Service, email: str, database_url: str) -> None:
    *_, last = live(api, database_url, email)
    sizes = {"wide": {"width": 1100, "height": 800}, "phone": {"width": 360, "height": 740}}
    for name, scheme in (("wide", "light"), ("phone", "dark")):
        with a_page(chromium, api.url, viewport=sizes[name], color_scheme=scheme) as page:
            page.goto("/memories")
            log_in(page, email)
            for path in ("memories", f"memories/{last}", f"memories/{last}/correct", "commitments", "facts"):
                page.goto(f"/{path}")
                show(page, f"{path.replace(last, 'one').replace('/', '-')}-{name}")
                _fits(page)
            page.get_by_role("link", name=re.compile("^Series of top_set")).click()
            show(page, f"series-{name}")
            _fits(page)
            page.goto("/memories")
            page.get_by_label("Search", exact=True).fill("what slows Oslo down?")
            page.get_by_role("button", name="Search").click()
            expect(page.get_by_role("link", name="The Oslo office waits")).to_be_visible()
            show(page, f"found-{name}")
            _fits(page)


def _fits(page: Page) -> None:
    scroll, client = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert scroll <= client
