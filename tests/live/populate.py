"""Prepares an installation's database and broker, and prints its keys as JSON: ``python -m tests.live.populate PATH…``.

The paths are workflow definitions, loaded for the tenant `acme`. People of `acme` are `suite`, whose key has every
scope, `reader`, whose key may only read, and `p0` to `p31`; `rival` is the only one of the tenant `rival`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import django
from django.core.management import call_command
from django.utils import timezone

django.setup()

from interrupts.contracts.json_text import parse_json  # noqa: E402 - needs the apps
from interrupts.services import identity  # noqa: E402
from interrupts.services.workflows import register_workflow  # noqa: E402
from interrupts.vocabulary import Scope  # noqa: E402
from wopsite import serve  # noqa: E402

ACME = {"suite": list(Scope), "reader": [Scope.MANIFEST_READ, Scope.RUNS_READ]}
ACME |= {f"p{n}": [Scope.APPROVALS_RESPOND, Scope.RUNS_READ] for n in range(32)}
RIVAL = {"rival": list(Scope)}


def main() -> None:
    call_command("migrate", interactive=False, verbosity=0)
    serve._prepare_broker()
    keys = {**_people("acme", ACME), **_people("rival", RIVAL)}
    for path in sys.argv[1:]:
        for tenant in ("acme", "rival"):
            document = parse_json(Path(path).read_bytes())
            register_workflow(tenant_id=tenant, document=document, now=timezone.now())
    sys.stdout.write(json.dumps(keys))


def _people(name: str, scopes: dict[str, list[Scope]]) -> dict[str, str]:
    now = timezone.now()
    tenant = identity.create_tenant(name=name, now=now)
    keys = {}
    for username, held in scopes.items():
        identity.add_member(tenant=tenant, username=username, groups=(), password=None, now=now)
        keys[username] = identity.create_key(tenant=tenant, username=username, scopes=held, now=now).secret
    return keys


if __name__ == "__main__":
    main()
