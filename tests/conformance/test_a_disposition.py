"""Section A: what a rejection does to its gate and its run (RFC 0223; interrupt.md §Rejection)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.surfaces import problems
from tests.live.peer import TERMINAL, Peer, payloads, types


def assert_rejected_at_the_gate(suite: Peer, run_id: str, *, seconds: float = 10) -> list[Any]:
    """The run failed, the gate failed for good, and both say why; the log is returned."""
    snapshot = suite.until(run_id, *TERMINAL, seconds=seconds)
    assert snapshot["status"] == "failed"
    assert snapshot["error"]["code"] == "approval_rejected"
    assert "retryable" not in snapshot["error"]
    log = suite.log(run_id)
    (failed,) = payloads(log, "node.failed", node="gate")
    assert failed["nodeId"] == "gate"
    assert (failed["error"]["code"], failed["error"]["retryable"]) == ("approval_rejected", False)
    assert "node.retried" not in types(log)
    (ended,) = payloads(log, "run.failed")
    assert (ended["error"]["code"], ended["failedNodeId"]) == ("approval_rejected", "gate")
    return log


def test_case_1_reject_fails_the_run(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    assert suite.answer(run_id, "reject").json() == {"runId": run_id, "nodeId": "gate", "status": "failed"}
    assert_rejected_at_the_gate(suite, run_id)


def test_case_2_reject_is_recorded(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    suite.answer(run_id, "reject")
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("reject", "rejected")
    assert resolved["resolvedBy"] == suite.snapshot(run_id)["owner"]["subject"]


def test_case_3_the_gate_node_fails_and_is_not_retried(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    suite.answer(run_id, "reject")
    log = assert_rejected_at_the_gate(suite, run_id)
    assert types(log) == [
        "run.started",
        "node.started",
        "interrupt.requested",
        "node.suspended",
        "interrupt.resolved",
        "node.failed",
        "run.failed",
    ]


def test_case_4_a_majority_of_rejects_fails_the_run_and_a_lesser_vote_leaves_no_resolution(suite: Peer) -> None:
    run_id = suite.suspended("conformance-interrupt-quorum")
    assert suite.answer(run_id, "reject", voter="approver-1").json()["status"] == "waiting-approval"
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    assert payloads(suite.log(run_id), "interrupt.resolved") == []
    assert suite.answer(run_id, "reject", voter="approver-2").status_code == 200
    assert_rejected_at_the_gate(suite, run_id)


@pytest.mark.parametrize("fixture", ["conformance-approval-timeout", "conformance-approval-timeout-approve"])
def test_cases_6_and_7_a_timeout_rejects_and_never_grants(suite: Peer, fixture: str) -> None:
    run_id = suite.suspended(fixture)
    log = assert_rejected_at_the_gate(suite, run_id, seconds=20)
    (resolved,) = payloads(log, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"], resolved["reason"]) == ("timeout", "rejected", "timeout")
    assert not {"resumeValue", "resolvedBy"} & resolved.keys()
    assert "run.completed" not in types(log)


def test_case_11_approval_rejected_is_registered_and_never_an_answer_of_ours() -> None:
    """The registry gives it 422 as a code that ends runs; the HTTP answer to a reject is 200 (case 1)."""
    assert "approval_rejected" not in problems.RENDERINGS


def test_trap_12_a_rejection_goes_on_over_any_failed_only(suite: Peer) -> None:
    """conformance-approval-reject-routed: the failed gate starts on-reject and never on-accept."""
    run_id = suite.suspended("conformance-approval-reject-routed")
    suite.answer(run_id, "reject")
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    log = suite.log(run_id)
    assert [p["nodeId"] for p in payloads(log, "node.completed")] == ["on-reject"]
    assert payloads(log, "node.started", node="on-accept") == []
    assert payloads(log, "node.failed", node="gate")[0]["error"]["retryable"] is False


def test_trap_11_a_rejected_gate_in_a_cycle_is_asked_again_under_a_new_key(suite: Peer) -> None:
    """conformance-approval-reject-loopback; re-entry: interrupt.md §Re-entry and resume values."""
    run_id = suite.suspended("conformance-approval-reject-loopback")
    assert suite.answer(run_id, "reject").json()["status"] == "waiting-approval"
    log = suite.log(run_id)
    first, second = payloads(log, "interrupt.requested", node="gate")
    assert first["key"] != second["key"]
    assert {**first, "key": None} == {**second, "key": None}
    first, second = payloads(log, "node.suspended", node="gate")
    assert first["interruptId"] != second["interruptId"]
    assert suite.answer(run_id, "accept").json()["status"] == "completed"
    log = suite.log(run_id)
    assert [p["action"] for p in payloads(log, "interrupt.resolved", node="gate")] == ["reject", "accept"]
    assert len(payloads(log, "node.started", node="revise")) == 1
