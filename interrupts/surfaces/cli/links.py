"""``wop link``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final

from interrupts import conf
from interrupts.ids import tenant_of
from interrupts.services import identity
from interrupts.services.links import mint_link
from interrupts.services.tokens import Intent
from interrupts.surfaces.addresses import link_url
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.tenants import tenant_argument, the_tenant


def _create_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, for example acme/r-…")
    parser.add_argument("node", metavar="NODE", help="the node that waits for an answer")
    tenant_argument(parser)
    parser.add_argument("--approver", default="", metavar="NAME", help="the person it is for, who answers with it")
    parser.add_argument(
        "--intent", choices=list(Intent), default=Intent.RESOLVE, help="inspect: it only shows the question"
    )


def _create(arguments: Namespace, now: datetime) -> Outcome:
    link = mint_link(
        actor=identity.command_line_actor(the_tenant(arguments.tenant or tenant_of(arguments.run))),
        run_id=arguments.run,
        node_id=arguments.node,
        intent=Intent(arguments.intent),
        approver=arguments.approver,
        now=now,
    )
    ends = f"It ends at {link.expires_at:%Y-%m-%dT%H:%M:%SZ}. Whoever has it can use it: give it to nobody else."
    notes: tuple[str, ...] = (ends,)
    if not conf.public_url():
        notes = (ends, "It leads to this machine: WOP_PUBLIC_URL says where people reach the site.")
    return Outcome(values=(link_url(link.token),), notes=notes)


COMMANDS: Final = (
    Command(
        words="link create",
        summary="Make a signed link to an interrupt that waits, and print its URL",
        example="wop link create acme/r-0123456789abcdef0123456789abcdef approval --tenant acme --approver alice",
        arguments=_create_arguments,
        run=_create,
    ),
)
