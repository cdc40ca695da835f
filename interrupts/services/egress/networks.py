"""Which addresses belong to the public internet (wire contract §19).

The lists are spelled out, from IANA's registries of special-purpose addresses: what ``ipaddress`` calls private or
global has changed between versions of Python, and for embedded IPv4 addresses it still differs.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_NOT_PUBLIC_V4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers; cloud metadata at 100.100.100.200
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's own services: public by its number, local by its meaning
            "169.254.0.0/16",  # link-local; cloud metadata at 169.254.169.254
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; cloud metadata at 192.0.0.192
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4, given up
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
# Of IPv6 only the space from which public addresses are given out is public; these parts of it are not.
_PUBLIC_V6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_V6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, with Teredo
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)
# Where an IPv6 address carries an IPv4 address, and how many bits lie behind it: judged by what it carries.
_CARRIERS: Final = (
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("2002::/16"), 80),  # 6to4
)
_COMPATIBLE: Final = IPv6Network("::/96")
_UNSPECIFIED_AND_LOOPBACK: Final = IPv6Network("::/127")


def is_public(address: Address) -> bool:
    """Tell whether anyone on the internet may be meant by this address."""
    carried = carried_v4(address)
    if carried is not None:
        return not any(carried in network for network in _NOT_PUBLIC_V4)
    return address in _PUBLIC_V6 and not any(address in network for network in _NOT_PUBLIC_V6)


def carried_v4(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that this is, or carries; None for plain IPv6."""
    if isinstance(address, IPv4Address):
        return address
    if address in _COMPATIBLE:
        return None if address in _UNSPECIFIED_AND_LOOPBACK else _low_bits(address, 0)
    return next((_low_bits(address, behind) for network, behind in _CARRIERS if address in network), None)


def read_address(text: str) -> Address:
    """Return the address a resolver gave. Raises ValueError; a zone is refused, because it names a local link."""
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise ValueError("An address with a zone is of a local link.")
    return address


def _low_bits(address: IPv6Address, behind: int) -> IPv4Address:
    return IPv4Address((int(address) >> behind) & 0xFFFF_FFFF)
