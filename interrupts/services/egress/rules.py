"""What the operator lets out beyond the public internet: the setting ``WOP_EGRESS_ALLOW``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_network

from interrupts.services.egress.networks import Address, carried_v4


@dataclass(frozen=True, slots=True)
class Allowance:
    """Host names and networks, each with the port it is allowed on. None of them allows more than it says.

    A name may be called by that name on that port; its addresses are judged all the same. A network may be connected
    to on that port, whatever the name.
    """

    rules: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of(cls, rules: Iterable[tuple[str, int]]) -> Allowance:
        return cls(frozenset(rules))

    def admits_name(self, name: str, port: int) -> bool:
        return (name, port) in self.rules

    def admits_address(self, address: Address, port: int) -> bool:
        forms = {address, carried_v4(address) or address}
        networks = [ip_network(text) for text, at in self.rules if at == port and _is_network(text)]
        return any(form in network for form in forms for network in networks)


def _is_network(text: str) -> bool:
    return "/" in text
