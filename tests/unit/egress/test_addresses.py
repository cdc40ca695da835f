"""Which addresses are public (wire contract §19): each special-purpose network at its edges, and what is embedded."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from interrupts.services.egress.networks import is_public, read_address

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
]
NOT_PUBLIC = [
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.0",
    "255.255.255.255",
    "::",
    "::1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff:ffff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "::2",
]
CARRIERS = ["::ffff:{}", "::ffff:0:{}", "64:ff9b::{}", "::{}"]
IN_V6 = [text for text in PUBLIC + NOT_PUBLIC if ":" not in text]


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_that_anyone_can_reach_is_public(text: str) -> None:
    assert is_public(ip_address(text)) is True


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_an_address_with_a_special_purpose_is_not_public(text: str) -> None:
    assert is_public(ip_address(text)) is False


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("text", IN_V6)
def test_an_ipv4_address_inside_an_ipv6_one_is_judged_by_itself(carrier: str, text: str) -> None:
    assert is_public(ip_address(carrier.format(text))) is is_public(ip_address(text))


@pytest.mark.parametrize("text", IN_V6)
def test_an_ipv4_address_behind_6to4_is_judged_by_itself(text: str) -> None:
    high, low = divmod(int(ip_address(text)), 1 << 16)
    assert is_public(ip_address(f"2002:{high:x}:{low:x}::1")) is is_public(ip_address(text))


@pytest.mark.parametrize("text", ["fe80::1%eth0", "2606:4700::1111%1", "127.1", "0x7f.0.0.1", "", "localhost"])
def test_what_a_resolver_should_never_say_is_not_an_address(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_address(text)
