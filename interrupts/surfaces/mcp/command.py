"""``wop mcp``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.module_loading import import_string

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.services import identity
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument
from interrupts.surfaces.methods.table import perform

_SERVE: Final = "interrupts.surfaces.mcp.stdio.serve"


def _arguments(parser: ArgumentParser) -> None:
    tenant_argument(parser)
    parser.add_argument("--as", dest="person", metavar="NAME", help="the person who acts; without it, the operator")


def _serve(arguments: Namespace, _now: datetime) -> Outcome:
    actor = _actor(arguments)

    def call(method: str, params: JsonValue) -> JsonObject:
        return perform(method, params, actor=actor, now=timezone.now(), transport="mcp").result

    import_string(_SERVE)(call)
    return Outcome()


def _actor(arguments: Namespace) -> Actor:
    tenant = chosen_tenant(arguments)
    if arguments.person is None:
        return identity.command_line_actor(tenant)
    return identity.session_actor(identity.get_membership(tenant=tenant, username=arguments.person))


COMMANDS: Final = (
    Command(
        words="mcp",
        summary="Serve the methods as MCP tools on standard input and output, for an agent on this machine",
        example="wop mcp --tenant acme --as olga",
        arguments=_arguments,
        run=_serve,
    ),
)
