"""A new password, or an account, by a link that comes by mail."""

import asyncio
import unicodedata
from html import unescape
from urllib.parse import parse_qs, quote, urlsplit

import httpx2
import pytest

from tests.conftest import Clock
from tests.contract.web.mailbox import Post
from tests.contract.web.stack import ORIGIN, PASSWORD, Browser, Owner, Pages, a_browser, links_of, path_of, token_in
from threengram.api.mail.invitations import Invitations
from threengram.core.call import Core
from threengram.core.erasure import request_erasure
from threengram.core.identity.api_keys import create_api_key
from threengram.core.ids import new_id
from threengram.core.people.accounts import create_user, disable_user, set_password, suspend_account
from threengram.schema.enums import OAuthScope

NEW = "a password nobody has guessed"
FORGOTTEN, SIGN_UP, CHOOSE = "/password/forgotten", "/sign-up", "/password/choose"


async def ask(browser: Browser, email: str, path: str = FORGOTTEN, after: str = "/facts") -> httpx2.Response:
    return await browser.submit(path, path, email=email, next=after)


async def choose(browser: Browser, path: str, password: str = NEW, repeated: str | None = None) -> httpx2.Response:
    (link,) = parse_qs(urlsplit(path).query)["link"]
    fields = {"link": link, "new_password": password, "repeated_password": repeated or password}
    return await browser.submit(path, CHOOSE, **fields)


async def shown(browser: Browser, path: str) -> tuple[int, str]:
    answer = await browser.get(path)
    return answer.status_code, unescape(answer.text)


async def test_a_forgotten_password_is_replaced_by_a_link_from_the_mailbox(
    visitor: Browser, post: Post, olga: Owner
) -> None:
    assert "If there is an account" in (await ask(visitor, f" {olga.email.upper()}")).text
    path = await post.mailbox.next_path()
    status, text = await shown(visitor, path)
    assert status == 200
    assert olga.email in text
    answer = await choose(visitor, path)
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, "/facts")
    assert (await visitor.get("/account")).status_code == 200
    async with a_browser(post.pages.app) as other:
        assert (await other.log_in(olga.email)).status_code == 401
        assert (await other.log_in(olga.email, NEW)).status_code == 303


async def test_a_mail_says_where_it_comes_from_and_that_no_person_sent_it(
    visitor: Browser, post: Post, olga: Owner
) -> None:
    await ask(visitor, olga.email)
    mail = await post.mailbox.next_mail()
    assert mail["From"] == "memory@example.test"
    assert mail["To"] == olga.email
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"].endswith("@example.test>")
    assert "127.0.0.1:8301" in mail["Subject"]
    assert f"{ORIGIN}{CHOOSE}?link=" in mail.get_content()


async def test_a_chosen_password_ends_every_login_and_key(
    visitor: Browser, post: Post, olga: Owner, core: Core
) -> None:
    async with a_browser(post.pages.app) as thief:
        await thief.log_in(olga.email)
        key = await create_api_key(
            core.database, olga.principal, name="k", scopes=[OAuthScope.MEMORY_READ], now=core.clock()
        )
        headers = {"x-api-key": key.text}
        assert (await thief.get("/api/v1/scopes", **headers)).status_code == 200
        await ask(visitor, olga.email)
        await choose(visitor, await post.mailbox.next_path())
        assert (await thief.get("/account")).status_code == 303
        assert (await thief.get("/api/v1/scopes", **headers)).status_code == 401


async def test_a_link_serves_once_and_takes_its_siblings_with_it(visitor: Browser, post: Post, olga: Owner) -> None:
    await ask(visitor, olga.email)
    await ask(visitor, olga.email)
    first, second = await post.mailbox.next_path(), await post.mailbox.next_path()
    assert (await choose(visitor, first)).status_code == 303
    for path in (first, second):
        assert (await choose(visitor, path, "yet another password")).status_code == 410
    async with a_browser(post.pages.app) as other:
        assert (await other.log_in(olga.email, NEW)).status_code == 303


async def test_of_two_who_use_one_link_at_once_one_wins(post: Post, visitor: Browser, olga: Owner) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    async with a_browser(post.pages.app) as other:
        answers = await asyncio.gather(choose(visitor, path, NEW), choose(other, path, "the other one's words"))
    assert sorted(answer.status_code for answer in answers) == [303, 410]


async def test_looking_at_a_link_changes_nothing(visitor: Browser, post: Post, olga: Owner) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    for _ in range(3):
        assert (await visitor.get(path)).status_code == 200
    assert (await visitor.log_in(olga.email)).status_code == 303


async def test_a_link_dies_of_age(visitor: Browser, post: Post, olga: Owner, clock: Clock) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    clock.advance(hours=1)
    status, text = await shown(visitor, path)
    assert status == 410
    assert "too old" in text


