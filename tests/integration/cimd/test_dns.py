"""Names asked of a real name server on loopback."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import dns.asyncresolver
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.resolver
import dns.rrset
import pytest

from threengram.cimd.failures import Unresolved
from threengram.cimd.resolver import DnsResolver

pytestmark = pytest.mark.anyio

ZONE = {
    ("app.example.", "A"): ["192.0.2.1", "10.0.0.7"],
    ("app.example.", "AAAA"): ["2001:db8::1"],
    ("v4.example.", "A"): ["192.0.2.2"],
    ("alias.example.", "CNAME"): ["app.example."],
    ("broken.example.", "A"): ["192.0.2.3"],
    ("inside.cluster.internal.", "A"): ["10.0.0.8"],
}
NAMES = {name for name, _kind in ZONE}


def reply(query: dns.message.Message) -> dns.message.Message | None:
    """The answer of the zone; the name `silent` gets none, and `broken` fails for AAAA."""
    (question,) = query.question
    name, kind = question.name.to_text(), dns.rdatatype.to_text(question.rdtype)
    if name == "silent.example.":
        return None
    response = dns.message.make_response(query)
    response.flags |= dns.flags.RA
    if (name, "CNAME") in ZONE:
        (target,) = ZONE[name, "CNAME"]
        response.answer.append(dns.rrset.from_text(name, 60, "IN", "CNAME", target))
        name = target
    if name not in NAMES:
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif name == "broken.example." and kind == "AAAA":
        response.set_rcode(dns.rcode.SERVFAIL)
    elif (name, kind) in ZONE:
        response.answer.append(dns.rrset.from_text(name, 60, "IN", kind, *ZONE[name, kind]))
    return response


class NameServer(asyncio.DatagramProtocol):
    def __init__(self) -> None:
        self.asked: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        query = dns.message.from_wire(data)
        self.asked.append(query.question[0].name.to_text())
        response = reply(query)
        if response is not None and self._transport is not None:
            self._transport.sendto(response.to_wire(), addr)


@asynccontextmanager
async def name_server() -> AsyncIterator[tuple[NameServer, Callable[[], dns.asyncresolver.Resolver]]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, ("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]

    def configured() -> dns.asyncresolver.Resolver:
        resolver = dns.asyncresolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = port
        resolver.search = [dns.name.from_text("cluster.internal.")]
        resolver.ndots = 5
        return resolver

    try:
        yield server, configured
    finally:
        transport.close()


async def addresses(host: str, timeout_s: float = 10.0) -> list[str]:
    async with name_server() as (_server, configured):
        return [str(address) for address in await DnsResolver(configured).addresses(host, timeout_s)]


async def failure(host: str, timeout_s: float = 10.0) -> str:
    with pytest.raises(Unresolved) as error:
        await addresses(host, timeout_s)
    return error.value.failure.value


async def test_every_address_of_both_families_is_returned() -> None:
    assert sorted(await addresses("app.example")) == ["10.0.0.7", "192.0.2.1", "2001:db8::1"]


async def test_ipv4_comes_first_and_one_family_is_enough() -> None:
    assert (await addresses("app.example"))[-1] == "2001:db8::1"
    assert await addresses("v4.example") == ["192.0.2.2"]


async def test_an_alias_is_followed_to_all_addresses() -> None:
    assert len(await addresses("alias.example")) == 3


async def test_a_name_that_does_not_exist_is_told_from_a_server_that_fails() -> None:
    assert await failure("nobody.example") == "host_not_found"
    assert await failure("broken.example") == "dns_failure"


async def test_a_silent_server_ends_at_the_time_given() -> None:
    assert await failure("silent.example", timeout_s=0.3) == "dns_failure"


async def test_no_search_domain_turns_a_name_into_one_of_the_cluster() -> None:
    async with name_server() as (server, configured):
        with pytest.raises(Unresolved):
            await DnsResolver(configured).addresses("inside", 10.0)
        assert set(server.asked) == {"inside."}


async def test_a_machine_without_name_servers_has_an_outage_and_says_so_in_its_health() -> None:
    def unconfigured() -> dns.asyncresolver.Resolver:
        raise dns.resolver.NoResolverConfiguration

    resolver = DnsResolver(unconfigured)
    with pytest.raises(dns.resolver.NoResolverConfiguration):
        await resolver.check()
    with pytest.raises(Unresolved) as error:
        await resolver.addresses("app.example", 1.0)
    assert error.value.failure.value == "dns_failure"
