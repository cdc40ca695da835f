"""``wop tenant``, ``wop user``, ``wop group``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from interrupts.errors import ValidationFailed
from interrupts.services import identity
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.reading import read_password
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument


def _tenant_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="its id for good: letters, digits, '.', '_' and '-'")
    parser.add_argument("--title", default="", help="what people see instead of the name")


def _create_tenant(arguments: Namespace, now: datetime) -> Outcome:
    tenant = identity.create_tenant(name=arguments.name, title=arguments.title, now=now)
    return Outcome(values=(tenant.pk,))


def _user_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name to sign in with")
    tenant_argument(parser)
    parser.add_argument(
        "--group",
        nargs="+",
        action="extend",
        default=[],
        help="groups to put the person into; each must exist (wop group create NAME)",
    )
    parser.add_argument(
        "--password-stdin",
        action="store_true",
        help="read the password from standard input; without it a new person can use keys but not sign in",
    )


def _create_user(arguments: Namespace, now: datetime) -> Outcome:
    tenant = chosen_tenant(arguments)
    password = _password_of(arguments.name) if arguments.password_stdin else None
    membership = identity.add_member(
        tenant=tenant, username=arguments.name, groups=arguments.group, password=password, now=now
    )
    notes = () if membership.user.has_usable_password() else (_cannot_sign_in(arguments.name),)
    return Outcome(values=(membership.subject_id,), notes=notes)


def _password_of(username: str) -> str:
    """Return the password on standard input, or raise ValidationFailed for one that is easy to guess."""
    password = read_password()
    try:
        validate_password(password, User(username=username))
    except ValidationError as error:
        raise ValidationFailed(" ".join(error.messages)) from error
    return password


def _cannot_sign_in(username: str) -> str:
    return (
        f"{username} has no password, so can use keys but not sign in. To set one: manage.py changepassword {username}"
    )


def _group_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name that workflows give in approverGroupRefs")


def _create_group(arguments: Namespace, _now: datetime) -> Outcome:
    return Outcome(values=(identity.create_group(name=arguments.name).name,))


COMMANDS: Final = (
    Command(
        words="tenant create",
        summary="Create a tenant and print its id",
        example="wop tenant create acme --title 'Acme Ltd'",
        arguments=_tenant_arguments,
        run=_create_tenant,
    ),
    Command(
        words="user create",
        summary="Create a person, or bring a known one into a tenant, and print the subject id",
        example="echo 'a long password' | wop user create alice --tenant acme --group finance --password-stdin",
        arguments=_user_arguments,
        run=_create_user,
    ),
    Command(
        words="group create",
        summary="Create a group of people and print its name",
        example="wop group create finance",
        arguments=_group_arguments,
        run=_create_group,
    ),
)
