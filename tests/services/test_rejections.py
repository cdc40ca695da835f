"""Where a run goes after a rejection (interrupt.md §Rejection, wire contract §6.2, §15.3)."""

from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject
from tests.factories import actor, answer, edge, gate_node, last, node, run_of, start_flow, status, trail, workflow


def gate_then(rule: str, **condition: JsonObject) -> JsonObject:
    return workflow([gate_node(), node("then")], [edge("gate", "then", rule, **condition)])


@pytest.mark.parametrize("rule", ["any_failed", "all_complete"])
def test_a_run_goes_on_past_a_rejection_over_an_edge_that_admits_it(rule: str) -> None:
    run_id = start_flow(gate_then(rule))
    done = answer(actor("ann"), run_id, "reject")
    assert done.result["status"] == "completed"
    assert trail(run_id)[4:] == [
        "interrupt.resolved gate",
        "node.failed gate",
        "node.started then",
        "node.completed then",
        "run.completed",
    ]
    assert run_of(run_id).error is None


@pytest.mark.parametrize("rule", ["all_success", "any_success", "none_failed"])
def test_no_other_edge_leads_past_a_rejection(rule: str) -> None:
    run_id = start_flow(gate_then(rule))
    answer(actor("ann"), run_id, "reject")
    assert trail(run_id)[4:] == ["interrupt.resolved gate", "node.failed gate", "run.failed"]
    failed = last(run_id, "run.failed")
    assert failed["error"] == {"code": "approval_rejected", "message": "The gate was rejected."}
    assert failed["failedNodeId"] == "gate"
    assert last(run_id, "node.failed")["error"]["retryable"] is False


def test_a_rejection_takes_one_branch_and_an_acceptance_the_other() -> None:
    nodes = [gate_node(), node("pay"), node("tell")]
    document = workflow(nodes, [edge("gate", "pay"), edge("gate", "tell", "any_failed")])
    rejected = start_flow(document)
    answer(actor("ann"), rejected, "reject")
    assert trail(rejected)[6:] == ["node.skipped pay", "node.started tell", "node.completed tell", "run.completed"]
    accepted = start_flow(document)
    answer(actor("ann"), accepted, "accept")
    assert trail(accepted)[7:] == ["node.started pay", "node.completed pay", "node.skipped tell", "run.completed"]
    assert last(accepted, "node.skipped")["reason"] == "trigger rule any_failed not satisfied"


def test_a_rejection_goes_its_way_whatever_the_conditions_of_the_other_edges() -> None:
    """They may look at what only a granted gate puts out."""
    accepted: JsonObject = {"type": "expression", "expression": "output.action == 'accept'"}
    nodes = [gate_node(), node("pay"), node("tell")]
    run_id = start_flow(workflow(nodes, [edge("gate", "pay", condition=accepted), edge("gate", "tell", "any_failed")]))
    answer(actor("ann"), run_id, "reject")
    assert trail(run_id)[6:] == ["node.skipped pay", "node.started tell", "node.completed tell", "run.completed"]


def test_a_false_condition_does_not_let_none_failed_pass_a_rejected_gate() -> None:
    never: JsonObject = {"type": "expression", "expression": "1 == 2"}
    nodes = [gate_node(), node("pay"), node("tell")]
    edges = [edge("gate", "pay", "none_failed", condition=never), edge("gate", "tell", "any_failed")]
    run_id = start_flow(workflow(nodes, edges))
    answer(actor("ann"), run_id, "reject")
    assert trail(run_id)[6:] == ["node.skipped pay", "node.started tell", "node.completed tell", "run.completed"]


def test_a_rejection_is_not_routed_over_an_edge_whose_condition_is_false() -> None:
    run_id = start_flow(gate_then("any_failed", condition={"type": "expression", "expression": "1 == 2"}))
    answer(actor("ann"), run_id, "reject")
    assert status(run_id) == "failed"
    assert last(run_id, "run.failed")["failedNodeId"] == "gate"


def test_an_unrouted_rejection_ends_what_waits_beside_it() -> None:
    run_id = start_flow(workflow([gate_node("gate"), gate_node("other", timeoutMs=60_000), node("d", "core.delay")]))
    assert answer(actor("ann"), run_id, "reject").result["status"] == "failed"
    assert trail(run_id)[-5:] == [
        "interrupt.resolved gate",
        "node.failed gate",
        "node.cancelled other",
        "node.cancelled d",
        "run.failed",
    ]
    assert last(run_id, "node.cancelled", at="other")["reason"] == "run-failed"


def test_a_routed_rejection_leaves_alone_what_waits_beside_it() -> None:
    nodes = [gate_node("gate"), gate_node("other"), node("then")]
    run_id = start_flow(workflow(nodes, [edge("gate", "then", "any_failed")]))
    assert answer(actor("ann"), run_id, "reject").result["status"] == "waiting-approval"
    assert run_of(run_id).current_node_id == "other"
    assert answer(actor("ann"), run_id, "accept", at="other").result["status"] == "completed"


def test_a_join_over_any_failed_fires_once_both_gates_are_decided() -> None:
    nodes = [gate_node("a"), gate_node("b"), node("tell")]
    run_id = start_flow(workflow(nodes, [edge("a", "tell", "any_failed"), edge("b", "tell", "any_failed")]))
    answer(actor("ann"), run_id, "reject", at="a")
    assert "node.started tell" not in trail(run_id)
    answer(actor("ann"), run_id, "accept", at="b")
    assert status(run_id) == "completed"
    assert "node.completed tell" in trail(run_id)


def test_a_condition_that_cannot_be_decided_fails_the_run_and_never_passes_the_gate() -> None:
    condition: JsonObject = {"type": "expression", "expression": "output.nothing.here == 1"}
    for action, rule in [("accept", "all_success"), ("reject", "any_failed")]:
        run_id = start_flow({**gate_then(rule, condition=condition), "version": rule})
        answer(actor("ann"), run_id, action)
        failed = last(run_id, "run.failed")["error"]
        assert failed["code"] == "node_config_invalid"
        assert failed["details"] == {"edgeId": "gate-then"}
        assert "node.started then" not in trail(run_id)
