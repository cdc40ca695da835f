"""Clarifications from the question to the outputs (interrupt.md §Payload; wire contract §14; case 93)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import Forbidden, ValidationFailed
from interrupts.models import Timer
from interrupts.vocabulary import Scope
from tests.factories import (
    actor,
    after,
    edge,
    last,
    node,
    one_interrupt,
    reply,
    run_of,
    start_flow,
    status,
    suspension,
    sweep,
    trail,
    workflow,
)

NUMBER: JsonObject = {"type": "integer", "minimum": 1}
QUESTIONS: list[JsonValue] = [
    {"id": "q1", "question": "How many?", "schema": NUMBER},
    {"id": "q2", "question": "Why?"},
]


def gate(**config: Any) -> JsonObject:
    return workflow([node("ask", "core.clarificationGate", config={"questions": QUESTIONS, **config})])


def test_a_run_waits_for_input_and_shows_its_questions() -> None:
    run_id = start_flow(gate(contextType="order"))
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-input", "ask")
    asked = last(run_id, "interrupt.requested")
    assert (asked["kind"], asked["data"]) == ("clarification", {"questions": QUESTIONS, "contextType": "order"})
    assert trail(run_id) == ["run.started", "node.started ask", "interrupt.requested ask", "node.suspended ask"]


@pytest.mark.parametrize(
    "value",
    [
        {"q1": 2, "q2": "two"},
        {"answers": {"q1": 2, "q2": "two"}},
        {"answers": [{"id": "q2", "answer": "two"}, {"id": "q1", "answer": 2}]},
    ],
)
@pytest.mark.parametrize("by_interrupt", [False, True])
def test_the_log_keeps_the_answer_as_sent_and_the_node_puts_out_answers_by_question(
    value: JsonValue, by_interrupt: bool
) -> None:
    run_id = start_flow(one_interrupt("clarification", {"questions": QUESTIONS}) if by_interrupt else gate())
    ann = actor("ann")
    assert reply(ann, run_id, value).result["status"] == "completed"
    assert last(run_id, "interrupt.resolved") == {
        "nodeId": "ask",
        "interruptId": suspension(run_id, "ask").pk,
        "kind": "clarification",
        "resumeValue": value,
        "resolvedBy": ann.subject,
    }
    assert last(run_id, "node.resumed")["resumeValue"] == value
    assert last(run_id, "node.completed")["outputs"] == {"answers": {"q1": 2, "q2": "two"}, "resumeValue": value}


@pytest.mark.parametrize("value", [None, {}, {"q1": 2}, {"q1": 0, "q2": 1}, {"answers": {"q1": "2", "q2": 1}}, "two"])
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays_open(value: JsonValue) -> None:
    run_id = start_flow(gate())
    with pytest.raises(ValidationFailed) as caught:
        reply(actor("ann"), run_id, value)
    assert str(caught.value.details["field"]).startswith("resumeValue")
    assert status(run_id) == "waiting-input"
    assert "interrupt.resolved ask" not in trail(run_id)


def test_the_resume_schema_holds_for_the_value_as_it_was_sent() -> None:
    run_id = start_flow(gate(resumeSchema={"type": "object", "required": ["answers"]}))
    with pytest.raises(ValidationFailed) as caught:
        reply(actor("ann"), run_id, {"q1": 2, "q2": "two"})
    assert caught.value.details["field"] == "resumeValue.answers"
    assert reply(actor("ann"), run_id, {"answers": {"q1": 2, "q2": "two"}}).result["status"] == "completed"


def test_only_a_holder_of_the_scope_may_answer_and_no_detail_is_told_to_others() -> None:
    run_id = start_flow(gate())
    with pytest.raises(Forbidden):
        reply(actor("rita", scopes=[Scope.RUNS_READ]), run_id, {"nonsense": 1})
    assert status(run_id) == "waiting-input"


def test_a_passed_deadline_fails_the_node_naming_the_cause() -> None:
    run_id = start_flow(gate(timeoutMs=60_000))
    assert last(run_id, "interrupt.requested")["timeoutMs"] == 60_000
    assert sweep(now=after(seconds=60)) == 1
    assert trail(run_id)[4:] == ["interrupt.resolved ask", "node.failed ask", "run.failed"]
    assert last(run_id, "interrupt.resolved") == {
        "nodeId": "ask",
        "interruptId": suspension(run_id, "ask").pk,
        "kind": "clarification",
        "reason": "timeout",
    }
    assert last(run_id, "node.failed")["error"] == {
        "code": "interrupt_expired",
        "message": "Nobody answered in time.",
        "retryable": False,
        "details": {"kind": "clarification", "timeoutMs": 60_000},
    }
    assert last(run_id, "run.failed")["failedNodeId"] == "ask"
    assert not Timer.objects.exists()


def test_an_expired_question_is_routed_like_any_failure() -> None:
    nodes = [node("ask", "core.clarificationGate", config={"questions": QUESTIONS, "timeoutMs": 1000}), node("late")]
    run_id = start_flow(workflow([*nodes, node("on")], [edge("ask", "late", "any_failed"), edge("ask", "on")]))
    sweep(now=after(seconds=1))
    assert status(run_id) == "completed"
    assert "node.completed late" in trail(run_id)
    assert "node.skipped on" in trail(run_id)


def test_what_was_answered_can_be_used_further_on() -> None:
    echo = node("echo", "core.identity", inputs={
        "payload": {"type": "expression", "expression": "nodes.ask.outputs.answers.q1 + 1"}
    })  # fmt: skip
    ask = node("ask", "core.clarificationGate", config={"questions": QUESTIONS})
    run_id = start_flow(workflow([ask, echo], [edge("ask", "echo")]))
    reply(actor("ann"), run_id, {"q1": 2, "q2": None})
    assert last(run_id, "node.completed", at="echo")["outputs"] == {"payload": 3}
