"""The people, keys and rows that a bench needs. Importing this sets Django up from the environment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import django
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

django.setup()

from approvals.models import ApproverRef  # noqa: E402 - models exist only after django.setup()
from interrupts.contracts.types import JsonObject  # noqa: E402
from interrupts.ids import mint_delivery_id, mint_event_id  # noqa: E402
from interrupts.models import Delivery, Membership, Run, RunEvent, Suspension, Webhook, Workflow  # noqa: E402
from interrupts.services import identity, workflows  # noqa: E402
from interrupts.services.runs import CreateRun, create_run  # noqa: E402
from interrupts.vocabulary import Scope  # noqa: E402

PERSON = "ada"
BARE_TIMERS = 20_000
SEED = Path(__file__).with_name("seed.sql")
CLONES = Path(__file__).with_name("clone_timers.sql")


@dataclass(frozen=True, slots=True)
class World:
    """A key to call with, a browser session of its owner, and the row ids that the bare SQL points at."""

    key: str
    session: str
    workflow_id: int
    ref_id: int


def build_world() -> World:
    call_command("migrate", verbosity=0)
    now = timezone.now()
    for name in ("bench", "inbox", "timers", "deliveries"):
        identity.add_member(
            tenant=identity.create_tenant(name=name, now=now), username=PERSON, groups=(), password=None, now=now
        )
        workflows.register_workflow(tenant_id=name, document=_one_gate(), now=now)
    key = identity.create_key(tenant=identity.get_tenant("bench"), username=PERSON, scopes=list(Scope), now=now)
    return World(
        key=key.secret,
        session=_session(),
        workflow_id=Workflow.objects.get(tenant_id="bench").pk,
        ref_id=ApproverRef.objects.get(tenant_id="bench").pk,
    )


def seed_inbox(world: World, size: int) -> None:
    """Fill the inbox tenant up to ``size`` open gates, every second one addressed to the reader."""
    mine = ApproverRef.objects.get(tenant_id="inbox", ref=PERSON)
    others, _ = ApproverRef.objects.get_or_create(tenant_id="inbox", kind="principal", ref="somebody-else")
    member = Membership.objects.get(tenant_id="inbox", user__username=PERSON)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM interrupts_suspension WHERE tenant_id = 'inbox'")
        first = cursor.fetchone()[0] + 1
        cursor.execute(
            SEED.read_text(),
            {
                "workflow": Workflow.objects.get(tenant_id="inbox").pk,
                "owner": json.dumps({"tenant": "inbox", "subject": identity.session_actor(member).subject}),
                "payload": json.dumps({"kind": "approval", "key": "k", "data": _gate_data()}),
                "first": first,
                "last": size,
                "mine": mine.pk,
                "others": others.pk,
            },
        )
        cursor.execute("ANALYZE")


def build_timers(batch: str, count: int, *, due: datetime, apart_ms: float) -> None:
    """Copy a run that waits for an approval ``count`` times, each with a deadline ``apart_ms`` after the last."""
    template = _waiting_run("timers")
    interrupt = Suspension.objects.get(run_id=template)
    with connection.cursor() as cursor:
        cursor.execute(
            CLONES.read_text(),
            {
                "run": template,
                "interrupt": interrupt.pk,
                "batch": batch.ljust(4, "0"),
                "count": count,
                "due": due,
                "apart": apart_ms,
            },
        )
        cursor.execute("ANALYZE")


def build_bare_timers() -> None:
    """Make timers that no worker of ours fires meanwhile, more than a bare transaction each gets through."""
    build_timers("c", BARE_TIMERS, due=timezone.now() + timedelta(days=30), apart_ms=1)


def build_deliveries(url: str, *, webhooks: int, events: int) -> int:
    """Owe ``webhooks`` receivers each the same ``events``, and return how many deliveries that makes."""
    run_id = _waiting_run("deliveries")
    now = timezone.now()
    hooks = [
        Webhook(
            id=f"deliveries/w-{number:032d}",
            tenant_id="deliveries",
            url=url,
            events=["interrupt.requested"],
            secret="a secret of the bench alone",
            is_secret_generated=False,
            is_standard=True,
            created_by=PERSON,
            created_at=now,
        )
        for number in range(webhooks)
    ]
    Webhook.objects.bulk_create(hooks)
    last = Run.objects.get(pk=run_id).last_sequence
    template = RunEvent.objects.get(run_id=run_id, type="interrupt.requested")
    rows = [
        RunEvent(
            run_id=run_id,
            sequence=last + number,
            event_id=mint_event_id(),
            type=template.type,
            node_id=template.node_id,
            payload=template.payload,
            at=now,
        )
        for number in range(1, events + 1)
    ]
    owed = [
        Delivery(
            id=mint_delivery_id("deliveries"),
            run_id=run_id,
            event=event,
            webhook=hook,
            receiver=hook.pk,
            due_at=now,
            created_at=now,
        )
        for event in RunEvent.objects.bulk_create(rows)
        for hook in hooks
    ]
    return len(Delivery.objects.bulk_create(owed))


def _waiting_run(tenant: str) -> str:
    member = Membership.objects.get(tenant_id=tenant, user__username=PERSON)
    request = CreateRun(actor=identity.session_actor(member), workflow_id="bench")
    return str(create_run(request=request, now=timezone.now()).result["runId"])


def _session() -> str:
    """Sign the reader in, with the inbox tenant as their current one."""
    user = identity.get_user(PERSON)
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store["tenant"] = "inbox"
    store.create()
    return str(store.session_key)


def _gate_data() -> JsonObject:
    return {
        "title": "Bench gate",
        "artifactId": "gate",
        "artifactType": "decision",
        "actions": ["accept", "reject"],
        "approversList": [PERSON],
    }


def _one_gate() -> JsonObject:
    config = {name: value for name, value in _gate_data().items() if not name.startswith("artifact")}
    node: JsonObject = {"id": "gate", "typeId": "core.approvalGate", "name": "Gate", "position": {"x": 0, "y": 0}}
    return {
        "id": "bench",
        "name": "Bench",
        "version": "1",
        "nodes": [{**node, "config": config, "inputs": {}}],
        "edges": [],
        "triggers": [{"id": "manual", "type": "manual"}],
        "variables": [],
        "metadata": {},
        "settings": {},
    }
