"""Starting and ending runs (wire contract §7.1, §7.4), their limits and loops (§6.2)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.errors import (
    AlreadyResolved,
    NotFound,
    RunAlreadyActive,
    RunTerminal,
    ValidationFailed,
    VersionConflict,
)
from interrupts.models import Run, Suspension, Timer, Workflow
from interrupts.services.runs import BulkCancel, CancelRun, bulk_cancel, cancel_run, read_run
from interrupts.services.workflows import read_workflow, register_workflow
from interrupts.vocabulary import SuspensionOutcome
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    edge,
    gate_node,
    last,
    log_of,
    node,
    one_gate,
    register,
    run_of,
    start,
    start_flow,
    status,
    suspension,
    sweep,
    tenant,
    trail,
    workflow,
)

REFINE: JsonObject = {"action": "refine", "refineFeedback": {"scope": "whole"}}


# --- Workflows --------------------------------------------------------------------------------------------------------


def test_registering_the_same_document_again_changes_nothing() -> None:
    first = register_workflow(tenant_id=tenant().pk, document=one_gate(), now=NOW)
    again = register_workflow(tenant_id="acme", document=one_gate(), now=after(days=1))
    assert (first.is_new, again.is_new) == (True, False)
    assert again.workflow.pk == first.workflow.pk
    assert Workflow.objects.get().registered_at == NOW


def test_a_version_never_changes() -> None:
    register(one_gate())
    with pytest.raises(VersionConflict):
        register(one_gate(description="Changed."))
    assert Workflow.objects.count() == 1


def test_the_same_workflow_id_in_two_tenants_is_two_workflows() -> None:
    register(one_gate())
    register(one_gate(description="Other."), of="other")
    assert read_workflow(tenant_id="acme", workflow_id="flow").document != (
        read_workflow(tenant_id="other", workflow_id="flow").document
    )


def test_a_bad_definition_is_refused_with_all_that_is_wrong() -> None:
    document = workflow([node("a"), node("b", "no.such.type")], [edge("a", "nowhere"), edge("gone", "b")])
    with pytest.raises(ValidationFailed) as refused:
        register(document)
    problems: Any = refused.value.details["problems"]
    assert {problem["pointer"] for problem in problems} >= {
        "/nodes/1/typeId",
        "/edges/0/targetNodeId",
        "/edges/1/sourceNodeId",
    }
    assert not Workflow.objects.exists()


def test_a_run_takes_the_newest_version_and_keeps_it() -> None:
    owner = actor("owner")
    old = start_flow(one_gate(title="Old"), by=owner)
    register({**one_gate(title="New"), "version": "2"}, now=after(hours=1))
    new = start(owner, now=after(hours=2))
    assert last(new, "interrupt.requested")["data"]["title"] == "New"
    answer(actor("ann"), old, "accept")
    assert run_of(old).workflow.version == "1"


# --- Start ------------------------------------------------------------------------------------------------------------


def test_a_run_begins_with_who_started_it_and_what_with() -> None:
    owner = actor("owner")
    run_id = start_flow(
        workflow([node("a")]), by=owner, inputs={"amount": 5}, tags=("x", "y"), metadata={"ref": 1}, transport="ui"
    )
    assert run_id.startswith("acme/r-")
    assert last(run_id, "run.started") == {
        "workflowId": "flow",
        "inputs": {"amount": 5},
        "transport": "ui",
        "engineVersion": 1,
        "owner": {"tenant": "acme", "subject": owner.subject},
        "tags": ["x", "y"],
        "metadata": {"ref": 1},
    }
    run = run_of(run_id)
    assert (run.workflow_key, run.tags, run.metadata, run.created_at) == ("flow", ["x", "y"], {"ref": 1}, NOW)


def test_an_unknown_workflow_is_not_found() -> None:
    register(one_gate(), of="other")
    with pytest.raises(NotFound):
        start(actor("owner"))


def test_inputs_that_do_not_fit_the_variables_are_refused() -> None:
    variables: Any = [
        {"name": "amount", "type": "number", "required": True},
        {"name": "currency", "type": "string", "defaultValue": "EUR"},
    ]
    register({**one_gate(), "variables": variables})
    owner = actor("owner")
    with pytest.raises(ValidationFailed) as missing:
        start(owner)
    assert missing.value.details["field"].startswith("inputs")
    with pytest.raises(ValidationFailed) as wrong:
        start(owner, inputs={"amount": "5"})
    assert wrong.value.details["field"] == "inputs.amount"
    run_id = start(owner, inputs={"amount": 5, "undeclared": True})
    assert run_of(run_id).variables == {"amount": 5, "currency": "EUR"}
    assert Run.objects.count() == 1


def test_a_configurable_that_does_not_fit_the_workflows_schema_is_refused() -> None:
    schema: JsonObject = {"type": "object", "properties": {"extensions": {"type": "object", "maxProperties": 0}}}
    register({**one_gate(), "configurableSchema": schema})
    with pytest.raises(ValidationFailed) as refused:
        start(actor("owner"), configurable={"version": 1, "extensions": {"a": 1}})
    assert refused.value.details["field"] == "configurable.extensions"
    start(actor("owner"), configurable={"version": 1})


def test_a_second_active_run_of_an_enforced_scope_is_refused() -> None:
    owner = actor("owner")
    first = start_flow(one_gate(), by=owner, scope_id="invoice-1", enforce_dedup=True)
    with pytest.raises(RunAlreadyActive):
        start(owner, scope_id="invoice-1", enforce_dedup=True)
    start(owner, scope_id="invoice-2", enforce_dedup=True)
    answer(actor("ann"), first, "accept")
    start(owner, scope_id="invoice-1", enforce_dedup=True)
    assert Run.objects.count() == 3


def test_an_enforced_scope_looks_at_every_active_run_of_the_tenant_and_no_other() -> None:
    owner = actor("owner")
    start_flow(one_gate(), by=actor("other-owner", of="other"), scope_id="s")
    start_flow(one_gate(), by=owner, scope_id="s", enforce_dedup=True)
    start(owner, scope_id="s")
    with pytest.raises(RunAlreadyActive):
        start(owner, scope_id="s", enforce_dedup=True)


def test_runs_without_the_wish_may_share_a_scope() -> None:
    owner = actor("owner")
    start_flow(one_gate(), by=owner, scope_id="s")
    start(owner, scope_id="s")
    assert Run.objects.filter(scope_id="s").count() == 2


def test_a_run_is_read_in_its_tenant_only() -> None:
    run_id = start_flow(one_gate())
    assert read_run(tenant_id="acme", run_id=run_id).pk == run_id
    with pytest.raises(NotFound):
        read_run(tenant_id="other", run_id=run_id)


# --- Cancel -----------------------------------------------------------------------------------------------------------


def test_a_waiting_run_is_cancelled_with_its_gate_and_timers() -> None:
    owner = actor("owner")
    run_id = start_flow(one_gate(timeoutMs=60_000), by=owner)
    request = CancelRun(actor=owner, run_id=run_id, reason="Not needed.")
    done = cancel_run(request=request, now=after(seconds=5))
    assert done.result == {"runId": run_id, "status": "cancelled"}
    assert trail(run_id)[4:] == ["node.cancelled gate", "run.cancelled"]
    assert last(run_id, "node.cancelled") == {"nodeId": "gate", "reason": "Not needed."}
    assert last(run_id, "run.cancelled") == {
        "cancelledBy": owner.subject_id,
        "durationMs": 5000,
        "reason": "Not needed.",
    }
    gate = suspension(run_id)
    assert (gate.outcome, gate.resolution) == (SuspensionOutcome.CANCELLED, {"reason": "Not needed."})
    assert not Timer.objects.exists()
    assert (run_of(run_id).current_node_id, run_of(run_id).error) == ("", None)
    with pytest.raises(AlreadyResolved):
        answer(actor("ann"), run_id, "accept")


def test_a_cancelled_run_needs_no_reason() -> None:
    owner = actor("owner")
    run_id = start_flow(one_gate(), by=owner)
    cancel_run(request=CancelRun(actor=owner, run_id=run_id), now=NOW)
    assert "reason" not in last(run_id, "run.cancelled")
    assert last(run_id, "node.cancelled")["reason"] == "run-cancelled"


def test_a_delay_is_cancelled_too() -> None:
    owner = actor("owner")
    run_id = start_flow(workflow([node("wait", "core.delay", config={"ms": 1000}), gate_node()]), by=owner)
    cancel_run(request=CancelRun(actor=owner, run_id=run_id), now=NOW)
    assert trail(run_id)[-3:] == ["node.cancelled wait", "node.cancelled gate", "run.cancelled"]
    assert sweep(now=after(days=1)) == 0


def test_a_run_that_is_over_cannot_be_cancelled() -> None:
    owner = actor("owner")
    run_id = start_flow(workflow([node("a")]), by=owner)
    with pytest.raises(RunTerminal) as refused:
        cancel_run(request=CancelRun(actor=owner, run_id=run_id), now=NOW)
    assert refused.value.message == "The run has already ended: it is completed."
    assert trail(run_id)[-1] == "run.completed"


def test_cancelling_a_run_of_another_tenant_finds_nothing() -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(NotFound):
        cancel_run(request=CancelRun(actor=actor("eve", of="other"), run_id=run_id), now=NOW)


def test_a_bulk_cancel_judges_each_run_on_its_own_and_answers_in_order() -> None:
    owner = actor("owner")
    over = start_flow(workflow([node("a")], workflow_id="short"), by=owner)
    waiting = start_flow(one_gate(), by=owner)
    ids = ("acme/r-unknown000000000", waiting, over, "other/r-000000000000000000", waiting)
    results: Any = bulk_cancel(request=BulkCancel(owner, ids, "Closing."), now=NOW).result["results"]
    assert [result["runId"] for result in results] == list(ids)
    assert [result["ok"] for result in results] == [False, True, False, False, True]
    assert [result.get("status") or result["error"]["error"] for result in results] == [
        "not_found",
        "cancelled",
        "run_terminal",
        "id_tenant_mismatch",
        "cancelled",
    ]
    assert last(waiting, "run.cancelled")["reason"] == "Closing."
    assert trail(waiting).count("run.cancelled") == 1


# --- Limits and loops -------------------------------------------------------------------------------------------------


def loop(**members: Any) -> JsonObject:
    """``start`` → ``gate`` → ``end``, and from the gate back to itself while it is refined."""
    again: JsonObject = {"type": "equals", "left": "action", "right": "refine"}
    forth: JsonObject = {"type": "notEquals", "left": "action", "right": "refine"}
    nodes = [node("start"), gate_node(), node("end")]
    edges = [
        edge("start", "gate"),
        edge("gate", "end", condition=forth),
        edge("gate", "gate", condition=again, id="again"),
    ]
    return workflow(nodes, edges, **members)


def test_every_round_of_a_loop_asks_anew_under_a_key_of_its_own() -> None:
    run_id = start_flow(loop())
    for minute in (1, 2):
        answer(actor("ann"), run_id, REFINE, now=after(minutes=minute))
    answer(actor("ann"), run_id, "accept", now=after(minutes=3))
    assert status(run_id) == "completed"
    assert trail(run_id)[-3:] == ["node.started end", "node.completed end", "run.completed"]
    asked = Suspension.objects.filter(run_id=run_id)
    assert asked.count() == len(set(asked.values_list("key", flat=True))) == 3
    values = [event.payload["resumeValue"]["action"] for event in log_of(run_id) if event.type == "node.resumed"]
    assert values == ["refine", "refine", "accept"]


def test_a_run_may_start_as_many_nodes_as_its_limit_and_no_more() -> None:
    document = chain(node("a"), node("b"), node("c"))
    owner = actor("owner")
    enough = start_flow(document, by=owner, configurable={"version": 1, "run": {"recursionLimit": 3}})
    assert status(enough) == "completed"
    short = start(owner, configurable={"version": 1, "run": {"recursionLimit": 2}})
    assert trail(short)[-2:] == ["cap.breached c", "run.failed"]
    breach = {"kind": "node-executions", "limit": 2, "observed": 3, "nodeId": "c"}
    assert last(short, "cap.breached") == breach
    failed = last(short, "run.failed")
    assert failed["error"]["code"] == "recursion_limit_exceeded"
    assert failed["error"]["details"] == {"limit": 2}


def test_the_hosts_limit_holds_whatever_the_caller_asks(settings: Any) -> None:
    settings.WOP_MAX_NODE_EXECUTIONS = 2
    options = {"version": 1, "run": {"recursionLimit": 1000}}
    run_id = start_flow(chain(node("a"), node("b"), node("c")), configurable=options)
    assert last(run_id, "cap.breached")["limit"] == 2


def test_an_endless_loop_ends_at_the_limit_of_node_executions() -> None:
    nodes = [node("start"), node("a")]
    run_id = start_flow(
        workflow(nodes, [edge("start", "a"), edge("a", "a")]),
        configurable={"version": 1, "run": {"recursionLimit": 10}},
    )
    assert status(run_id) == "failed"
    assert trail(run_id).count("node.started a") == 9
    assert last(run_id, "run.failed")["error"]["code"] == "recursion_limit_exceeded"


def test_a_loop_may_go_round_as_often_as_its_limit_and_no_more() -> None:
    run_id = start_flow(loop(), configurable={"version": 1, "run": {"maxLoopIterations": 2}})
    for minute in (1, 2):
        answer(actor("ann"), run_id, REFINE, now=after(minutes=minute))
        assert status(run_id) == "waiting-approval"
    answer(actor("ann"), run_id, REFINE, now=after(minutes=3))
    assert trail(run_id)[-2:] == ["cap.breached gate", "run.failed"]
    breach = {"kind": "loop-iterations", "limit": 2, "observed": 3, "nodeId": "gate"}
    assert last(run_id, "cap.breached") == breach
    assert last(run_id, "run.failed")["error"]["code"] == "loop_limit_exceeded"


def test_the_workflows_own_loop_limit_is_said_once_and_stops_nothing() -> None:
    run_id = start_flow(loop(settings={"maxLoopbackIterations": 1}))
    for minute in range(1, 5):
        answer(actor("ann"), run_id, REFINE, now=after(minutes=minute))
    assert status(run_id) == "waiting-approval"
    assert trail(run_id).count("workflow.loopback-limit gate") == 1
    said = {"nodeId": "gate", "iterations": 2, "limit": 1}
    assert last(run_id, "workflow.loopback-limit") == said


def test_a_node_without_a_value_for_its_input_fails_as_badly_configured() -> None:
    inputs: JsonObject = {"payload": {"type": "variable", "variableName": "amount"}}
    variables: Any = [{"name": "amount", "type": "number"}]
    run_id = start_flow(workflow([node("a", "core.identity", inputs=inputs)], variables=variables))
    assert last(run_id, "node.failed")["error"]["code"] == "node_config_invalid"
    assert last(run_id, "run.failed")["failedNodeId"] == "a"


def test_a_run_puts_out_what_its_last_nodes_put_out() -> None:
    inputs: JsonObject = {"payload": {"type": "static", "value": {"paid": True}}}
    run_id = start_flow(chain(node("a"), node("b", "core.identity", inputs=inputs)))
    assert last(run_id, "run.completed") == {"outputs": {"payload": {"paid": True}}, "durationMs": 0}
