"""A first database to look around in: one tenant, four people, the sample workflows and a few waiting runs."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction

from approvals.grants import HolderName, RefName, grant_answer_as
from interrupts.actor import Actor
from interrupts.contracts.json_text import parse_json
from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed
from interrupts.models import Membership, Tenant
from interrupts.services import identity
from interrupts.services.runs import CreateRun, create_run
from interrupts.services.workflows import register_workflow
from interrupts.vocabulary import RefKind, Scope

TENANT: Final = "demo"
ADMINISTRATOR: Final = "dave"
APPROVER_GROUP: Final = "finance"
ROLE: Final = RefName(RefKind.ROLE, "release-manager")
# name -> groups, and what the person is here to show
PEOPLE: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "alice": ((APPROVER_GROUP,), "approver, in the group finance"),
    "bob": ((APPROVER_GROUP,), "approver, in the group finance"),
    "carol": ((), "approver, holds the role release-manager"),
    ADMINISTRATOR: ((), "administrator at /admin/, and no approver: answers only gates that are open to everybody"),
}
# What waits in the inbox at once: a workflow of interrupts/samples and the inputs of a run of it.
RUNS: Final[tuple[tuple[str, JsonObject], ...]] = (
    (
        "expense-approval",
        {
            "amount": 184.5,
            "reference": "EX-2071",
            "description": "Train to Hamburg and back, **two nights**, for the customer workshop.",
            "receipts": [
                {"date": "2026-03-02", "what": "Train", "amount": 96.5},
                {"date": "2026-03-03", "what": "Hotel", "amount": 88},
            ],
        },
    ),
    (
        "expense-approval",
        {
            "amount": 42,
            "currency": "CHF",
            "reference": "EX-2072",
            "description": "Lunch with the auditors in Basel.",
            "receipts": [{"date": "2026-03-04", "what": "Lunch", "amount": 42}],
        },
    ),
    (
        "release-gate",
        {
            "version": "4.2.0",
            "notes": "## Billing 4.2.0\n\n- Invoices show the tax number.\n- Reminders go out on working days only.",
        },
    ),
    (
        "article-review",
        {
            "title": "Why we moved the archive",
            "article": "The archive outgrew its building in spring. This is how it was moved, shelf by shelf.",
        },
    ),
    (
        "issue-review",
        {
            "report": (
                "# Customer portal: ready for May?\n\nThe portal **works for the pilot customers**. Two things stand"
                " in the way of opening it to all:\n\n1. Signing in takes eleven seconds when many do it at once.\n"
                "2. Invoices before 2024 are missing.\n\n| Part | Ready |\n|---|---|\n| Orders | yes |\n"
                "| Invoices | not yet |\n"
            ),
            "proposed_issues": [
                {
                    "id": "PORTAL-1",
                    "title": "Signing in is slow under load",
                    "body": "Eleven seconds with 200 people at once.",
                    "severity": "high",
                },
                {
                    "id": "PORTAL-2",
                    "title": "Invoices before 2024 are missing",
                    "body": "They were left out when the archive moved.",
                    "severity": "medium",
                },
                {"id": "PORTAL-3", "title": "The footer names last year", "severity": "low"},
            ],
        },
    ),
    ("small-purchase", {"item": "a label printer", "amount": 259}),
)
# No letters and digits that are taken for one another when typed from paper.
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class Account:
    """One person made here, with the password that is known only now."""

    username: str
    password: str
    role: str


@dataclass(frozen=True, slots=True)
class Sample:
    """What was made. Passwords and key are stored as hashes only, so this is the one chance to show them."""

    tenant_id: str
    accounts: tuple[Account, ...]
    workflow_ids: tuple[str, ...]
    run_ids: tuple[str, ...]
    key: str


def load_samples(*, now: datetime) -> Sample:
    """Fill an empty database. Raises ValidationFailed when it has a tenant: samples never mix with real data."""
    with transaction.atomic():
        if Tenant.objects.exists():
            raise ValidationFailed("There are tenants in this database already. Samples go into an empty one only.")
        tenant = identity.create_tenant(name=TENANT, title="Demo", now=now)
        identity.create_group(name=APPROVER_GROUP)
        accounts = tuple(_create_account(tenant, username, now) for username in PEOPLE)
        User.objects.filter(username=ADMINISTRATOR).update(is_staff=True, is_superuser=True)
        grant_answer_as(tenant=tenant, ref=ROLE, holder=HolderName("carol", is_group=False))
        workflow_ids = tuple(_register(tenant, document, now) for document in _documents())
        requester = identity.session_actor(Membership.objects.get(tenant=tenant, user__username=ADMINISTRATOR))
        run_ids = tuple(_start(requester, workflow, inputs, now) for workflow, inputs in RUNS)
        key = identity.create_key(tenant=tenant, username=ADMINISTRATOR, scopes=list(Scope), now=now)
    return Sample(TENANT, accounts, workflow_ids, run_ids, key.secret)


def _create_account(tenant: Tenant, username: str, now: datetime) -> Account:
    groups, role = PEOPLE[username]
    password = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(3))
    identity.add_member(tenant=tenant, username=username, groups=groups, password=password, now=now)
    return Account(username, password, role)


def _documents() -> Iterable[bytes]:
    folder = resources.files("interrupts") / "samples"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")), key=lambda file: file.name)
    return [file.read_bytes() for file in files]


def _register(tenant: Tenant, raw: bytes, now: datetime) -> str:
    return register_workflow(tenant_id=tenant.pk, document=parse_json(raw), now=now).workflow.workflow_id


def _start(actor: Actor, workflow_id: str, inputs: JsonObject, now: datetime) -> str:
    done = create_run(request=CreateRun(actor=actor, workflow_id=workflow_id, inputs=inputs), now=now)
    return str(done.result["runId"])
