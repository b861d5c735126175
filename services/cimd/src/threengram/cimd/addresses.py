"""Which addresses are on the public internet. Pure.

Only global unicast counts. The lists are those of the IANA special-purpose address registries (RFC 6890 and successors)
in full, because what the standard library calls global depends on its version, and because an IPv6 address that embeds
an IPv4 address is a second way to write the second one.
"""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network
AddressPolicy = Callable[[IpAddress], bool]

_NOT_PUBLIC_V4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network, unspecified
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared between carriers (RFC 6598)
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's platform endpoint, inside a public range
        "169.254.0.0/16",  # link-local, instance metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
# The only block from which global unicast is assigned (RFC 4291). Unspecified, loopback, IPv4-mapped, IPv4-compatible,
# NAT64, discard-only, unique local, link-local and multicast addresses are outside it.
_GLOBAL_V6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_V6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # 6bone, returned
        "3fff::/20",  # documentation
    )
)


def is_public(address: IpAddress) -> bool:
    """Whether the address is global unicast that stands for nothing else."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    return (
        address.scope_id is None and address in _GLOBAL_V6 and not any(address in network for network in _NOT_PUBLIC_V6)
    )


def public_except(refused: Sequence[IpNetwork]) -> AddressPolicy:
    """`is_public` without the given networks, for clusters whose own addresses are public ones."""

    def policy(address: IpAddress) -> bool:
        return is_public(address) and not any(address in network for network in refused)

    return policy


def parse_networks(text: str) -> tuple[IpNetwork, ...]:
    """The networks of a comma-separated list such as `192.0.2.0/24, 2001:db8::/32`. Raises `ValueError`."""
    return tuple(ip_network(entry.strip()) for entry in text.split(",") if entry.strip())
