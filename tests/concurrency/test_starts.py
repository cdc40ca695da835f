"""Starts and registrations at once: one active run a scope, one row a version, no two writers stuck on each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from approvals.models import ApproverRef
from interrupts.contracts.types import JsonObject
from interrupts.models import Run, Workflow
from interrupts.services.runs import CreateRun, create_run
from interrupts.services.workflows import Registered, register_workflow
from tests.concurrency.racing import Call, at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import NOW, actor, after, answer, gate_node, one_gate, register, start, status, tenant, workflow

pytestmark = pytest.mark.django_db(transaction=True)


def registering(document: JsonObject) -> Call[Registered]:
    tenant()
    return lambda: register_workflow(tenant_id="acme", document=document, now=NOW)


def test_of_eight_starts_that_want_to_be_the_only_one_in_their_scope_one_runs() -> None:
    register(one_gate())
    request = CreateRun(actor=actor("owner"), workflow_id="flow", scope_id="case-17", enforce_dedup=True)
    outcomes = at_once(*(lambda: create_run(request=request, now=NOW) for _ in range(8)))
    assert Counter(codes(outcomes)) == {"ok": 1, "run_already_active": 7}
    run = Run.objects.get()
    assert_sound(run.pk)
    answer(actor("ann"), run.pk, "accept", now=after(seconds=1))
    assert create_run(request=request, now=after(seconds=2)).result["runId"] != run.pk


def test_scopes_do_not_stand_in_each_others_way() -> None:
    register(one_gate())
    request = CreateRun(actor=actor("owner"), workflow_id="flow", enforce_dedup=True)
    scopes = [replace(request, scope_id=f"case-{n}") for n in range(8)]
    assert codes(at_once(*(_creating(scope) for scope in scopes))) == ["ok"] * 8


def _creating(request: CreateRun) -> Call[object]:
    return lambda: create_run(request=request, now=NOW)


def test_eight_registrations_of_one_version_store_it_once() -> None:
    outcomes = at_once(*(registering(one_gate()) for _ in range(8)))
    assert codes(outcomes) == ["ok"] * 8
    assert Counter(outcome.is_new for outcome in outcomes if isinstance(outcome, Registered)) == {True: 1, False: 7}
    assert Workflow.objects.count() == 1


def test_of_two_registrations_of_one_version_with_different_content_one_is_refused() -> None:
    outcomes = at_once(*(registering(one_gate(title=title)) for title in ("Pay it?", "Ship it?")))
    assert sorted(codes(outcomes)) == ["ok", "version_conflict"]
    assert Workflow.objects.count() == 1


def test_workflows_that_name_the_same_new_approvers_in_opposite_order_do_not_lock_each_other_out() -> None:
    names = [f"person{n}" for n in range(40)]
    forth = workflow([gate_node("one", approversList=names[:20]), gate_node("two", approversList=names[20:])])
    back = workflow(
        [gate_node("one", approversList=names[:19:-1]), gate_node("two", approversList=names[19::-1])],
        workflow_id="back",
    )
    assert codes(at_once(*(registering(document) for document in (forth, back) * 4))) == ["ok"] * 8
    assert ApproverRef.objects.count() == 40


def test_runs_that_start_at_once_each_have_a_log_of_their_own() -> None:
    owner = actor("owner")
    register(one_gate(approversList=["owner", "ann"]))
    outcomes = at_once(*(lambda: start(owner) for _ in range(24)))
    run_ids = {outcome for outcome in outcomes if isinstance(outcome, str)}
    assert len(run_ids) == 24
    for run_id in run_ids:
        assert status(run_id) == "waiting-approval"
        assert_sound(run_id)
