"""The guard: what may be called, decided when a URL is registered and again at every call (wire contract §19)."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from interrupts import conf
from interrupts.services.egress.faults import EgressFailed, EgressRefused
from interrupts.services.egress.networks import Address, is_public, read_address
from interrupts.services.egress.resolving import Resolve, addresses_of, system_addresses
from interrupts.services.egress.rules import Allowance
from interrupts.services.egress.sending import Call, Limits, Reply, send
from interrupts.services.egress.targets import DEFAULT_PORT, Target, read_target

_USER_AGENT = "wopsite"


@dataclass(frozen=True, slots=True)
class Door:
    """Everything that leaves this host leaves here. Nothing of a request that came in goes along.

    ``ca_file`` names certificate authorities to trust beside the system's own.
    """

    allowance: Allowance = field(default_factory=Allowance)
    ca_file: str = ""
    limits: Limits = field(default_factory=Limits)
    resolve: Resolve = system_addresses

    def check(self, url: str) -> None:
        """Judge a URL that somebody registers. Raises EgressRefused.

        A name without an address yet is let through (§25 row 53): it is judged again at each call.
        """
        target = read_target(url)
        try:
            self._addresses(target, seconds=self.limits.resolve)
        except EgressFailed:
            return

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Reply:
        """POST these bytes and return what came back, at the latest after ``limits.total`` seconds.

        The name is resolved once, every address is judged, and the connection goes to one of those: there is no
        second look-up for anyone to answer differently. Raises EgressRefused and EgressFailed.
        """
        deadline = time.monotonic() + self.limits.total
        target = read_target(url)
        addresses = self._addresses(target, seconds=min(self.limits.resolve, self.limits.total))
        call = Call(target, {"User-Agent": _USER_AGENT, **headers}, body)
        return send(call, to=addresses, tls=_trust(self.ca_file), limits=self.limits, deadline=deadline)

    def _addresses(self, target: Target, *, seconds: float) -> list[str]:
        """Return the addresses to connect to: all that the target has, each of which may be called."""
        if target.is_local_name and not self.allowance.admits_name(target.host, target.port):
            raise EgressRefused("This host name is of a local network.")
        if target.address is not None:
            addresses = [target.address]
        else:
            self._check_port(target)
            found = addresses_of(target.host, target.port, resolve=self.resolve, seconds=seconds)
            addresses = [_read(text) for text in found]
        for address in addresses:
            self._judge(address, target)
        return [str(address) for address in addresses]

    def _check_port(self, target: Target) -> None:
        """Refuse a port that nothing allows, before the name is looked up."""
        ports = {DEFAULT_PORT} | {port for _, port in self.allowance.rules}
        if target.port not in ports:
            raise EgressRefused(f"Only port {DEFAULT_PORT} may be called.")

    def _judge(self, address: Address, target: Target) -> None:
        if self.allowance.admits_address(address, target.port):
            return
        if not is_public(address):
            raise EgressRefused("This host is not on the public internet.")
        if target.port != DEFAULT_PORT and not self.allowance.admits_name(target.host, target.port):
            raise EgressRefused(f"Only port {DEFAULT_PORT} may be called.")


def _read(text: str) -> Address:
    try:
        return read_address(text)
    except ValueError:
        raise EgressRefused("This host is not on the public internet.") from None


@cache
def _trust(ca_file: str) -> ssl.SSLContext:
    """Return how certificates are verified: for the host's name, by the system's authorities and those of the file."""
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def from_settings() -> Door:
    """Return the door as this installation has set it up."""
    egress = conf.egress()
    return Door(allowance=Allowance.of(egress.allow), ca_file=egress.ca_file)
