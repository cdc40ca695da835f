"""Who may answer the gates of our own workflows, set up on an installation that has them; prints an empty JSON object.

`p3` is in the group `finance`, `p4` holds the role `auditor`, and `p7` may override gates. Callbacks of `acme` are
signed.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import django
from django.utils import timezone

django.setup()

from django.contrib.auth.models import Group, User  # noqa: E402 - needs the apps
from guardian.shortcuts import assign_perm  # noqa: E402

from approvals.models import ApproverRef  # noqa: E402
from interrupts.models import Tenant, Workflow  # noqa: E402
from interrupts.services.callbacks import rotate_secret  # noqa: E402
from interrupts.vocabulary import RefKind  # noqa: E402


def main() -> None:
    finance = Group.objects.create(name="finance")
    finance.user_set.add(User.objects.get(username="p3"))
    auditor = ApproverRef.objects.get(tenant_id="acme", kind=RefKind.ROLE, ref="auditor")
    assign_perm("approvals.answer_as", User.objects.get(username="p4"), auditor)
    for workflow in Workflow.objects.filter(tenant_id="acme", workflow_id__in=["overridable", "not-overridable"]):
        assign_perm("interrupts.override_gate", User.objects.get(username="p7"), workflow)
    rotate_secret(tenant=Tenant.objects.get(pk="acme"), overlap=timedelta(0), now=timezone.now())
    sys.stdout.write("{}")


if __name__ == "__main__":
    main()
