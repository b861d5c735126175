"""The account over REST: taken along as a stream, taken away for good."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest
from starlette.types import Message, Scope

from tests.conftest import CURSOR_KEY
from tests.contract.mcp.stack import started
from tests.contract.rest.process import api_process, new_key
from tests.contract.rest.stack import Rest, a_key, api_of, requests_to
from tests.integration.core.exporting import entitled, fill
from tests.integration.core.writing import rows, write
from tests.integration.runtime.processes import PATIENCE_S
from tests.people import Person, a_person, in_database
from tests.waiting import wait_until
from threengram.api.exports import NDJSON, Exports
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.export import export
from threengram.core.jobs.runs import show_run
from threengram.core.people.accounts import disable_user, suspend_account
from threengram.runtime.deadline import DeadlineExceeded
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import OAuthScope
from threengram.schema.export import ExportInput

ACCOUNT = (OAuthScope.ACCOUNT,)
MANY, LONG = 3_000, 2_000
"""More bytes than the sockets between a server and its client hold."""

NOTE = {"memoryType": "note", "topic": "a topic", "content": "some content"}


@pytest.fixture
async def owner(core: Core, rest: Rest, alice: Person) -> Rest:
    """Alice with a key for her account and nothing else."""
    return rest.with_key(await a_key(core, alice, ACCOUNT))


async def test_an_account_is_downloaded_as_lines_that_are_counted_at_the_end(rest: Rest, owner: Rest) -> None:
    await rest.post("/memories", NOTE)
    answer = await owner.get("/export")
    assert (answer.status_code, answer.headers["content-type"]) == (200, NDJSON)
    assert answer.headers["content-disposition"] == 'attachment; filename="3ngram-export-2026-03-02.ndjson"'
    assert (answer.headers["cache-control"], "ratelimit-limit" in answer.headers) == ("no-store", True)
    records = [orjson.loads(line) for line in answer.text.splitlines()]
    assert [record["content"] for record in records if record["record"] == "memory"] == ["some content"]
    assert sum(records[-1]["counts"].values()) == len(records)


async def test_a_suspended_account_is_taken_along_and_away_and_does_nothing_else(
    core: Core, rest: Rest, owner: Rest, alice: Person
) -> None:
    await rest.post("/memories", NOTE)
    await suspend_account(core.database, alice.principal, now=core.clock())
    refused = [await rest.post("/search", {"query": "content"}), await rest.get("/environment")]
    assert [answer.status_code for answer in refused] == [403, 403]
    assert "some content" in (await owner.get("/export")).text
    assert (await owner.send("DELETE", "/account", json={"confirm": True})).status_code == 200
    assert (await owner.get("/export")).status_code == 401


async def test_a_disabled_user_takes_nothing_along_or_away(core: Core, owner: Rest, alice: Person) -> None:
    """Whoever holds the keys of somebody who was shut out may be anybody."""
    await disable_user(core.database, alice.principal, now=core.clock())
    answers = [await owner.get("/export"), await owner.send("DELETE", "/account", json={"confirm": True})]
    assert [answer.status_code for answer in answers] == [403, 403]


async def test_that_somebody_took_everything_along_is_on_record(core: Core, owner: Rest, alice: Person) -> None:
    await owner.get("/export")
    audited = await rows(core, alice, "SELECT action, actor_kind FROM audit_log WHERE action LIKE 'account.%%'")
    assert [tuple(row.values()) for row in audited] == [("account.exported", "user_api")]


async def test_the_head_of_an_export_is_empty(owner: Rest) -> None:
    answer = await owner.send("HEAD", "/export")
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, NDJSON, b"")


async def test_a_second_export_at_once_is_told_to_wait(core: Core, owner: Rest, alice: Person) -> None:
    async with open_call(core, entitled(alice).principal) as call, aclosing(export(call, ExportInput())) as pages:
        await anext(pages)
        answer = await owner.get("/export")
    assert (answer.status_code, answer.headers["content-type"]) == (409, "application/json")
    assert (answer.json()["error"], answer.json()["retryable"]) == ("conflict", True)
    assert (await owner.get("/export")).status_code == 200


async def test_a_process_sends_no_more_exports_than_it_has_places(
    core: Core, limiter: RateLimiter, alice: Person
) -> None:
    exports = Exports(lambda principal: open_call(core, principal), max_at_once=1)
    async with requests_to(api_of(core, limiter, exports=exports), await a_key(core, alice, ACCOUNT)) as owner:
        with exports.places.one():
            answer = await owner.get("/export")
        assert (answer.status_code, answer.json()["error"]) == (503, "unavailable")
        assert "retry-after" in answer.headers
        for _ in range(2):
            assert (await owner.get("/export")).status_code == 200


def asking_for_export(key: str) -> Scope:
    """A request below HTTP, for clients that behave badly."""
    return {
        "type": "http", "method": "GET", "path": "/api/v1/export", "raw_path": b"/api/v1/export", "query_string": b"",
        "headers": [(b"x-api-key", key.encode())], "asgi": {}, "http_version": "1.1", "scheme": "http", "state": {},
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip


async def test_a_reader_that_takes_nothing_is_let_go(
    core: Core, limiter: RateLimiter, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threengram.api.exports.STALL_TIMEOUT_S", 0.1)
    exports = Exports(lambda principal: open_call(core, principal), max_at_once=1)
    app, key = api_of(core, limiter, exports=exports), await a_key(core, alice, ACCOUNT)
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    inbox.put_nowait({"type": "http.request", "body": b""})

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async with started(app):
        with pytest.raises(DeadlineExceeded):
            await asyncio.wait_for(app(asking_for_export(key), inbox.get, send), 60)
    async with requests_to(app, key) as owner:
        assert (await owner.get("/export")).status_code == 200


async def test_an_export_ends_when_its_reader_has_gone(core: Core, limiter: RateLimiter, alice: Person) -> None:
    for number in range(3):
        await write(core, alice, content=str(number))
    app, key = api_of(core, limiter), await a_key(core, alice, ACCOUNT)
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    inbox.put_nowait({"type": "http.request", "body": b""})
    sent: list[Message] = []

    async def send(message: Message) -> None:
        if not sent:
            inbox.put_nowait({"type": "http.disconnect"})
        sent.append(message)

    async with started(app):
        await asyncio.wait_for(app(asking_for_export(key), inbox.get, send), 60)
    assert len(sent) < 5
    assert not any(b'"end"' in message.get("body", b"") for message in sent)


def test_an_export_that_takes_too_long_is_cut_off_and_looks_like_it(
    database_url: str, redis_url: str, tmp_path: Path
) -> None:
    small, key = new_key(database_url), in_database(database_url, a_large_account)
    variables = {"database_url": database_url, "redis_url": redis_url, "export_timeout_s": "4"}
    with api_process(tmp_path, **variables) as running:
        wait_until(running.is_ready)
        whole = received(running.url, small)
        assert whole.endswith(b"0\r\n\r\n")
        assert b'{"record":"end"' in whole
        part = received(running.url, key, waits_for=lambda: running.events("export_cut_off") != [])
        assert part.startswith(b"HTTP/1.1 200 OK\r\n")
        assert not part.endswith(b"0\r\n\r\n")
        assert b'{"record":"end"' not in part
        assert [line["error_class"] for line in running.events("export_cut_off")] == ["DeadlineExceeded"]


async def a_large_account(database: Database) -> str:
    """A key of somebody with many long memories."""
    now = datetime.now(UTC)
    core = Core(database, None, CursorSealer(CURSOR_KEY), lambda: now)
    person = await a_person(database, now=now)
    await fill(core, person, MANY, content_chars=LONG)
    return await a_key(core, person, ACCOUNT)


def received(url: str, key: str, *, waits_for: Callable[[], bool] | None = None) -> bytes:
    """The whole answer on the wire; a slow client reads nothing until something has happened."""
    with socket.socket() as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        wire.settimeout(PATIENCE_S)
        wire.connect((urlsplit(url).hostname, urlsplit(url).port))
        wire.sendall(
            f"GET /api/v1/export HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\nconnection: close\r\n\r\n".encode()
        )
        if waits_for is not None:
            wait_until(waits_for)
        return b"".join(iter(lambda: wire.recv(1 << 20), b""))


async def test_an_account_is_deleted_only_on_purpose(core: Core, rest: Rest, owner: Rest) -> None:
    for body in ({}, {"confirm": False}, {"confirm": "true"}, {"confirm": True, "really": True}):
        assert (await owner.send("DELETE", "/account", json=body)).status_code == 400
    assert (await owner.send("DELETE", "/account")).status_code == 400
    assert (await rest.send("DELETE", "/account", json={"confirm": True})).json()["error"] == "insufficient_scope"
    assert (await rest.post("/memories", NOTE)).status_code == 201


async def test_a_deleted_account_opens_for_nobody_and_its_words_are_about_to_go(
    core: Core, rest: Rest, owner: Rest, bobs: Rest, alice: Person
) -> None:
    await bobs.post("/memories", NOTE)
    answer = await owner.send("DELETE", "/account", json={"confirm": True})
    assert (answer.status_code, answer.json()["deleted"], answer.json()["alreadyDeleted"]) == (200, True, False)
    run = await show_run(core.database, answer.json()["runId"])
    assert (run.kind, run.tenant_id) == ("erase", alice.principal.tenant_id)
    for caller in (rest, owner):
        assert (await caller.get("/version")).status_code == 401
    assert (await bobs.get("/stats")).json()["activeMemories"] == 1
    (audited,) = await rows(core, alice, "SELECT actor_kind FROM audit_log WHERE action = 'account.erased'")
    assert audited["actor_kind"] == "user_api"


async def test_an_account_with_other_users_is_not_deleted_by_one_of_them(
    core: Core, owner: Rest, alice: Person
) -> None:
    await rows(
        core,
        alice,
        "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
        " SELECT tenant_id, gen_random_uuid(), gen_random_uuid()::text, created_at, updated_at FROM users",
    )
    answer = await owner.send("DELETE", "/account", json={"confirm": True})
    assert (answer.status_code, answer.json()["error"]) == (409, "conflict")
    assert (await owner.get("/version")).status_code == 200