@pytest.mark.parametrize("sealed", ["", "x", "eyJhbGciOiJkaXIifQ....", "é", "a" * 20_000])
async def test_what_is_no_link_is_refused(visitor: Browser, sealed: str) -> None:
    assert (await visitor.get(f"{CHOOSE}?link={quote(sealed)}")).status_code == 410


async def test_a_link_that_was_changed_anywhere_is_none(visitor: Browser, post: Post, olga: Owner) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    (sealed,) = parse_qs(urlsplit(path).query)["link"]
    ends = [at for at, character in enumerate(sealed) if character == "."]
    for at in (1, ends[0] - 1, *(end + 1 for end in ends[1:])):
        flipped = sealed[:at] + ("B" if sealed[at] == "A" else "A") + sealed[at + 1 :]
        for changed in (flipped, sealed[:at], sealed[at:]):
            assert (await visitor.get(f"{CHOOSE}?link={quote(changed)}")).status_code == 410
    assert (await visitor.get(path)).status_code == 200


async def test_what_was_sealed_for_something_else_is_no_link(visitor: Browser, post: Post, olga: Owner) -> None:
    async with a_browser(post.pages.app) as logged_in:
        await logged_in.log_in(olga.email)
        sent = await logged_in.submit("/memories", "/memories", query="the wine list")
        (sealed,) = parse_qs(urlsplit(sent.headers["location"]).query)["s"]
    assert (await visitor.get(f"{CHOOSE}?link={quote(sealed)}")).status_code == 410


async def test_nobody_learns_who_has_an_account(visitor: Browser, post: Post, olga: Owner) -> None:
    stranger = f"{new_id()}@example.test"
    answers = [(await ask(visitor, email)).text.replace(email, "") for email in (olga.email, stranger)]
    assert answers[0] == answers[1]
    await post.outbox.sent()
    await post.mailbox.next_mail()
    assert post.mailbox.arrived.empty()


async def test_an_account_that_was_shut_gets_no_link(visitor: Browser, post: Post, olga: Owner, core: Core) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    await disable_user(core.database, olga.principal, now=core.clock())
    await ask(visitor, olga.email)
    await post.outbox.sent()
    assert post.mailbox.arrived.empty()
    assert (await choose(visitor, path)).status_code == 410


async def test_a_link_is_dead_once_the_password_was_changed_otherwise(
    visitor: Browser, post: Post, olga: Owner, core: Core
) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    await set_password(core.database, post.pages.hashes, olga.principal, "another good one", now=core.clock())
    assert (await choose(visitor, path)).status_code == 410
    assert (await visitor.log_in(olga.email, "another good one")).status_code == 303


async def test_the_link_of_an_erased_account_opens_nothing(
    visitor: Browser, post: Post, olga: Owner, core: Core
) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    await request_erasure(core.database, olga.principal, now=core.clock())
    await ask(visitor, olga.email)
    await post.outbox.sent()
    assert post.mailbox.arrived.empty()
    assert (await choose(visitor, path)).status_code == 410
    assert (await visitor.log_in(olga.email, NEW)).status_code == 401


async def test_a_link_to_a_suspended_account_opens_the_way_out_alone(
    visitor: Browser, post: Post, olga: Owner, core: Core
) -> None:
    await suspend_account(core.database, olga.principal, now=core.clock())
    await ask(visitor, olga.email)
    assert (await choose(visitor, await post.mailbox.next_path())).status_code == 303
    assert path_of((await visitor.get("/memories")).headers["location"]) == "/account/delete"


async def test_of_two_who_sign_up_with_one_address_at_once_one_gets_the_account(post: Post, visitor: Browser) -> None:
    email = f"{new_id()}@example.test"
    await ask(visitor, email, SIGN_UP)
    await ask(visitor, email, SIGN_UP)
    first, second = await post.mailbox.next_path(), await post.mailbox.next_path()
    async with a_browser(post.pages.app) as other:
        answers = await asyncio.gather(choose(visitor, first, NEW), choose(other, second, "the other one's words"))
        assert sorted(answer.status_code for answer in answers) == [303, 410]
    opened = []
    for password in (NEW, "the other one's words"):
        async with a_browser(post.pages.app) as later:
            opened.append((await later.log_in(email, password)).status_code)
    assert sorted(opened) == [303, 401]


