"""Which addresses may be connected to."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.cimd.addresses import is_public, parse_networks, public_except

REFUSED = {
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "link-local": ["169.254.1.1", "fe80::1", "fe80::1%eth0", "febf::1"],
    "shared between carriers": ["100.64.0.1", "100.127.255.255"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "benchmarking": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "192.0.0.8", "4000::1", "100::1", "5f00::1", "3ffe::1"],
    "IPv4-mapped": ["::ffff:10.0.0.1", "::ffff:8.8.8.8"],
    "IPv4-compatible": ["::8.8.8.8", "::127.0.0.1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1"],
    "6to4": ["2002:7f00:1::", "2002:808:808::1", "192.88.99.1"],
    "Teredo": ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "ORCHID": ["2001:10::1", "2001:20::1"],
    "unique local": ["fc00::1", "fd12:3456::1"],
    "site-local": ["fec0::1"],
    "instance metadata": [
        "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
        "fd20:ce::254",
    ],
    "with a zone": ["2606:4700::1111%eth0"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in REFUSED.items() for text in texts], ids=lambda part: part
)
def test_an_address_that_is_not_global_unicast_is_refused(kind: str, text: str) -> None:
    assert not is_public(ip_address(text)), kind


@pytest.mark.parametrize(
    "text",
    ["1.1.1.1", "8.8.8.8", "160.79.104.10", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860::8888"],
)
def test_a_public_address_is_allowed(text: str) -> None:
    assert is_public(ip_address(text))


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_nothing_is_public_that_the_standard_library_does_not_call_global(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_private


@given(st.ip_addresses(v=4))
def test_no_way_to_write_an_ipv4_address_inside_an_ipv6_address_is_public(address: IPv4Address) -> None:
    bits = int(address)
    spellings = {
        "mapped": (0xFFFF << 32) | bits,
        "compatible": bits,
        "translated": (0xFFFF << 48) | bits,
        "NAT64": (0x64FF9B << 96) | bits,
        "local NAT64": (0x64FF9B0001 << 80) | bits,
        "6to4": (0x2002 << 112) | (bits << 80),
        "Teredo server": (0x20010000 << 96) | (bits << 64),
        "Teredo client": (0x20010000 << 96) | (bits ^ 0xFFFFFFFF),
    }
    assert [name for name, value in spellings.items() if is_public(IPv6Address(value))] == []


def test_networks_of_the_operator_are_refused_too() -> None:
    policy = public_except(parse_networks("8.8.8.0/24, 2606:4700::/32"))
    assert [policy(ip_address(text)) for text in ("8.8.8.8", "2606:4700::1", "8.8.9.8", "127.0.0.1")] == [
        False, False, True, False,
    ]  # fmt: skip
