"""Builders of what tests need: definitions as plain documents, and people, gates and runs through the real services.

Time is always an argument. ``NOW`` is when everything starts unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, cast

from django.contrib.auth.models import Group
from guardian.shortcuts import assign_perm

from approvals.models import ApproverRef
from interrupts import events
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.models import Membership, Run, RunEvent, Suspension, Tenant, Webhook, Workflow
from interrupts.services import identity
from interrupts.services.callbacks import rotate_secret
from interrupts.services.egress import from_settings
from interrupts.services.expire import fire_due_timers
from interrupts.services.idempotency import Done, Key
from interrupts.services.relay import relay_outbox
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.services.runs import CreateRun, create_run
from interrupts.services.webhooks import RegisterWebhook, register_webhook
from interrupts.services.workflows import register_workflow
from interrupts.vocabulary import RefKind, Scope

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ALL_SCOPES = tuple(Scope)


def after(**delta: float) -> datetime:
    """A time after ``NOW``: ``after(minutes=5)``."""
    return NOW + timedelta(**delta)


# --- Definitions ------------------------------------------------------------------------------------------------------


def node(
    node_id: str,
    type_id: str = "core.noop",
    *,
    config: JsonObject | None = None,
    inputs: JsonObject | None = None,
    disabled: bool = False,
) -> JsonObject:
    built: JsonObject = {
        "id": node_id,
        "typeId": type_id,
        "name": node_id.capitalize(),
        "position": {"x": 0, "y": 0},
        "config": config or {},
        "inputs": inputs or {},
    }
    if disabled:
        built["disabled"] = True
    return built


def edge(
    source: str, target: str, rule: str | None = None, *, condition: JsonObject | None = None, **members: JsonValue
) -> JsonObject:
    """An edge named ``source-target`` unless ``id`` says otherwise."""
    built: JsonObject = {"id": f"{source}-{target}", "sourceNodeId": source, "targetNodeId": target}
    if rule is not None:
        built["triggerRule"] = rule
    if condition is not None:
        built["condition"] = condition
    return {**built, **members}


def workflow(
    nodes: Iterable[JsonObject], edges: Iterable[JsonObject] = (), *, workflow_id: str = "flow", **members: Any
) -> JsonObject:
    return {
        "id": workflow_id,
        "name": workflow_id.capitalize(),
        "version": "1",
        "nodes": list(nodes),
        "edges": list(edges),
        "triggers": [],
        "variables": [],
        "metadata": {},
        "settings": {},
        **members,
    }


def chain(*nodes: JsonObject, **members: Any) -> JsonObject:
    """A workflow whose nodes run one after the other."""
    edges = [edge(str(first["id"]), str(then["id"])) for first, then in pairwise(nodes)]
    return workflow(nodes, edges, **members)


def gate_node(node_id: str = "gate", /, **config: Any) -> JsonObject:
    """An approval gate; everybody may answer, with any action, unless ``config`` says otherwise."""
    every_action: list[JsonValue] = ["accept", "reject", "refine", "edit-accept", "ask"]
    return node(node_id, "core.approvalGate", config={"title": "Release it?", "actions": every_action, **config})


def one_gate(workflow_id: str = "flow", /, **config: Any) -> JsonObject:
    """A workflow of one approval gate called ``gate``."""
    return workflow([gate_node(**config)], workflow_id=workflow_id)


def one_interrupt(
    kind: str, data: JsonObject, workflow_id: str = "flow", *, inputs: JsonObject | None = None, **config: Any
) -> JsonObject:
    """A workflow of one ``core.interrupt`` called ``ask``; ``inputs`` are its ports."""
    config = {"kind": kind, "data": data, **config}
    return workflow([node("ask", "core.interrupt", config=config, inputs=inputs)], workflow_id=workflow_id)


def contract_node(node_id: str = "review", /, kind: str = "issue_review", **config: Any) -> JsonObject:
    """A node that asks by a contract of its own."""
    return node(node_id, "vendor.wopsite.interrupt", config={"kind": kind, **config})


def sub_workflow(
    node_id: str = "call", /, child: str = "child", *, inputs: JsonObject | None = None, **config: Any
) -> JsonObject:
    """A node that runs the workflow ``child`` and waits for it, unless ``config`` says otherwise."""
    return node(node_id, "core.subWorkflow", config={"workflowId": child, **config}, inputs=inputs)


# --- People -----------------------------------------------------------------------------------------------------------


def tenant(name: str = "acme") -> Tenant:
    """The tenant of that name, made on first use."""
    return Tenant.objects.filter(pk=name).first() or identity.create_tenant(name=name, now=NOW)


def member(
    username: str, *, of: str | Tenant = "acme", groups: Sequence[str] = (), password: str | None = None
) -> Membership:
    """A person in a tenant; groups are made on first use."""
    for name in groups:
        Group.objects.get_or_create(name=name)
    where = of if isinstance(of, Tenant) else tenant(of)
    return identity.add_member(tenant=where, username=username, groups=groups, password=password, now=NOW)


def actor(username: str, *, of: str = "acme", groups: Sequence[str] = (), scopes: Iterable[str] | None = None) -> Actor:
    """Somebody in the tenant, signed in; made on first use. ``scopes`` are those of a session unless given."""
    membership = Membership.objects.filter(tenant_id=of, user__username=username).select_related("user").first()
    found = identity.session_actor(membership or member(username, of=of, groups=groups))
    if scopes is None:
        return found
    return replace(found, scopes=frozenset(scopes))


def api_key(username: str, *, of: str = "acme", scopes: Iterable[str] = ALL_SCOPES) -> str:
    """The secret of a new key of that person, made on first use."""
    actor(username, of=of)
    return identity.create_key(tenant=tenant(of), username=username, scopes=scopes, now=NOW).secret


def ref(kind: RefKind, name: str, *, of: str = "acme") -> ApproverRef:
    """The reference of that name, as gates may name it."""
    return ApproverRef.objects.get_or_create(tenant=tenant(of), kind=str(kind), ref=name)[0]


def let_answer_as(holder: Actor | str, kind: RefKind, name: str, *, of: str = "acme") -> None:
    """Give a person, or the group of that name, the right to answer as a reference."""
    _grant("approvals.answer_as", holder, ref(kind, name, of=of))


def let_override(holder: Actor | str, target: Workflow) -> None:
    """Give a person, or the group of that name, the right to release gates of a workflow alone."""
    _grant("interrupts.override_gate", holder, target)


def _grant(permission: str, holder: Actor | str, target: ApproverRef | Workflow) -> None:
    if isinstance(holder, str):
        assign_perm(permission, Group.objects.get_or_create(name=holder)[0], target)
    else:
        assign_perm(permission, Membership.objects.get(subject_id=holder.subject_id).user, target)


# --- Runs -------------------------------------------------------------------------------------------------------------


def register(document: JsonObject, *, of: str = "acme", now: datetime = NOW) -> Workflow:
    return register_workflow(tenant_id=tenant(of).pk, document=document, now=now).workflow


def start(by: Actor, workflow_id: str = "flow", *, now: datetime = NOW, **request: Any) -> str:
    """Start a run and return its id."""
    done = create_run(request=CreateRun(actor=by, workflow_id=workflow_id, **request), now=now)
    return cast("str", done.result["runId"])


def start_flow(document: JsonObject, *, by: Actor | None = None, now: datetime = NOW, **request: Any) -> str:
    """Register a definition, start a run of it and return the run's id."""
    owner = by or actor("owner")
    register(document, of=owner.tenant_id, now=now)
    return start(owner, cast("str", document["id"]), now=now, **request)


