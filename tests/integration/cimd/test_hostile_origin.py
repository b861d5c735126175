"""Origins that lie, drip, flood, redirect inwards or change their address."""

import asyncio
import gzip
import time

import pytest

from tests.integration.cimd.conftest import Start, document, public_or_here
from tests.integration.cimd.origin import Handler, Origin, answer, origin_for, redirect
from tests.waiting import cut_short
from threengram.cimd.addresses import is_public

pytestmark = pytest.mark.anyio

PRIVATE = ["10.0.0.7", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:7", "fd00:ec2::254", "100.64.0.1"]


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_name_at_a_private_address_is_refused(origin: Origin, start: Start, address: str) -> None:
    service = start({"app.example": [[address]]})
    assert await service.failure(origin.url("/c")) == (422, "unsafe_address")


async def test_one_private_answer_among_public_ones_refuses_the_name(origin: Origin, start: Start) -> None:
    for answers in (["127.0.0.1", "10.0.0.7"], ["10.0.0.7", "127.0.0.1"], ["127.0.0.1", "::1"]):
        service = start({"app.example": [answers]})
        assert await service.failure(origin.url("/c")) == (422, "unsafe_address")
    assert origin.connections == 0


async def test_the_production_policy_reaches_nothing_on_loopback(origin: Origin, start: Start) -> None:
    service = start(policy=is_public)
    for host in ("app.example", "127.0.0.1", "[::1]"):
        assert await service.failure(origin.url("/c", host)) == (422, "unsafe_address")
    assert origin.connections == 0


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("https://inside.example/c", "unsafe_address"),
        ("https://10.0.0.7/c", "unsafe_address"),
        ("https://[::ffff:10.0.0.7]/c", "unsafe_address"),
        ("http://app.example/c", "unsafe_redirect"),
        ("//user@app.example/c", "unsafe_redirect"),
        ("https://0x7f.1/c", "unsafe_redirect"),
        ("https://app.example/", "unsafe_redirect"),
        ("/c#fragment", "unsafe_redirect"),
        ("/%2e%2e/c", "unsafe_redirect"),
        ("https://[::1/c", "unsafe_redirect"),
        ("file:///etc/passwd", "unsafe_redirect"),
        ("/c\tx", "unsafe_redirect"),
        ("/\u00e9", "unsafe_redirect"),
        ("/" + "c" * 2_100, "unsafe_redirect"),
        ("", "unsafe_redirect"),
    ],
)
async def test_a_redirect_is_checked_like_the_first_url(origin: Origin, start: Start, location: str, code: str) -> None:
    origin.on("/start", redirect(location))
    service = start({"inside.example": [["10.0.0.7"]]})
    assert await service.failure(origin.url("/start")) == (422, code)
    assert origin.connections == 1


async def test_a_name_that_moves_inwards_between_hops_is_refused(origin: Origin, start: Start) -> None:
    origin.on("/c", redirect("/d"))
    service = start({"app.example": [["127.0.0.1"], ["10.0.0.7"]]})
    assert await service.failure(origin.url("/c")) == (422, "unsafe_address")
    assert origin.connections == 1


async def test_a_name_is_looked_up_once_a_hop_so_that_no_second_answer_is_connected_to(
    origin: Origin, start: Start
) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(url)))
    service = start({"app.example": [["127.0.0.1"], ["10.0.0.7"]]})
    assert (await service.resolve(url)).status_code == 200
    assert service.names.asked == ["app.example"]


async def test_redirects_end_after_the_third(origin: Origin, start: Start) -> None:
    origin.on("/c", redirect("/c"))
    assert await start().failure(origin.url("/c")) == (422, "too_many_redirects")
    assert len(origin.requests) == 4


async def test_a_certificate_for_another_name_is_no_proof(start: Start) -> None:
    async with origin_for("evil.example") as origin:
        origin.on("/c", answer(document(origin.url("/c"))))
        assert await start().failure(origin.url("/c")) == (502, "tls_failure")
        assert origin.requests == []


async def test_the_name_after_a_redirect_needs_a_certificate_too(start: Start) -> None:
    async with origin_for("app.example") as origin:
        origin.on("/c", redirect(origin.url("/d", "bank.example")))
        assert await start().failure(origin.url("/c")) == (502, "tls_failure")
        assert len(origin.requests) == 1