@pytest.mark.parametrize(
    ("account", "typed", "reaches"),
    [
        ("kim@{}.test", "\u212aIM@{}.test", True),
        ("olga@k{}.test", "olga@\u212a{}.test", True),
        ("olga@exa\u0308mple{}.test", "OLGA@EX\u00c4MPLE{}.test", True),
        ("olga@stra\u00dfe{}.test", "olga@strasse{}.test", False),
        ("olga@mail{}.test", "olga@ma\u0131l{}.test", False),
        ("olga@mail{}.test", "olga@\uff4dail{}.test", False),
        ("olga@mail{}.test", "olga@mail\u3002{}.test", False),
    ],
)
async def test_mail_goes_to_the_address_of_the_account_and_never_to_what_was_typed(
    visitor: Browser, post: Post, core: Core, account: str, typed: str, reaches: bool
) -> None:
    unique = new_id().hex
    stored = unicodedata.normalize("NFC", account.format(unique))
    await create_user(
        core.database, post.pages.hashes, email=account.format(unique), password=PASSWORD, now=core.clock()
    )
    await ask(visitor, typed.format(unique))
    await post.outbox.sent()
    assert [mail["To"] for mail in post.mailbox.taken()] == ([stored] if reaches else [])


async def test_an_account_is_made_by_a_link_and_goes_on_to_where_its_owner_was_going(
    visitor: Browser, post: Post
) -> None:
    email = f"{new_id()}@example.test"
    after = "/oauth/authorize?client_id=c&state=s"
    assert "A link is on its way" in (await ask(visitor, email, SIGN_UP, after)).text
    path = await post.mailbox.next_path()
    answer = await choose(visitor, path)
    assert (answer.status_code, path_of(answer.headers["location"])) == (303, after)
    assert email in (await visitor.get("/account")).text
    assert (await choose(visitor, path)).status_code == 410


async def test_who_has_an_account_is_led_to_a_new_password_instead_of_a_second_one(
    visitor: Browser, post: Post, olga: Owner
) -> None:
    await ask(visitor, olga.email, SIGN_UP)
    assert "Choose a new password" in (await shown(visitor, await post.mailbox.next_path()))[1]


@pytest.mark.parametrize(
    ("password", "repeated", "said"),
    [("short", None, "at least 12 characters"), (NEW, "something else entirely", "differ"), ("x" * 1025, None, "most")],
)
async def test_a_password_that_can_not_be_taken_is_asked_for_again(
    visitor: Browser, post: Post, olga: Owner, password: str, repeated: str | None, said: str
) -> None:
    await ask(visitor, olga.email)
    path = await post.mailbox.next_path()
    answer = await choose(visitor, path, password, repeated)
    assert answer.status_code == 400
    assert said in answer.text
    assert (await choose(visitor, path)).status_code == 303


@pytest.mark.parametrize(
    "address",
    ["", "olga", "a@x.test, b@y.test", "a@x.test b@y.test", "a@x.test\r\nBcc: b@y.test", "<a@x.test>", "a@", "@x.test"],
)
async def test_what_is_no_single_address_is_written_to_by_nobody(visitor: Browser, post: Post, address: str) -> None:
    answer = await ask(visitor, address, SIGN_UP)
    assert answer.status_code == 400
    assert "no e-mail address" in answer.text
    await post.outbox.sent()
    assert post.mailbox.arrived.empty()


@pytest.mark.parametrize("after", ["https://evil.example", "//evil.example", "/" + "x" * 4_000])
async def test_a_link_leads_nowhere_else(visitor: Browser, post: Post, olga: Owner, after: str) -> None:
    await ask(visitor, olga.email, after=after)
    answer = await choose(visitor, await post.mailbox.next_path())
    assert path_of(answer.headers["location"]) == "/memories"


async def test_a_form_of_another_site_sends_nothing(visitor: Browser, post: Post, olga: Owner) -> None:
    assert (await visitor.post(FORGOTTEN, {"email": olga.email, "csrf_token": "forged"})).status_code == 403
    token = token_in(await visitor.get(FORGOTTEN))
    form = {"email": olga.email, "csrf_token": token}
    assert (await visitor.post(FORGOTTEN, form, **{"sec-fetch-site": "cross-site"})).status_code == 403
    await post.outbox.sent()
    assert post.mailbox.arrived.empty()


async def test_the_login_page_shows_the_ways_in_that_there_are(visitor: Browser, pages: Pages, post: Post) -> None:
    text = (await visitor.get("/login?next=/facts")).text
    assert f"{FORGOTTEN}?next=%2Ffacts" in text
    assert f"{SIGN_UP}?next=%2Ffacts" in text
    async with a_browser(pages.app) as without:
        text = (await without.get("/login")).text
        assert FORGOTTEN not in text
        assert SIGN_UP not in text
        assert (await without.get(FORGOTTEN)).status_code == 404
        assert (await without.get(SIGN_UP)).status_code == 404


async def test_a_link_that_an_operator_hands_out_works_without_a_mail_server(
    browser: Browser, olga: Owner, core: Core, clock: Clock
) -> None:
    invitations = Invitations(links_of(core), ORIGIN)
    url = await invitations.url(core.database, olga.email, core.clock())
    clock.advance(days=2)
    assert (await choose(browser, url.removeprefix(ORIGIN))).status_code == 303
    assert olga.email in (await browser.get("/account")).text
