"""``wop key``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime, timedelta
from typing import Final

from interrupts.models import ApiKey
from interrupts.services import identity
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.reading import days
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument
from interrupts.vocabulary import Scope


def _create_arguments(parser: ArgumentParser) -> None:
    tenant_argument(parser)
    parser.add_argument("--user", required=True, metavar="NAME", help="the person the key acts as")
    scopes = ", ".join(Scope)
    parser.add_argument("--scope", nargs="+", action="extend", required=True, help=f"what it may do: {scopes}")
    parser.add_argument(
        "--expires-in-days", type=days, metavar="N", help="for how long it is valid (default: for good)"
    )


def _create(arguments: Namespace, now: datetime) -> Outcome:
    lifetime = arguments.expires_in_days
    new = identity.create_key(
        tenant=chosen_tenant(arguments),
        username=arguments.user,
        scopes=arguments.scope,
        expires_at=None if lifetime is None else now + timedelta(days=lifetime),
        now=now,
    )
    return Outcome(values=(new.secret,), notes=("Keep it safe: it is shown this once.",))


def _revoke_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "prefix", metavar="PREFIX", help="the part between the two underscores of the key; a whole key will do"
    )


def _revoke(arguments: Namespace, now: datetime) -> Outcome:
    return Outcome(values=(identity.revoke_key(prefix=arguments.prefix, now=now).prefix,))


def _list(arguments: Namespace, now: datetime) -> Outcome:
    tenant = chosen_tenant(arguments)
    return Outcome(values=tuple(_line(key, now) for key in identity.keys_of(tenant)))


def _line(key: ApiKey, now: datetime) -> str:
    last_used = f"{key.last_used_at:%Y-%m-%dT%H:%MZ}" if key.last_used_at else "never"
    return "\t".join((key.prefix, key.membership.user.username, key.state(now), last_used, ",".join(key.scopes)))


COMMANDS: Final = (
    Command(
        words="key create",
        summary="Make a key and print it, once",
        example="wop key create --tenant acme --user alice --scope runs:create runs:read --expires-in-days 90",
        arguments=_create_arguments,
        run=_create,
    ),
    Command(
        words="key revoke",
        summary="End a key from the next request on, and print its prefix",
        example="wop key revoke 0a1b2c3d4e5f",
        arguments=_revoke_arguments,
        run=_revoke,
    ),
    Command(
        words="key list",
        summary="Print a line a key: prefix, user, state, last used, scopes, separated by tabs",
        example="wop key list --tenant acme",
        arguments=tenant_argument,
        run=_list,
    ),
)
