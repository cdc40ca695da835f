"""The way to a host: the database of this machine, or another host over HTTP. Commands cannot tell which."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from shlex import quote
from typing import Final, Protocol

from django.utils import timezone

from interrupts import conf
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import Forbidden, ValidationFailed
from interrupts.ids import tenant_of
from interrupts.models import Tenant
from interrupts.services import identity
from interrupts.surfaces.cli.remote import is_readable_on_the_way, remote_gateway
from interrupts.surfaces.cli.tenants import tenant_argument, the_tenant
from interrupts.surfaces.cli.words import on_one_line, plain
from interrupts.surfaces.methods.table import call

_HOW_TO_STAY_HERE: Final = " For the database of this machine, unset it: env -u WOP_URL wop …"


class Gateway(Protocol):
    """Calls methods of the table in ``surfaces.methods``."""

    @property
    def identity(self) -> str:
        """What stands for the caller where two callers must not be mixed up."""

    @property
    def origin(self) -> str:
        """The address of the host; empty for this one."""

    def require_person(self) -> None:
        """Raise Forbidden when it is known here that nobody is named who could answer."""

    def call(
        self, method: str, params: JsonObject, *, idempotency_key: str | None = None, wait_seconds: int = 0
    ) -> JsonObject:
        """Return a method's result, or raise a WopError. ``wait_seconds`` is how long the method itself may wait."""


@dataclass(frozen=True, slots=True)
class LocalGateway:
    """Calls methods here, on the database of the settings."""

    actor: Actor

    @property
    def origin(self) -> str:
        return ""

    def require_person(self) -> None:
        if self.actor.user_id is None:
            raise Forbidden("Say with --as NAME who answers: the operator of this host is nobody's approver.")

    @property
    def identity(self) -> str:
        return f"{self.actor.lane} {self.actor.subject_id}"

    def call(
        self, method: str, params: JsonObject, *, idempotency_key: str | None = None, wait_seconds: int = 0
    ) -> JsonObject:
        return call(method, params, actor=self.actor, now=timezone.now(), idempotency_key=idempotency_key)


def host_arguments(parser: ArgumentParser) -> None:
    """Add what says which host a command works with, and as whom."""
    remote = parser.add_argument_group("another host", "Without these, the database of this machine is used.")
    remote.add_argument("--url", metavar="URL", help="the host's address, such as https://wop.example.org [WOP_URL]")
    remote.add_argument(
        "--key", metavar="KEY", help="your API key for it [WOP_KEY; better there, as others can see your commands]"
    )
    local = parser.add_argument_group("the database of this machine")
    tenant_argument(local)
    local.add_argument("--as", dest="person", metavar="NAME", help="the person who acts; without it, the operator")


def gateway_of(arguments: Namespace, *, needs_tenant: bool = True) -> Gateway:
    """Return the gateway that the arguments and the environment name. Raises ValidationFailed or NotFound.

    What touches nothing of a tenant works here without one, and without a database too.
    """
    known = conf.remote_host()
    url = arguments.url or known.url
    if not url and arguments.key:
        raise ValidationFailed("A key is for another host: say with --url (or WOP_URL) which one.")
    if not url:
        return LocalGateway(_actor(arguments, needs_tenant=needs_tenant))
    if arguments.tenant or arguments.person:
        named, instead = ("--url", "") if arguments.url else ("WOP_URL", _HOW_TO_STAY_HERE)
        raise ValidationFailed(
            f"With {named} the key says who you are and in which tenant: leave out --tenant and --as.{instead}"
        )
    return remote_gateway(url, arguments.key or known.key)


def options_to_look(arguments: Namespace) -> str:
    """Return the options with which a proposed command reaches the same host as the same person, each after a space."""
    given = {"--url": arguments.url, "--as": arguments.person}
    return "".join(f" {option} {quote(plain(value))}" for option, value in given.items() if value)


def options_to_answer(arguments: Namespace) -> str:
    """Return these options for a command that answers, which on this machine needs a person."""
    return options_to_look(arguments) or ("" if conf.remote_host().url else " --as NAME")


def warnings_of(arguments: Namespace) -> tuple[str, ...]:
    """Return what somebody should know about the way to their host."""
    url = arguments.url or conf.remote_host().url
    if url and is_readable_on_the_way(url):
        return ("Your key travels without encryption. Use https, unless the network is your own.",)
    return ()


def _actor(arguments: Namespace, *, needs_tenant: bool) -> Actor:
    if not (needs_tenant or arguments.tenant or arguments.person):
        return identity.command_line_actor(Tenant(pk=""))
    tenant = _tenant(arguments)
    if arguments.person is None:
        return identity.command_line_actor(tenant)
    return identity.session_actor(identity.get_membership(tenant=tenant, username=arguments.person))


def _tenant(arguments: Namespace) -> Tenant:
    """Return the tenant that is named, else the one of the run's id, else the only one there is."""
    run_id: str | None = getattr(arguments, "id", None)
    if run_id is not None and "/" not in run_id:
        raise ValidationFailed(
            f"“{on_one_line(run_id)}” is not the whole id of a run. It begins with its tenant, like"
            " acme/r-0123456789abcdef0123456789abcdef."
        )
    return the_tenant(arguments.tenant or (tenant_of(run_id) if run_id else None))
