"""Runs that are started by a node of another (wire contract §6.3, §7.4; cases 98 and 108)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.actor import Actor
from interrupts.engine import children
from interrupts.errors import ValidationFailed
from interrupts.ids import child_run_id
from interrupts.models import Run
from interrupts.services.relay import relay_outbox
from interrupts.services.runs import CancelRun, cancel_run
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    child_of,
    edge,
    gate_node,
    last,
    log_of,
    node,
    one_gate,
    register,
    run_of,
    start_flow,
    status,
    sub_workflow,
    sweep,
    trail,
    workflow,
)
from tests.services.families import CALL, begun, error_of, settle, variable

# --- The way of a child -----------------------------------------------------------------------------------------------


def test_a_child_starts_after_the_parents_commit_and_its_end_wakes_the_parent(owner: Actor) -> None:
    register(chain(node("one"), node("two"), workflow_id="child"))
    run_id = start_flow(chain(node("first"), sub_workflow(), node("then")), by=owner, tags=["blue"], scope_id="s-1")
    child_id = child_of(run_id)
    assert child_id == child_run_id(run_id, CALL, 1)
    assert last(run_id, "node.dispatched") == {
        "childRunId": child_id,
        "childWorkflowId": "child",
        "childStatus": "pending",
    }
    assert (status(run_id), Run.objects.filter(pk=child_id).exists()) == ("running", False)
    assert relay_outbox(now=after(seconds=1)) == 1
    child = run_of(child_id)
    assert (child.status, child.tags, child.scope_id, child.owner) == (
        "completed",
        ["blue"],
        "s-1",
        run_of(run_id).owner,
    )
    assert (child.parent_run_id, child.parent_node_id, child.tree, child.depth) == (run_id, CALL, run_id, 1)
    started = last(child_id, "run.started")
    assert (started["x-parent-run-id"], started["x-parent-node-id"]) == (run_id, CALL)
    assert status(run_id) == "running"
    settle(run_id, seconds=2)
    assert last(run_id, "node.completed", at=CALL)["outputs"] == {"childRunId": child_id, "childStatus": "completed"}
    assert trail(run_id)[-3:] == ["node.started then", "node.completed then", "run.completed"]


def test_a_parent_runs_on_while_its_child_waits_for_an_answer(gated: str) -> None:
    child_id = child_of(gated)
    assert (status(gated), run_of(gated).current_node_id) == ("running", "")
    assert (status(child_id), run_of(child_id).current_node_id) == ("waiting-approval", "gate")
    answer(actor("ann"), child_id, "accept", now=after(seconds=1))
    settle(gated, seconds=2)
    assert (status(child_id), status(gated)) == ("completed", "completed")


def test_a_node_in_a_loop_starts_a_child_each_time_round(owner: Actor) -> None:
    register(chain(node("one"), workflow_id="child"))
    nodes = [node("first", "core.fail"), sub_workflow(), gate_node(), node("end")]
    back = edge("gate", CALL, "any_failed")
    edges = [edge("first", CALL, "any_failed"), edge(CALL, "gate"), back, edge("gate", "end")]
    run_id = begun(workflow(nodes, edges), owner)
    answer(owner, run_id, "reject", now=after(seconds=1))
    settle(run_id, seconds=2)
    answer(owner, run_id, "accept", now=after(seconds=3))
    settle(run_id, seconds=4)
    assert status(run_id) == "completed"
    assert set(Run.objects.filter(parent_run=run_id).values_list("pk", flat=True)) == {
        child_run_id(run_id, CALL, 1),
        child_run_id(run_id, CALL, 2),
    }


def test_a_child_runs_the_version_that_was_newest_when_it_was_dispatched(owner: Actor) -> None:
    register(chain(node("old"), workflow_id="child"))
    run_id = start_flow(chain(sub_workflow()), by=owner)
    register(chain(node("new"), workflow_id="child", version="2"))
    settle(run_id)
    assert run_of(child_of(run_id)).workflow.version == "1"


def test_children_of_children_belong_to_one_tree(owner: Actor) -> None:
    register(one_gate("leaf"))
    register(chain(sub_workflow(child="leaf"), workflow_id="child"))
    run_id = begun(chain(sub_workflow()), owner)
    leaf = child_of(child_of(run_id))
    assert (run_of(leaf).tree, run_of(leaf).depth) == (run_id, 2)
    answer(owner, leaf, "accept", now=after(seconds=1))
    settle(run_id, seconds=2)
    assert status(run_id) == "completed"


# --- What goes in and out ---------------------------------------------------------------------------------------------


def test_mappings_carry_values_in_and_out(owner: Actor) -> None:
    child = chain(
        node("give", "core.identity", inputs={"total": {"type": "variable", "variableName": "amount"}}),
        workflow_id="child",
        variables=[variable("amount", "number", required=True), variable("greeting", defaultValue="hello")],
    )
    register(child)
    parent = chain(
        sub_workflow(
            inputMapping={"amount": "price", "greeting": "missing"},
            outputMapping={"outcome": "greeting", "sum": "total", "note": "nothing"},
            inputs={"extra": {"type": "static", "value": [1]}},
        ),
        node("then", "core.identity", inputs={"seen": {"type": "variable", "variableName": "outcome"}}),
        variables=[variable("price", "number"), variable("outcome", defaultValue="none yet")],
    )
    run_id = begun(parent, owner, inputs={"price": 12.5})
    child_id = child_of(run_id)
    assert run_of(child_id).inputs == {"amount": 12.5, "extra": [1]}
    assert last(run_id, "node.completed", at=CALL)["outputs"] == {
        "childRunId": child_id,
        "childStatus": "completed",
        "outcome": "hello",
        "sum": 12.5,
    }
    assert run_of(run_id).variables == {"price": 12.5, "outcome": "hello", "sum": 12.5}
    changes = [event.payload for event in log_of(run_id) if event.type == "variable.changed"]
    assert changes == [
        {"name": "outcome", "next": "hello", "nodeId": CALL, "previous": "none yet"},
        {"name": "sum", "next": 12.5, "nodeId": CALL},
    ]
    assert last(run_id, "run.completed")["outputs"] == {"seen": "hello"}


def test_what_the_parent_has_later_does_not_reach_a_child_that_was_dispatched(owner: Actor) -> None:
    register(one_gate("child"))
    register(chain(node("a"), workflow_id="other", variables=[variable("value", defaultValue="later")]))
    document = workflow(
        [
            sub_workflow(inputMapping={"received": "current"}),
            sub_workflow("second", "other", outputMapping={"current": "value"}),
        ],
        variables=[variable("current", defaultValue="seeded")],
    )
    register({**one_gate("child"), "version": "2", "variables": [variable("received", defaultValue="baked in")]})
    run_id = begun(document, owner)
    assert run_of(run_id).variables == {"current": "later"}
    answer(owner, child_of(run_id), "accept", now=after(seconds=1))
    settle(run_id, seconds=2)
    assert run_of(child_of(run_id)).variables == {"received": "seeded"}


@pytest.mark.parametrize(
    ("ours", "theirs", "config"),
    [
        ([variable("iban", sensitive=True)], [variable("x")], {"inputMapping": {"x": "iban"}}),
        ([], [variable("pin", sensitive=True)], {"outputMapping": {"shown": "pin"}}),
        ([variable("pin", sensitive=True)], [variable("x")], {"outputMapping": {"pin": "x"}}),
    ],
)
def test_a_mapping_does_not_show_what_is_sensitive(owner: Actor, ours: Any, theirs: Any, config: Any) -> None:
    register(chain(node("a"), workflow_id="child", variables=theirs))
    run_id = begun(chain(sub_workflow(**config), variables=ours), owner)
    assert error_of(run_id)["code"] == "node_config_invalid"
    assert not Run.objects.filter(parent_run=run_id).exists()


def test_a_sensitive_value_may_go_where_it_is_sensitive_too(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child", variables=[variable("secret", sensitive=True)]))
    parent = chain(sub_workflow(inputMapping={"secret": "iban"}), variables=[variable("iban", sensitive=True)])
    run_id = begun(parent, owner, inputs={"iban": "DE00"})
    assert status(run_id) == "completed"


# --- Children that cannot start, or do not complete -------------------------------------------------------------------


def test_an_unknown_workflow_fails_the_node(owner: Actor) -> None:
    run_id = begun(chain(sub_workflow()), owner)
    assert error_of(run_id) == {"code": "not_found", "message": "There is no workflow “child” to start."}
    assert "node.dispatched call" not in trail(run_id)


def test_a_workflow_of_another_tenant_is_unknown(owner: Actor) -> None:
    register(one_gate("child"), of="globex")
    assert error_of(begun(chain(sub_workflow()), owner))["code"] == "not_found"


def test_inputs_that_do_not_fit_fail_the_node(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child", variables=[variable("amount", "number", required=True)]))
    run_id = begun(chain(sub_workflow()), owner)
    assert error_of(run_id)["code"] == "validation_error"
    assert error_of(run_id)["details"]["problems"][0]["pointer"] == "/amount"


def test_a_workflow_that_calls_itself_ends_at_the_depth_limit(owner: Actor) -> None:
    run_id = begun(chain(sub_workflow(child="flow")), owner)
    assert Run.objects.filter(tree=run_id).count() == 8
    assert error_of(run_id)["code"] == "recursion_limit_exceeded"
    assert Run.objects.exclude(status="failed").count() == 0


def test_a_workflow_that_calls_itself_many_times_over_ends_at_the_limit_of_its_tree(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "MAX_RUNS_OF_A_TREE", 20)
    calls = [sub_workflow(f"c{index}", "flow", onChildFailure="continue") for index in range(5)]
    begun(workflow(calls), owner)
    assert Run.objects.count() == 21
    assert Run.objects.filter(completed_at=None).count() == 0


def test_a_failed_child_fails_the_node_with_the_childs_code(gated: str) -> None:
    child_id = child_of(gated)
    answer(actor("ann"), child_id, "reject", now=after(seconds=1))
    settle(gated, seconds=2)
    assert error_of(gated) == {
        "code": "approval_rejected",
        "message": "The sub-workflow “child” did not complete: The gate was rejected.",
        "details": {"childRunId": child_id, "childStatus": "failed"},
    }
    assert last(gated, "run.failed")["failedNodeId"] == CALL


def test_a_failed_child_is_routed_like_any_failure(owner: Actor) -> None:
    register(chain(node("a", "core.fail"), workflow_id="child"))
    run_id = begun(workflow([sub_workflow(), node("tell")], [edge(CALL, "tell", "any_failed")]), owner)
    assert status(run_id) == "completed"
    assert "node.completed tell" in trail(run_id)


def test_a_parent_may_go_on_after_a_failed_child(owner: Actor) -> None:
    register(chain(node("a", "core.fail", config={"message": "No."}), workflow_id="child"))
    run_id = begun(chain(sub_workflow(onChildFailure="continue"), node("then")), owner)
    assert status(run_id) == "completed"
    outputs: Any = last(run_id, "node.completed", at=CALL)["outputs"]
    assert (outputs["childStatus"], outputs["childError"]) == ("failed", {"code": "validation_error", "message": "No."})


@pytest.mark.parametrize(("policy", "ended"), [("fail-parent", "failed"), ("continue", "completed")])
def test_a_child_that_somebody_cancelled_counts_as_not_completed(owner: Actor, policy: str, ended: str) -> None:
    register(one_gate("child"))
    run_id = begun(chain(sub_workflow(onChildFailure=policy)), owner)
    cancel_run(request=CancelRun(owner, child_of(run_id), "no need"), now=after(seconds=1))
    settle(run_id, seconds=2)
    assert status(run_id) == ended
    if ended == "failed":
        assert error_of(run_id)["code"] == "run_terminal"
        assert error_of(run_id)["details"]["childStatus"] == "cancelled"


def test_a_childs_own_limit_ends_the_child_and_fails_the_parent(owner: Actor) -> None:
    register({**one_gate("child"), "settings": {"timeout": 30_000}})
    run_id = begun(chain(sub_workflow()), owner)
    sweep(now=after(seconds=30))
    settle(run_id, seconds=31)
    assert error_of(run_id)["code"] == "run_timeout"


# --- Children nobody waits for ----------------------------------------------------------------------------------------


def test_a_node_that_does_not_wait_completes_at_once_and_the_child_still_starts(owner: Actor) -> None:
    register(one_gate("child"))
    run_id = start_flow(chain(sub_workflow(waitForCompletion=False), node("then")), by=owner)
    child_id = child_of(run_id)
    assert status(run_id) == "completed"
    assert last(run_id, "node.completed", at=CALL)["outputs"] == {"childRunId": child_id, "childStatus": "pending"}
    settle(run_id)
    assert status(child_id) == "waiting-approval"
    before = trail(run_id)
    answer(owner, child_id, "reject", now=after(seconds=1))
    settle(run_id, seconds=2)
    assert trail(run_id) == before


@pytest.mark.parametrize("config", [{"outputMapping": {"a": "b"}}, {"onChildFailure": "continue"}])
def test_what_needs_the_childs_end_is_refused_where_nobody_waits(owner: Actor, config: Any) -> None:
    with pytest.raises(ValidationFailed):
        register(chain(sub_workflow(waitForCompletion=False, **config)))


@pytest.mark.parametrize("name", ["childRunId", "childStatus", "childError"])
def test_an_output_may_not_take_the_place_of_the_nodes_own(owner: Actor, name: str) -> None:
    with pytest.raises(ValidationFailed):
        register(chain(sub_workflow(outputMapping={name: "x"})))