def answer(
    by: Actor, run_id: str, action: str | JsonValue, *, at: str = "gate", now: datetime = NOW, key: Key | None = None
) -> Done:
    """Answer the interrupt at a node: with an action alone, or with a whole resume value."""
    value: JsonValue = {"action": action} if isinstance(action, str) else action
    return reply(by, run_id, value, at=at, now=now, key=key)


def reply(
    by: Actor, run_id: str, value: JsonValue, *, at: str = "ask", now: datetime = NOW, key: Key | None = None
) -> Done:
    """Answer the interrupt at a node with exactly this resume value."""
    request = ResolveRequest(actor=by, run_id=run_id, node_id=at, answer=ResumeValue(value), idempotency_key=key)
    return resolve_interrupt(request=request, now=now)


def finish_handed_on_work(*, now: datetime = NOW) -> int:
    """Do all that waits in the outbox and return how many messages that was."""
    total = 0
    while delivered := relay_outbox(now=now):
        total += delivered
    return total


def sweep(*, now: datetime) -> int:
    """Fire every timer due by ``now`` and return how many fired."""
    total = 0
    while fired := fire_due_timers(now=now):
        total += fired
    return total


# --- Receivers outside ------------------------------------------------------------------------------------------------


def webhook(
    url: str = "https://93.184.216.34/hook",
    *,
    of: str = "acme",
    events: Sequence[str] = ("run.started", "run.completed"),
    now: datetime = NOW,
    **wish: Any,
) -> Webhook:
    """A subscription. Nothing is looked up: the host of its URL is an address, and a public one unless told."""
    request = RegisterWebhook(actor=actor("owner", of=of), url=url, events=tuple(events), **wish)
    done = register_webhook(request=request, door=from_settings(), now=now)
    return Webhook.objects.get(pk=done.result["webhookId"])


def callback_secret(*, of: str = "acme", now: datetime = NOW) -> str:
    """A secret that signs the tenant's callbacks from now on."""
    return rotate_secret(tenant=tenant(of), overlap=timedelta(0), now=now).secret


# --- What there is to see ---------------------------------------------------------------------------------------------


def run_of(run_id: str) -> Run:
    return Run.objects.get(pk=run_id)


def status(run_id: str) -> str:
    return run_of(run_id).status


def child_of(run_id: str, *, at: str = "call") -> str:
    """The id of the run that a node dispatched last, whether or not it has started."""
    return cast("str", last(run_id, "node.dispatched", at=at)["childRunId"])


def log_of(run_id: str) -> list[RunEvent]:
    return list(events.read(run_id))


def trail(run_id: str) -> list[str]:
    """The log as ``type node`` lines: ``["run.started", "node.started gate", …]``."""
    return [f"{event.type} {event.node_id}".strip() for event in log_of(run_id)]


def last(run_id: str, event_type: str, *, at: str | None = None) -> JsonObject:
    """The payload of the last event of a type, optionally of one node."""
    found = [e for e in log_of(run_id) if e.type == event_type and at in (None, e.node_id)]
    return cast("JsonObject", found[-1].payload)


def suspension(run_id: str, at: str = "gate") -> Suspension:
    """The interrupt that a node raised last."""
    return Suspension.objects.filter(run_id=run_id, node_id=at).order_by("-opened_at", "-pk")[0]


def idempotency_key(name: str = "key", *, of: str = "acme", endpoint: str = "resolve", digest: str = "d") -> Key:
    return Key(tenant_id=of, endpoint=endpoint, key=name.ljust(22, "-"), digest=digest)
