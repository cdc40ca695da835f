"""An agent that is not sure waits for a person (interrupt.md §Payload; wire contract §23; G11, case 107)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from tests.factories import (
    actor,
    edge,
    last,
    log_of,
    node,
    one_interrupt,
    reply,
    run_of,
    start,
    start_flow,
    status,
    suspension,
    trail,
    workflow,
)
from tests.offers import offer_conformance_types

AGENT: JsonObject = {"agentId": "core.conformance.decider", "modelClass": "reasoning"}


@pytest.fixture(autouse=True)
def _agents(monkeypatch: pytest.MonkeyPatch) -> None:
    offer_conformance_types(monkeypatch)


def deciding(confidence: float | None, decision: JsonValue = "go") -> JsonObject:
    mock: JsonObject = {"decision": decision}
    if confidence is not None:
        mock["confidence"] = confidence
    agent = node("decide", "core.conformance.mock-agent", config={"mockDecision": mock})
    return workflow([{**agent, "agent": AGENT}, node("then")], [edge("decide", "then")])


def threshold(value: float) -> JsonObject:
    return {"version": 1, "run": {"escalationThreshold": value}}


def test_an_unsure_decision_is_directly_followed_by_the_suspension_and_then_asked() -> None:
    run_id = start_flow(deciding(0.5, {"kind": "refund"}))
    assert trail(run_id) == [
        "run.started",
        "node.started decide",
        "agent.decided decide",
        "node.suspended decide",
        "interrupt.requested decide",
    ]
    assert last(run_id, "agent.decided") == {
        "agentId": "core.conformance.decider",
        "decision": {"kind": "refund"},
        "confidence": 0.5,
    }
    waits = suspension(run_id, "decide")
    assert last(run_id, "node.suspended") == {
        "nodeId": "decide",
        "interruptId": waits.pk,
        "kind": "low-confidence",
        "key": waits.key,
        "reason": "low-confidence",
    }
    assert last(run_id, "interrupt.requested")["data"] == {
        "agentId": "core.conformance.decider",
        "threshold": 0.7,
        "observed": 0.5,
        "decision": {"kind": "refund"},
    }
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-approval", "decide")


@pytest.mark.parametrize("confidence", [0.7, 0.71, 1, None])
def test_a_decision_at_the_threshold_above_it_or_without_confidence_goes_on(confidence: float | None) -> None:
    run_id = start_flow(deciding(confidence))
    assert status(run_id) == "completed"
    assert trail(run_id)[2:4] == ["agent.decided decide", "node.completed decide"]
    assert ("confidence" in last(run_id, "agent.decided")) == (confidence is not None)


@pytest.mark.parametrize(
    ("limit", "confidence", "waits"),
    [(0.9, 0.89, True), (0.9, 0.9, False), (0, 0, False), (1, 0.999, True), (1, 1, False), (0.2, 0.5, False)],
)
def test_the_threshold_is_the_runs_own_option(limit: float, confidence: float, waits: bool) -> None:
    run_id = start_flow(deciding(confidence), configurable=threshold(limit))
    assert status(run_id) == ("waiting-approval" if waits else "completed")
    if waits:
        assert last(run_id, "interrupt.requested")["data"]["threshold"] == limit


@pytest.mark.parametrize("value", [{"approved": True}, None, "go ahead", False])
def test_any_answer_lets_the_decision_through_and_is_put_out(value: Any) -> None:
    run_id = start_flow(deciding(0.1))
    reply(actor("ann"), run_id, value, at="decide")
    assert status(run_id) == "completed"
    assert last(run_id, "node.completed", at="decide")["outputs"] == {
        "decision": "go",
        "confidence": 0.1,
        "resumeValue": value,
    }
    assert last(run_id, "interrupt.resolved")["resumeValue"] == value


def test_two_runs_of_one_workflow_may_have_two_thresholds() -> None:
    ann = actor("ann")
    careful = start_flow(deciding(0.8), by=ann, configurable=threshold(0.9))
    assert [status(careful), status(start(ann))] == ["waiting-approval", "completed"]


def test_a_workflow_may_raise_one_itself() -> None:
    data: JsonObject = {"agentId": "a", "threshold": 0.7, "observed": 0.2, "decision": [1]}
    run_id = start_flow(one_interrupt("low-confidence", data))
    assert [event.type for event in log_of(run_id)][2:] == ["node.suspended", "interrupt.requested"]
    assert last(run_id, "node.suspended")["reason"] == "low-confidence"
    assert last(run_id, "interrupt.requested")["data"] == data
