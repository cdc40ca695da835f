"""Which tenant of this machine's database is meant."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, Final

from interrupts import conf
from interrupts.errors import ValidationFailed
from interrupts.models import Tenant
from interrupts.services import identity

_SHOWN: Final = 5


def tenant_argument(parser: Any) -> None:
    """Add ``--tenant`` to a parser or a group of arguments."""
    parser.add_argument("--tenant", metavar="TENANT", help="the tenant's name; not needed when there is only one")


def chosen_tenant(arguments: Namespace) -> Tenant:
    """Return the tenant of ``--tenant``, else the only one there is. Raises NotFound or ValidationFailed.

    It is not guessed while ``WOP_URL`` names another host: somebody may mean a tenant there.
    """
    if not arguments.tenant and conf.remote_host().url:
        raise ValidationFailed(
            "This works with the database of this machine only, and WOP_URL names another host. Unset WOP_URL, or name"
            " a tenant of this machine with --tenant."
        )
    return the_tenant(arguments.tenant)


def the_tenant(name: str | None) -> Tenant:
    """Return a tenant by its name, or the only one there is. Raises NotFound or ValidationFailed."""
    if name:
        return identity.get_tenant(name)
    names = list(Tenant.objects.order_by("pk").values_list("pk", flat=True)[: _SHOWN + 1])
    if len(names) == 1:
        return identity.get_tenant(names[0])
    if not names:
        raise ValidationFailed("There is no tenant yet. Make one: wop tenant create NAME")
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    raise ValidationFailed(f"There are several tenants: say which one with --tenant ({shown}).")