async def test_a_plain_http_server_is_no_https_server(start: Start) -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await start().failure(f"https://app.example:{port}/c") == (502, "tls_failure")


async def test_a_port_where_nobody_listens_is_an_outage(start: Start) -> None:
    async with origin_for("app.example") as origin:
        url = origin.url("/c")
    assert await start().failure(url) == (502, "fetch_failure")


async def test_a_name_without_an_address_is_no_outage(origin: Origin, start: Start) -> None:
    assert await start({"app.example": [[]]}).failure(origin.url("/c")) == (422, "host_not_found")


async def _drip(writer: asyncio.StreamWriter, chunk: bytes) -> None:
    while not writer.is_closing():
        writer.write(chunk)
        await writer.drain()
        await asyncio.sleep(0.02)


async def dripping_body(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n")
    await _drip(writer, b" ")


async def dripping_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    await _drip(writer, b"a")


async def interim_responses(writer: asyncio.StreamWriter) -> None:
    await _drip(writer, b"HTTP/1.1 103 Early Hints\r\n\r\n")


async def silent(_writer: asyncio.StreamWriter) -> None:
    await cut_short()


@pytest.mark.parametrize("slow", [dripping_body, dripping_headers, interim_responses, silent])
async def test_a_slow_origin_ends_at_the_deadline(origin: Origin, start: Start, slow: Handler) -> None:
    origin.on("/c", slow)
    service = start(resolve_timeout_s=0.5)
    started = time.monotonic()
    assert await service.failure(origin.url("/c")) == (504, "deadline_exceeded")
    assert time.monotonic() - started < 30


async def test_the_deadline_is_one_for_all_hops(origin: Origin, start: Start) -> None:
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.4)
        await redirect("/c")(writer)

    origin.on("/c", late)
    assert await start(resolve_timeout_s=1, max_redirects=10).failure(origin.url("/c")) == (504, "deadline_exceeded")
    assert len(origin.requests) <= 3


async def test_an_endless_body_is_cut_off_within_bounds(origin: Origin, start: Start) -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
            await writer.drain()
            sent += 0x10000

    origin.on("/c", endless)
    assert await start().failure(origin.url("/c")) == (422, "invalid_response")
    # What fits into the buffers of two sockets, however fast it came.
    assert sent < 16 * 1024 * 1024


