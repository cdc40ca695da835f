"""``wop callback-secret``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timedelta
from typing import Final

from interrupts.events import isoformat
from interrupts.services import callbacks
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.reading import hours
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument


def _rotate_arguments(parser: ArgumentParser) -> None:
    tenant_argument(parser)
    parser.add_argument(
        "--overlap-hours",
        type=hours,
        default=24,
        metavar="N",
        help="for how long the secret in use signs on; a first one is used at once (default: 24)",
    )


def _rotate(arguments: Namespace, now: datetime) -> Outcome:
    tenant = chosen_tenant(arguments)
    made = callbacks.rotate_secret(tenant=tenant, overlap=timedelta(hours=arguments.overlap_hours), now=now)
    return Outcome(
        values=(made.secret,),
        notes=(f"It signs from {isoformat(made.active_from)} on. Keep it safe: it is shown this once.",),
    )


COMMANDS: Final = (
    Command(
        words="callback-secret rotate",
        summary="Make a new secret that signs a tenant's callbacks, and print it, once",
        example="wop callback-secret rotate --tenant acme --overlap-hours 24",
        arguments=_rotate_arguments,
        run=_rotate,
    ),
)
