"""What the pages about connecting say, done as they say it: programs and commands, with a person at the browser."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, Page

from tests.requirements import ROOT
from tests.servers import free_port
from tests.stack import RunningStack, data_directory, hashing, running_stack, threengram
from tests.system.browser.conftest import log_in
from tests.system.nodejs import NODE, PACKAGES
from threengram.core.ids import new_id

PAGES = ROOT / "docs" / "connect"
WAIT_S = 60.0
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")


@pytest.fixture(scope="module")
def stack() -> Iterator[RunningStack]:
    with data_directory() as data_dir, running_stack(data_dir, *hashing()) as running:
        yield running


@contextmanager
def logged_in(chromium: Browser, stack: RunningStack, email: str, password: str) -> Iterator[Page]:
    """A browser of somebody; what it thinks of the programs' own pages does not matter."""
    context = chromium.new_context(base_url=stack.record["apiUrl"], java_script_enabled=False)
    page = context.new_page()
    page.goto("/account")
    log_in(page, email, password)
    page.get_by_role("heading", name="Connected apps").wait_for()
    yield page
    context.close()


@pytest.fixture
def person(chromium: Browser, stack: RunningStack) -> Iterator[Page]:
    """The first user, whose key is in the ready file."""
    record = stack.record
    with logged_in(chromium, stack, record["email"], Path(record["passwordFile"]).read_text().strip()) as page:
        yield page


@pytest.fixture
def newcomer(chromium: Browser, stack: RunningStack) -> Iterator[Page]:
    """Somebody of whom nothing is known yet, whichever programs were tried before."""
    email, password = f"{new_id()}@example.test", "the password of a newcomer"
    arguments = ("user", "create", email, "--password-stdin", f"--data-dir={stack.data_dir}")
    assert threengram(*arguments, typed=f"{password}\n").returncode == 0
    with logged_in(chromium, stack, email, password) as page:
        yield page


@contextmanager
def running(command: Sequence[str | Path], directory: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that is told things by a person; without a browser of its own."""
    process = subprocess.Popen(
        command,
        cwd=directory,
        env={"PATH": "/usr/bin:/bin", "HOME": str(directory), "BROWSER": "true", "no_proxy": "127.0.0.1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address_in(process: subprocess.Popen[str]) -> str:
    """Where the program says that one has to log in."""
    assert process.stdout is not None
    for line in process.stdout:
        if "/oauth/authorize?" in line:
            return line.removeprefix("open ").strip()
    raise AssertionError("the program ended without asking for a login")


def allow(page: Page, address: str) -> None:
    """Open the address and agree."""
    page.goto(address)
    page.get_by_role("button", name="Allow").click()


def apps(person: Page) -> list[str]:
    """What the account page lists, in a tab of its own: the other one may still be on its way to where it was sent."""
    page = person.context.new_page()
    page.goto("/account")
    return [button.get_attribute("aria-label") or "" for button in page.get_by_text("Disconnect", exact=True).all()]


def test_the_python_program_connects_once_and_stays_connected(
    stack: RunningStack, newcomer: Page, tmp_path: Path
) -> None:
    command = (sys.executable, PAGES / "client.py", stack.record["mcpUrl"])
    with running(command, tmp_path) as process:
        allow(newcomer, address_in(process))
        said = process.communicate(timeout=WAIT_S)[0].splitlines()
    assert said == ["remember: ok", "search: Olga drinks green tea in the morning."]

    with running(command, tmp_path) as process:
        again = process.communicate(timeout=WAIT_S)[0].splitlines()
    assert (again[0].split(":")[1].strip(), again[1]) == ("duplicate_memory", said[1])
    assert (tmp_path / "tokens.json").stat().st_mode & 0o077 == 0
    assert "Disconnect My program" in apps(newcomer)


def test_the_javascript_program_connects(stack: RunningStack, newcomer: Page, tmp_path: Path) -> None:
    shutil.copy(PAGES / "client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(PACKAGES / "node_modules")
    with running((NODE, "client.mjs", stack.record["mcpUrl"]), tmp_path) as process:
        allow(newcomer, address_in(process))
        said = process.communicate(timeout=WAIT_S)[0].splitlines()
    assert said == ["remember: ok", "search: Olga drinks black coffee after lunch."]


def test_every_step_can_be_done_by_hand(stack: RunningStack, person: Page, tmp_path: Path) -> None:
    record = stack.record
    httpx2.post(
        f"{record['apiUrl']}/api/v1/memories",
        json={"memoryType": "preference", "topic": "Tea", "content": "Tea without milk."},
        headers={"x-api-key": record["apiKey"]},
        timeout=WAIT_S,
        trust_env=False,
    ).raise_for_status()
    nobody = f"http://127.0.0.1:{free_port()}"
    shell = _shell("curl.md", record).replace("http://127.0.0.1:8765", nobody)
    with running(("bash", "-euc", shell), tmp_path) as process:
        address = address_in(process)
        with person.expect_request(re.compile(rf"^{re.escape(nobody)}/callback\?")) as sent_back:
            allow(person, address)
        code = re.search(r"[?&]code=([^&]+)", sent_back.value.url)
        assert code is not None
        said = process.communicate(code[1] + "\n", timeout=WAIT_S)[0].splitlines()
    assert "Tea without milk." in said
    assert said[-2:] == ["200", "401"]
    assert "Disconnect curl" not in apps(person)


def test_every_client_has_a_page_and_every_link_leads_somewhere() -> None:
    linked = set()
    for page in PAGES.glob("*.md"):
        for target, anchor in LINK.findall(page.read_text()):
            path = (page.parent / target).resolve()
            assert path.exists(), (page.name, target)
            headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE) if anchor else []
            assert not anchor or anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}
            linked.add(path)
    assert set(PAGES.iterdir()) <= linked


def _shell(page: str, record: dict[str, str]) -> str:
    """The commands of a page, against this stack."""
    (block,) = re.findall(r"```sh\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)
    gateway = record["mcpUrl"].removesuffix("/mcp")
    commands: str = block
    return commands.replace("http://127.0.0.1:8300", gateway).replace("http://127.0.0.1:8301", record["apiUrl"])
