"""The fold of a log, event by event."""

from __future__ import annotations

import json
from typing import Any

from interrupts.contracts.types import JsonObject
from interrupts.run_state import Event, NodeState, RunState
from interrupts.vocabulary import NodeStatus, RunStatus

AT = "2026-03-02T09:00:00.000Z"
LATER = "2026-03-02T09:05:00.000Z"


class Log:
    """Events in order, numbered as they come."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, event_type: str, node_id: str = "", /, at: str = AT, **payload: Any) -> Log:
        body: JsonObject = {**({"nodeId": node_id} if node_id else {}), **payload}
        self.events.append(Event(len(self.events), event_type, node_id, body, at))
        return self

    def suspend(self, node_id: str, kind: str = "approval") -> Log:
        self.add("node.started", node_id)
        self.add("interrupt.requested", node_id, kind=kind)
        return self.add("node.suspended", node_id, interruptId=f"i-{node_id}-{len(self.events)}", kind=kind)

    @property
    def state(self) -> RunState:
        return RunState.fold(self.events)


def started(inputs: JsonObject | None = None) -> Log:
    return Log().add("run.started", inputs=inputs or {})


def test_a_run_without_events_is_pending() -> None:
    state = RunState()
    assert state.status is RunStatus.PENDING
    assert state.last_sequence == -1
    assert state.current_node_id is None
    assert not state.is_terminal


def test_the_start_of_a_run_keeps_its_inputs_and_time() -> None:
    state = started(inputs={"amount": 5}).state
    assert state.status is RunStatus.RUNNING
    assert state.inputs == {"amount": 5}
    assert state.started_at == AT
    assert state.last_sequence == 0


def test_a_start_opens_a_visit_and_counts_as_an_execution() -> None:
    state = started().add("node.started", "a").state
    assert state.nodes == {"a": NodeState(status=NodeStatus.RUNNING, activated=1, visits=1)}
    assert state.nodes["a"].is_active
    assert state.executions == 1


def test_a_completed_node_keeps_its_outputs_and_when_it_settled() -> None:
    state = started().add("node.started", "a").add("node.completed", "a", outputs={"x": 1}).state
    expected = NodeState(status=NodeStatus.COMPLETED, activated=1, settled=2, visits=1, outputs={"x": 1})
    assert state.nodes["a"] == expected
    assert not expected.is_active


def test_a_failed_node_keeps_its_error() -> None:
    error = {"code": "approval_rejected", "message": "No.", "retryable": False}
    state = started().add("node.started", "a").add("node.failed", "a", error=error, attempts=1).state
    assert state.nodes["a"].status is NodeStatus.FAILED
    assert state.nodes["a"].error == error
    assert state.status is RunStatus.RUNNING


def test_a_skip_activates_and_settles_at_once_without_a_visit() -> None:
    state = started().add("node.skipped", "a", reason="disabled").state
    assert state.nodes["a"] == NodeState(status=NodeStatus.SKIPPED, activated=1, settled=1)
    assert state.executions == 0


def test_a_second_visit_forgets_what_the_first_put_out_and_counts_on() -> None:
    log = (
        started()
        .suspend("a")
        .add("interrupt.resolved", "a", interruptId="i")
        .add("node.completed", "a", outputs={"x": 1})
    )
    node = log.add("node.started", "a").state.nodes["a"]
    assert node == NodeState(status=NodeStatus.RUNNING, activated=6, visits=2, resolved=1, resolved_before=1)


def test_a_skip_after_a_visit_keeps_the_counts() -> None:
    log = started().suspend("a").add("interrupt.resolved", "a", interruptId="i").add("node.completed", "a", outputs={})
    node = log.add("node.skipped", "a", reason="r").state.nodes["a"]
    assert (node.status, node.visits, node.resolved, node.outputs) == (NodeStatus.SKIPPED, 1, 1, {})


def test_each_kind_has_its_waiting_status() -> None:
    kinds = {
        "approval": "waiting-approval",
        "clarification": "waiting-input",
        "external-event": "waiting-external",
        "custom": "waiting-approval",
        "conversation.start": "waiting-input",
        "conversation.exchange": "waiting-input",
        "conversation.close": "waiting-input",
        "low-confidence": "waiting-approval",
        "credential": "waiting-input",
    }
    for kind, status in kinds.items():
        state = started().suspend("a", kind).state
        assert (state.status, state.current_node_id) == (status, "a")
        assert (state.nodes["a"].status, state.nodes["a"].kind) == (NodeStatus.SUSPENDED, kind)


def test_the_oldest_open_interrupt_gives_status_and_current_node() -> None:
    log = started().suspend("b", "external-event").suspend("a", "approval")
    assert (log.state.status, log.state.current_node_id) == (RunStatus.WAITING_EXTERNAL, "b")
    log.add("interrupt.resolved", "b", interruptId="i-b")
    assert (log.state.status, log.state.current_node_id) == (RunStatus.WAITING_APPROVAL, "a")
    log.add("interrupt.resolved", "a", interruptId="i-a")
    assert (log.state.status, log.state.current_node_id) == (RunStatus.RUNNING, None)


def test_a_resolution_is_consumed_and_the_node_runs_on() -> None:
    node = started().suspend("a").add("interrupt.resolved", "a", interruptId="i").state.nodes["a"]
    assert (node.status, node.resolved, node.interrupt_id, node.kind) == (NodeStatus.RUNNING, 1, None, None)


def test_a_waiting_node_that_is_cancelled_waits_no_more() -> None:
    state = started().suspend("a").add("node.cancelled", "a", reason="r").state
    assert state.waiting == ()
    assert state.status is RunStatus.RUNNING
    assert state.nodes["a"].status is NodeStatus.CANCELLED


def test_a_completed_run_keeps_outputs_and_time() -> None:
    state = started().add("run.completed", at=LATER, outputs={"x": 1}).state
    assert (state.status, state.outputs, state.completed_at) == (RunStatus.COMPLETED, {"x": 1}, LATER)
    assert state.is_terminal


def test_a_failed_run_keeps_its_error_without_retryable_and_names_the_node() -> None:
    error = {"code": "approval_rejected", "message": "No.", "retryable": False, "details": {"a": 1}}
    state = started().add("run.failed", at=LATER, error=error, failedNodeId="gate").state
    assert state.status is RunStatus.FAILED
    assert state.error == {"code": "approval_rejected", "message": "No.", "details": {"a": 1}}
    assert state.failed_node_id == "gate"
    assert state.completed_at == LATER


def test_a_cancelled_run_waits_for_nothing() -> None:
    state = started().suspend("a").add("node.cancelled", "a").add("run.cancelled", at=LATER, reason="r").state
    assert (state.status, state.waiting, state.completed_at) == (RunStatus.CANCELLED, (), LATER)


def test_an_unknown_type_only_moves_the_sequence() -> None:
    before = started().add("node.started", "a")
    known = before.state
    after = before.add("cap.breached", kind="node-executions", limit=1, observed=2).state
    assert after.last_sequence == known.last_sequence + 1
    assert after.nodes == known.nodes
    assert after.status is known.status


def test_a_state_survives_json() -> None:
    log = started(inputs={"a": None}).suspend("b", "external-event").suspend("a").add("node.skipped", "c", reason="r")
    state = log.state
    assert RunState.from_json(json.loads(json.dumps(state.to_json()))) == state
    ended = log.add("run.failed", error={"code": "internal_error", "message": "m"}).state
    assert RunState.from_json(json.loads(json.dumps(ended.to_json()))) == ended
