"""A real browser from Debian in front of the real service, and an application that wants to be connected."""

import base64
import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from urllib.parse import parse_qsl, urlencode

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from starlette.types import Receive, Scope, Send

from tests.conftest import CURSOR_KEY
from tests.contract.web.mailbox import Mailbox, a_mailbox
from tests.contract.web.stack import PASSWORD
from tests.integration.runtime.processes import Service, address, listening, service
from tests.people import SIGNING_KEY, make_user
from tests.requirements import ROOT
from tests.stand_ins import StandIn, answer
from tests.waiting import wait_until
from threengram.core.ids import new_id

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

SCREENS = ROOT / "build" / "screens"
VERIFIER = "v" * 64


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Started anew for each module: its driver holds the thread's event loop, which tests elsewhere want for theirs."""
    path = shutil.which("chromium")
    assert path is not None, "run tests/system/install.sh"
    # Root in a container has no user namespace to put a sandbox into.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=2 * PATIENCE_MS)
        yield browser
        browser.close()


@dataclass
class Mail:
    """A mail server in a thread of its own, and what arrived there."""

    portal: BlockingPortal
    mailbox: Mailbox

    def next_path(self) -> str:
        """Where the link of the next mail leads."""
        return self.portal.call(self.mailbox.next_path)


@pytest.fixture(scope="session")
def mail() -> Iterator[Mail]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(a_mailbox()) as mailbox:
        yield Mail(portal, mailbox)


@pytest.fixture(scope="session")
def api(database_url: str, redis_url: str, mail: Mail, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service under its own issuer, open to anybody with a mailbox."""
    with listening() as listener:
        settings = {
            "database_url": database_url,
            "redis_url": redis_url,
            "issuer_url": address(listener),
            "cursor_key": base64.urlsafe_b64encode(CURSOR_KEY).decode(),
            "signing_key": SIGNING_KEY.as_pem(private=True).decode(),
            "login_attempts_per_address": "1000",  # all of these come from here
            "mailed_links_per_address": "1000",
            "sign_up": "true",
            "smtp_host": "127.0.0.1",
            "smtp_port": str(mail.mailbox.port),
            "smtp_security": "none",
            "smtp_from": "memory@example.test",
        }
        argv = ("-m", "threengram.api")
        directory = tmp_path_factory.mktemp("api")
        with service(argv, "THREENGRAM_API_", directory, listener, **settings) as running:
            wait_until(running.is_ready)
            yield running


@pytest.fixture
def email(database_url: str) -> str:
    """The address of somebody new whose password is `PASSWORD`."""
    made = f"olga-{str(new_id())[-6:]}@example.test"
    make_user(database_url, made, PASSWORD)
    return made


@dataclass
class Client:
    """An application on this computer that registers itself and waits for the answer on a port of its own."""

    api: Service
    redirect_uri: str
    answers: Queue[dict[str, str]]
    client_id: str = ""

    def register(self, name: str) -> None:
        body = {
            "client_name": name,
            "redirect_uris": [self.redirect_uri],
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"],
        }
        answer = httpx2.post(f"{self.api.url}/oauth/register", json=body, timeout=60, trust_env=False)
        assert answer.status_code == 201, answer.text
        self.client_id = answer.json()["client_id"]

    @property
    def authorize_url(self) -> str:
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": create_s256_code_challenge(VERIFIER),  # type: ignore[no-untyped-call]
            "code_challenge_method": "S256",
            "scope": "memory:read memory:write",
            "state": "state-of-the-client",
        }
        return f"{self.api.url}/oauth/authorize?{urlencode(query)}"


class Callback(StandIn):
    """A redirect URI on this computer, and the answers that a browser brings there."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: Queue[dict[str, str]] = Queue()

    @property
    def redirect_uri(self) -> str:
        return f"{self.url}/callback"

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/callback":  # and not the icon that a browser asks every site for
            self.answers.put(dict(parse_qsl(scope["query_string"].decode())))
        await answer(send, 200, b"<h1>You can close this window</h1>", {"content-type": "text/html"})


@pytest.fixture
def client(api: Service) -> Iterator[Client]:
    """Registered, and listening for the browser to come back."""
    with Callback() as callback:
        made = Client(api, callback.redirect_uri, callback.answers)
        made.register("Notes for <Claude> & friends")
        yield made


@contextlib.contextmanager
def a_page(chromium: Browser, base_url: str, *, scripts: bool = True, **options: object) -> Iterator[Page]:
    """A fresh profile; what the browser itself complains about on this site fails the test.

    Other sites are not judged: an application's callback stops listening once it has its answer, and a browser
    may still be asking it for an icon.
    """
    context = chromium.new_context(base_url=base_url, java_script_enabled=scripts, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        elsewhere = not (message.location["url"] or base_url).startswith(base_url)
        if message.type in ("error", "warning") and not elsewhere:
            complaints.append(f"{message.text} ({message.location['url']})")

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    # A status of 4xx is part of a page's job, and is all that may be complained about.
    assert [text for text in complaints if "server responded with a status of 4" not in text] == []


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def page(chromium: Browser, api: Service, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page with JavaScript, and one without."""
    with a_page(chromium, api.url, scripts=request.param) as opened:
        yield opened


def log_in(page: Page, email: str, password: str = PASSWORD) -> None:
    """Fill in the form and click."""
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def show(page: Page, name: str) -> Path:
    """A picture for people to look at."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    path = SCREENS / f"{name}.png"
    page.screenshot(path=str(path), full_page=True)
    return path
