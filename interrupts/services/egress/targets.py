"""Reading the URL of a receiver, so strictly that no other reader could understand it differently."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from interrupts.services.egress.faults import EgressRefused
from interrupts.services.egress.networks import Address

DEFAULT_PORT: Final = 443
MAX_LENGTH: Final = 2048

# Printable ASCII without what some readers take for a slash or a delimiter.
_CHARACTERS: Final = re.compile(r"[!-~]+")
_FORBIDDEN: Final = re.compile(r'[\\"<>^`{|}]')
_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(#.*)?", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(:(?P<port>[0-9]{1,5}))?")
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that mean something local, whatever a resolver says.
_LOCAL_SUFFIXES: Final = frozenset({"localhost", "local", "internal", "localdomain", "home.arpa"})


@dataclass(frozen=True, slots=True)
class Target:
    """A receiver: ``host`` is a lower-case name or a canonical address, ``path`` starts with a slash."""

    host: str
    port: int
    path: str
    address: Address | None = None

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return host if self.port == DEFAULT_PORT else f"{host}:{self.port}"

    @property
    def is_local_name(self) -> bool:
        """Whether the name means this machine or this site: ``localhost``, ``metadata``, ``x.internal``."""
        if self.address is not None:
            return False
        labels = self.host.split(".")
        suffixes = {".".join(labels[place:]) for place in range(len(labels))}
        return len(labels) == 1 or bool(suffixes & _LOCAL_SUFFIXES)


def read_target(url: str) -> Target:
    """Return what a URL points at. Raises EgressRefused, with a reason for the one who wrote it."""
    if len(url) > MAX_LENGTH or not _CHARACTERS.fullmatch(url) or _FORBIDDEN.search(url):
        raise EgressRefused(f"A URL here is at most {MAX_LENGTH} plain characters, with everything else escaped.")
    parts = _URL.fullmatch(url)
    if parts is None or parts["scheme"].lower() != "https":
        raise EgressRefused("The URL must start with https://.")
    if "@" in parts["authority"]:
        raise EgressRefused("The URL must not carry a user name or password.")
    authority = _AUTHORITY.fullmatch(parts["authority"])
    if authority is None:
        raise EgressRefused("The URL has no host that can be called.")
    host, address = _read_host(authority["host"].lower())
    return Target(host=host, port=_read_port(authority["port"]), path=_path(parts["rest"]), address=address)


def _read_port(text: str | None) -> int:
    port = DEFAULT_PORT if text is None else int(text)
    if not 1 <= port <= 65535:
        raise EgressRefused("The URL has no port that can be called.")
    return port


def _path(rest: str) -> str:
    return rest if rest.startswith("/") else f"/{rest}"


def _read_host(host: str) -> tuple[str, Address | None]:
    if host.startswith("["):
        address: Address = _read_v6(host[1:-1])
        return str(address), address
    # One dot at the end makes a name absolute; it is the same host without it.
    name = host.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        address = _read_v4(name)
        return str(address), address
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise EgressRefused("The URL has no host that can be called. Write an international name as xn--….")
    return name, None


def _read_v6(text: str) -> IPv6Address:
    if "%" in text:
        raise EgressRefused("An address with a zone is of a local link.")
    try:
        return IPv6Address(text)
    except ValueError:
        raise EgressRefused("The URL has no host that can be called.") from None


def _read_v4(text: str) -> IPv4Address:
    """Read what a resolver would take for an address: decimal, octal, hexadecimal, and fewer than four parts."""
    try:
        return IPv4Address(socket.inet_aton(text))
    except OSError:
        raise EgressRefused("The URL has no host that can be called.") from None
