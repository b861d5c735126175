"""Names to addresses, asked of name servers directly: no hosts file, no search domains, no cache in between."""

import asyncio
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final, Protocol

import dns.asyncresolver
import dns.exception
import dns.name
import dns.rdatatype
import dns.resolver

from threengram.cimd.addresses import IpAddress
from threengram.cimd.failures import Unresolved
from threengram.schema.oauth import ResolveFailure

_QUERY_TIMEOUT_S: Final = 2.0


class Resolver(Protocol):
    """Where addresses come from."""

    async def addresses(self, host: str, timeout_s: float) -> tuple[IpAddress, ...]:
        """Every address of a name, IPv4 first, at least one. Raises `Unresolved`."""
        ...


class DnsResolver:
    """The name servers of `/etc/resolv.conf`, which is read anew for each name: a laptop changes networks."""

    def __init__(self, configured: Callable[[], dns.asyncresolver.Resolver] = dns.asyncresolver.Resolver) -> None:
        self._configured = configured

    async def check(self) -> None:
        """Health check: name servers are configured. Raises `dns.resolver.NoResolverConfiguration`."""
        self._configured()

    async def addresses(self, host: str, timeout_s: float) -> tuple[IpAddress, ...]:
        """Both families at the same time. One without an answer is a failure, since it hides what it has."""
        answers = await asyncio.gather(
            self._query(host, dns.rdatatype.A, timeout_s),
            self._query(host, dns.rdatatype.AAAA, timeout_s),
            return_exceptions=True,
        )
        addresses: list[IpAddress] = []
        for answer in answers:
            if isinstance(answer, dns.resolver.NXDOMAIN):
                raise Unresolved(ResolveFailure.HOST_NOT_FOUND)
            if isinstance(answer, dns.exception.DNSException | OSError):
                raise Unresolved(ResolveFailure.DNS_FAILURE)
            if isinstance(answer, BaseException):
                raise answer
            addresses += (ip_address(text) for text in answer)
        if not addresses:
            raise Unresolved(ResolveFailure.HOST_NOT_FOUND)
        return tuple(addresses)

    async def _query(self, host: str, kind: dns.rdatatype.RdataType, timeout_s: float) -> list[str]:
        resolver = self._configured()
        resolver.timeout = _QUERY_TIMEOUT_S
        # An absolute name, so that no search domain turns it into a name of the cluster.
        name = dns.name.from_text(host, origin=dns.name.root)
        answer = await resolver.resolve(name, kind, raise_on_no_answer=False, search=False, lifetime=timeout_s)
        return [record.address for record in answer.rrset or ()]