async def test_a_document_may_have_exactly_as_many_bytes_as_the_limit(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    exact = document(url).ljust(5_120)
    origin.on("/c", answer(exact, cache_control="no-store"))
    service = start()
    assert (await service.resolve(url)).status_code == 200
    for length in (str(len(exact) + 1), None):
        origin.on("/c", answer(exact + b" ", content_length=length))
        assert await service.failure(url) == (422, "invalid_response")
        service.clock.advance(60)


def bomb() -> bytes:
    return gzip.compress(b" " * 4_000_000)[:5_000]


CANARY = b'{"client_name":"canary"}'

RESPONSES: dict[str, tuple[Handler, int, str]] = {
    "a compressed bomb": (answer(bomb(), content_encoding="gzip"), 422, "invalid_response"),
    "a compressed document": (answer(gzip.compress(CANARY), content_encoding="gzip"), 422, "invalid_response"),
    "HTML": (answer(b"<canary>", content_type="text/html"), 422, "invalid_response"),
    "no type": (answer(CANARY, content_type=None), 422, "invalid_response"),
    "another charset": (answer(CANARY, content_type="application/json; charset=utf-16"), 422, "invalid_response"),
    "JSON lines": (answer(CANARY, content_type="application/jsonl"), 422, "invalid_response"),
    "a huge declared length": (answer(CANARY, content_length="9" * 15), 422, "invalid_response"),
    "many headers": (answer(CANARY, x_big="a" * 20_000), 422, "invalid_response"),
    "endless headers": (answer(CANARY, x_big="a" * 300_000), 502, "fetch_failure"),
    "a body that ends early": (answer(CANARY, content_length="100"), 502, "fetch_failure"),
    "two lengths": (answer(CANARY, content_length="24\r\ncontent-length: 25"), 502, "fetch_failure"),
    "an unknown transfer coding": (answer(CANARY, transfer_encoding="gzip, chunked"), 502, "fetch_failure"),
    "invalid UTF-8": (answer(b'{"client_name":"\xff"}'), 422, "invalid_document"),
    "a byte order mark": (answer(b"\xef\xbb\xbf" + CANARY), 422, "invalid_document"),
    "no object": (answer(b'["canary"]'), 422, "invalid_document"),
    "nothing": (answer(b""), 422, "invalid_document"),
    "another id": (answer(document("https://canary.example/c")), 422, "invalid_document"),
    "204": (answer(b"", status="204 Nothing"), 422, "document_missing"),
    "206": (answer(CANARY, status="206 Part"), 422, "document_missing"),
    "300": (answer(CANARY, status="300 Choices", location="/d"), 422, "document_missing"),
    "304": (answer(b"", status="304 Same"), 422, "document_missing"),
    "401": (answer(CANARY, status="401 canary"), 422, "document_missing"),
    "404": (answer(CANARY, status="404 canary"), 422, "document_missing"),
    "410": (answer(CANARY, status="410 Gone"), 422, "document_missing"),
    "429": (answer(CANARY, status="429 Slow"), 502, "document_unavailable"),
    "500": (answer(CANARY, status="500 canary"), 502, "document_unavailable"),
    "a redirect to nowhere": (answer(b"", status="302 Found"), 422, "unsafe_redirect"),
}


@pytest.mark.parametrize(("handler", "status", "code"), RESPONSES.values(), ids=RESPONSES.keys())
async def test_a_response_that_is_no_document_has_a_code_of_its_own(
    origin: Origin, start: Start, handler: Handler, status: int, code: str
) -> None:
    origin.on("/c", handler)
    assert await start().failure(origin.url("/c")) == (status, code)


async def test_bytes_that_are_not_http_are_an_outage(origin: Origin, start: Start) -> None:
    async def garbage(writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x00\xffcanary\r\n\r\n")

    origin.on("/c", garbage)
    assert await start().failure(origin.url("/c")) == (502, "fetch_failure")


async def test_a_json_type_of_the_application_is_taken(origin: Origin, start: Start) -> None:
    for number, kind in enumerate(("application/client-metadata+json", 'Application/JSON; charset="UTF-8"')):
        url = origin.url(f"/{number}")
        origin.on(f"/{number}", answer(document(url), content_type=kind))
        assert (await start().resolve(url)).status_code == 200


async def test_the_65th_fetch_at_once_is_refused_and_room_comes_back(origin: Origin, start: Start) -> None:
    urls = [origin.url(f"/{number}", f"h{number}.many.example") for number in range(65)]
    released = asyncio.Event()

    def held(url: str) -> Handler:
        async def handle(writer: asyncio.StreamWriter) -> None:
            await released.wait()
            await answer(document(url))(writer)

        return handle

    for number, url in enumerate(urls):
        origin.on(f"/{number}", held(url))
    service = start(resolve_timeout_s=60)
    asking = [asyncio.create_task(service.resolve(url)) for url in urls[:64]]
    await origin.arrived(64)
    assert await service.failure(urls[64]) == (503, "capacity_exceeded")
    released.set()
    assert {response.status_code for response in await asyncio.gather(*asking)} == {200}
    assert (await service.resolve(urls[64])).status_code == 200


async def test_slow_strangers_do_not_hold_up_a_client_in_use(origin: Origin, start: Start) -> None:
    url = origin.url("/c")
    origin.on("/c", answer(document(url), cache_control="no-store"))
    origin.on("/slow", silent)
    service = start(max_fetches=1)
    assert (await service.resolve(url)).status_code == 200
    asking = asyncio.create_task(service.resolve(origin.url("/slow")))
    await origin.arrived(2)
    assert await service.failure(origin.url("/other")) == (503, "capacity_exceeded")
    assert (await service.resolve(url)).status_code == 200
    asking.cancel()


async def test_one_host_gets_only_so_many_fetches_and_leaves_room_for_others(origin: Origin, start: Start) -> None:
    origin.on("/slow", silent)
    origin.on("/moved", redirect(origin.url("/slow", "other.example")))
    origin.on("/c", answer(document(origin.url("/c"))))
    service = start(max_fetches_per_host=1, policy=public_or_here)
    asking = asyncio.create_task(service.resolve(origin.url("/slow", "other.example")))
    await origin.arrived()
    assert await service.failure(origin.url("/x", "other.example")) == (503, "capacity_exceeded")
    assert await service.failure(origin.url("/moved")) == (503, "capacity_exceeded")
    assert (await service.resolve(origin.url("/c"))).status_code == 200
    asking.cancel()
