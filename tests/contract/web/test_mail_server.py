"""What becomes of mails when the mail server, or whoever asks for them, misbehaves."""

import asyncio
import ssl
from functools import partial
from pathlib import Path

import pytest
import trustme
from pydantic import ValidationError

from tests.contract.web.mailbox import PASSWORD, USER, a_mailbox, a_post_office, in_the_clear
from tests.contract.web.stack import Owner, a_browser, pages_of, serving
from tests.contract.web.test_mailed_links import ask
from threengram.api.limits import Rules
from threengram.api.mail.outbox import MAX_WAITING, Asked
from threengram.api.mail.smtp import Security, Smtp
from threengram.api.settings import Settings
from threengram.core.call import Core
from threengram.core.people.passwords import PasswordHashes
from threengram.runtime.metrics import MAILS
from threengram.runtime.ratelimit import RateLimiter, Rule


async def test_mail_is_asked_for_a_few_times_and_no_more(
    core: Core, hashes: PasswordHashes, limiter: RateLimiter, olga: Owner
) -> None:
    plenty = Rule("plenty", 1000, 60, "local")
    rules = Rules(link_account=Rule("link_account", 2, 3600, "local"), link_address=plenty)
    async with a_mailbox() as mailbox:
        outbox = a_post_office(core, in_the_clear(mailbox.port))
        pages = pages_of(core, hashes, outbox=outbox, limiter=limiter, rules=rules)
        async with serving(pages), outbox.sending(), a_browser(pages.app) as browser:
            for expected in (200, 200, 429):
                assert (await ask(browser, olga.email)).status_code == expected
            await outbox.sent()
            assert mailbox.arrived.qsize() == 2


def mails(outcome: str) -> float:
    return float(MAILS.labels(outcome)._value.get())


async def test_a_mail_server_that_refuses_is_counted_and_answers_are_the_same(
    core: Core, hashes: PasswordHashes, olga: Owner
) -> None:
    async with a_mailbox(refusal="554 No") as mailbox:
        outbox = a_post_office(core, in_the_clear(mailbox.port))
        pages = pages_of(core, hashes, outbox=outbox)
        async with serving(pages), outbox.sending(), a_browser(pages.app) as browser:
            before = mails("failed")
            assert (await ask(browser, olga.email)).status_code == 200
            await outbox.sent()
            assert mails("failed") - before == 1


async def test_a_mail_server_that_says_nothing_is_given_up(core: Core, olga: Owner) -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with server:
        outbox = a_post_office(core, in_the_clear(server.sockets[0].getsockname()[1], timeout_s=0.2))
        before = mails("failed")
        async with outbox.sending():
            outbox.put(Asked(olga.email, "/", False))
            await outbox.sent()
        assert mails("failed") - before == 1


async def test_more_mails_than_can_wait_are_refused_whoever_asks(
    core: Core, hashes: PasswordHashes, olga: Owner
) -> None:
    outbox = a_post_office(core, in_the_clear(1))
    pages = pages_of(core, hashes, outbox=outbox)
    async with serving(pages), a_browser(pages.app) as browser:
        for _ in range(MAX_WAITING):
            outbox.put(Asked(olga.email, "/", False))
        assert (await ask(browser, olga.email)).status_code == 503
        assert (await ask(browser, "nobody@example.test")).status_code == 503


async def test_mail_goes_through_starttls_with_a_password(core: Core, olga: Owner, tmp_path: Path) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    ca_file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    async with a_mailbox(tls=context, asks_password=True) as mailbox:
        server = partial(Smtp, "localhost", mailbox.port, Security.STARTTLS, 10.0, USER)
        trusting, trustless = server(PASSWORD, str(ca_file)), server(PASSWORD)
        wrong = server("another password", str(ca_file))
        for smtp in (trustless, wrong):
            before = mails("failed")
            await send_one(core, smtp, olga)
            assert mails("failed") - before == 1
        assert mailbox.arrived.empty()
        await send_one(core, trusting, olga)
        assert (await mailbox.next_mail())["To"] == olga.email


async def send_one(core: Core, smtp: Smtp, owner: Owner) -> None:
    outbox = a_post_office(core, smtp)
    async with outbox.sending():
        outbox.put(Asked(owner.email, "/", False))
        await outbox.sent()


@pytest.mark.parametrize(
    "given",
    [
        {"sign_up": True},
        {"smtp_host": "mail.example.test"},
        {"smtp_host": "mail.example.test", "smtp_from": "a@x.test, b@y.test"},
        {"smtp_host": "mail.example.test", "smtp_from": "a@x.test", "smtp_user": "mailer"},
    ],
)
def test_settings_that_could_not_send_are_refused(given: dict[str, object]) -> None:
    needed = {"database_url": "d", "redis_url": "r", "cursor_key": "c", "signing_key": "s"}
    with pytest.raises(ValidationError):
        Settings.model_validate({**needed, **given})
