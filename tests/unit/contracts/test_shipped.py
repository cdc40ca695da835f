"""The schemas of the wire contract that we carry."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.references import read_graph
from interrupts.contracts.shipped import event_payload, event_types, shipped, shipped_document, shipped_names
from interrupts.contracts.types import JsonValue
from interrupts.contracts.validation import validate

PROMISED = {
    "agent-ref", "approval-resume", "budget-policy", "bulk-cancel-request", "cancel-request", "capabilities",
    "compensation-policy", "configurable", "create-run-request", "error-envelope", "ids", "prompt-ref", "residency",
    "resolve-interrupt-request", "run-event", "run-event-payloads", "run-list-response", "run-options", "run-snapshot",
    "subject", "suspend-request", "workflow-definition",
}  # fmt: skip


def found(name: str, value: JsonValue) -> list[tuple[str, str]]:
    return [(problem.pointer, problem.keyword) for problem in validate(shipped(name), value)]


def node(node_id: str, type_id: str, **config: JsonValue) -> dict[str, JsonValue]:
    position: JsonValue = {"x": 0, "y": 0}
    return {"id": node_id, "typeId": type_id, "name": node_id, "position": position, "config": config, "inputs": {}}


def edge(source: str, target: str, **more: JsonValue) -> dict[str, JsonValue]:
    return {"id": f"{source}-{target}", "sourceNodeId": source, "targetNodeId": target, **more}


def workflow(nodes: list[JsonValue], edges: list[JsonValue], **more: JsonValue) -> dict[str, JsonValue]:
    return {
        "id": "expense-approval", "name": "Expense approval", "version": "1.0", "nodes": nodes, "edges": edges,
        "triggers": [{"id": "manual", "type": "manual"}], "variables": [], "metadata": {}, "settings": {}, **more,
    }  # fmt: skip


def test_everything_promised_is_carried() -> None:
    assert set(shipped_names()) >= PROMISED
    with pytest.raises(KeyError):
        shipped("no-such-schema")


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_schema_compiles_and_its_references_lead_somewhere(name: str) -> None:
    graph = read_graph(shipped(name), most=20_000)
    assert graph.problems == []
    assert shipped(name) is shipped(name)


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_schema_says_whose_it_is(name: str) -> None:
    document = shipped_document(name)
    assert document["$id"] == f"https://openwop.dev/spec/v2/{name}.schema.json"
    comment = str(document["$comment"])
    assert ("openwop.dev" in comment and "CC BY 4.0 / Apache-2.0" in comment) or comment.startswith("This host's own")


def test_a_gate_between_two_steps_is_a_workflow() -> None:
    nodes: list[JsonValue] = [
        node("start", "core.noop"),
        node("gate", "core.approvalGate", title="Pay?", actions=["accept", "reject"], requiredApprovals=2),
        node("paid", "core.identity"),
        node("refused", "core.noop"),
    ]
    edges: list[JsonValue] = [
        edge("start", "gate"),
        edge("gate", "paid", triggerRule="all_success"),
        edge("gate", "refused", triggerRule="any_failed", label="Refused"),
    ]
    variables: JsonValue = [{"name": "amount", "type": "number", "required": True}]
    assert found("workflow-definition", workflow(nodes, edges, variables=variables)) == []


def test_ports_conditions_and_a_loop_are_a_workflow() -> None:
    revise = node("revise", "core.identity")
    revise["inputs"] = {
        "a": {"type": "static", "value": [1]},
        "b": {"type": "variable", "variableName": "amount"},
        "c": {"type": "connection", "nodeId": "gate", "outputKey": "decision", "optional": True},
        "d": {"type": "expression", "expression": "variables.amount > 3"},
    }
    condition: JsonValue = {"type": "equals", "left": "gate.decision", "right": "rejected"}
    edges: list[JsonValue] = [
        edge("gate", "revise", triggerRule="any_failed", condition=condition),
        edge("revise", "gate", triggerRule="any_success"),
    ]
    nodes: list[JsonValue] = [node("gate", "core.approvalGate"), revise]
    assert found("workflow-definition", workflow(nodes, edges, configurableSchema={"type": "object"})) == []


def test_what_is_no_workflow_is_said_place_by_place() -> None:
    broken = workflow([node("a", "NoSuchForm", x=1)], [edge("a", "b", triggerRule="maybe")], colour="red")
    del broken["version"]
    assert found("workflow-definition", broken) == [
        ("/colour", "additionalProperties"),
        ("/edges/0/triggerRule", "enum"),
        ("/nodes/0/typeId", "pattern"),
        ("/version", "required"),
    ]


def test_a_run_is_created_with_nothing_but_its_workflow() -> None:
    assert found("create-run-request", {"workflowId": "expense-approval"}) == []
    assert found("create-run-request", {}) == [("/workflowId", "required")]
    assert found("create-run-request", []) == [("", "type")]


@pytest.mark.parametrize("member", ["evalModes", "baselineRunId", "fixtureRuns", "surprise"])
def test_members_of_other_hosts_are_unknown_when_a_run_is_created(member: str) -> None:
    assert found("create-run-request", {"workflowId": "w", member: {}}) == [(f"/{member}", "additionalProperties")]


def test_the_texts_of_a_run_are_bounded() -> None:
    body: JsonValue = {
        "workflowId": "w" * 129, "scopeId": "s" * 257, "tags": ["", "t" * 257], "callbackUrl": "not a uri",
    }  # fmt: skip
    assert found("create-run-request", body) == [
        ("/callbackUrl", "format"),
        ("/scopeId", "maxLength"),
        ("/tags/0", "minLength"),
        ("/tags/1", "maxLength"),
        ("/workflowId", "maxLength"),
    ]


@pytest.mark.parametrize(
    ("threshold", "keywords"), [(0, []), (0.7, []), (1, []), (1.1, ["maximum"]), (-1, ["minimum"])]
)
def test_the_escalation_threshold_is_a_number_between_0_and_1(threshold: float, keywords: list[str]) -> None:
    configurable: JsonValue = {"version": 1, "run": {"escalationThreshold": threshold}}
    where = "/configurable/run/escalationThreshold"
    assert found("create-run-request", {"workflowId": "w", "configurable": configurable}) == [
        (where, keyword) for keyword in keywords
    ]
    assert found("configurable", {"version": 2, "run.recursionLimit": 1}) == [
        ("/run.recursionLimit", "additionalProperties"),
        ("/version", "const"),
    ]


def test_cancelling_takes_a_reason_and_nothing_else() -> None:
    assert found("cancel-request", {}) == []
    assert found("cancel-request", {"reason": "r" * 1000}) == []
    assert found("cancel-request", {"reason": "r" * 1001, "force": True}) == [
        ("/force", "additionalProperties"),
        ("/reason", "maxLength"),
    ]
    assert found("bulk-cancel-request", {"runIds": ["acme/r-1"] * 500}) == []
    assert found("bulk-cancel-request", {"runIds": [], "reason": 1}) == [("/reason", "type"), ("/runIds", "minItems")]
    assert found("bulk-cancel-request", {}) == [("/runIds", "required")]


def test_any_json_is_a_resume_value_but_it_must_be_there() -> None:
    values: list[JsonValue] = [None, {}, [], "x", 0]
    for value in values:
        assert found("resolve-interrupt-request", {"resumeValue": value}) == []
    assert found("resolve-interrupt-request", {}) == [("/resumeValue", "required")]
    assert found("resolve-interrupt-request", {"resumeValue": 1, "token": "x"}) == [("/token", "additionalProperties")]


@pytest.mark.parametrize(
    "value",
    [
        {"action": "accept"},
        {"action": "reject", "feedback": "Too dear.", "voter": "u-1", "decidedBy": "u-1"},
        {"action": "accept", "decidedAt": "2031-05-17T14:30:00+02:00"},
        {"action": "refine", "refineFeedback": {"scope": "items", "itemIds": ["a"], "tags": [], "text": "Shorter."}},
        {"action": "edit-accept", "editedArtifactData": None},
        {"action": "ask"},
    ],
)
def test_the_answers_of_an_approval_are_accepted(value: Any) -> None:
    assert found("approval-resume", value) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, [("", "type")]),
        ({}, [("/action", "required")]),
        ({"action": "timeout"}, [("/action", "enum")]),
        ({"action": "refine"}, [("/refineFeedback", "required")]),
        ({"action": "edit-accept"}, [("/editedArtifactData", "required")]),
        ({"action": "accept", "decidedAt": "yesterday"}, [("/decidedAt", "format")]),
        ({"action": "accept", "decidedAt": 5}, [("/decidedAt", "type")]),
        ({"action": "accept", "feedback": "x" * 10_001}, [("/feedback", "maxLength")]),
        ({"action": "refine", "refineFeedback": {"scope": "all", "why": 1}},
         [("/refineFeedback/scope", "enum"), ("/refineFeedback/why", "additionalProperties")]),
    ],
)  # fmt: skip
def test_other_answers_of_an_approval_are_refused(value: Any, expected: list[tuple[str, str]]) -> None:
    assert found("approval-resume", value) == expected


def test_the_payload_of_an_event_is_checked_by_its_type() -> None:
    interrupt_id = "acme/i-0123456789abcdef"
    resolved: JsonValue = {"nodeId": "gate", "interruptId": interrupt_id, "action": "accept", "decision": "granted"}
    assert validate(event_payload("interrupt.resolved"), resolved) == []
    asked: JsonValue = {"nodeId": "gate", "interruptId": interrupt_id, "action": "ask"}
    assert [p.pointer for p in validate(event_payload("interrupt.resolved"), asked)] == ["/action"]
    assert {"run.started", "node.failed", "interrupt.requested"} <= event_types()
    for event_type in event_types():
        assert event_payload(event_type).digest != ""


@pytest.mark.parametrize("event_type", ["no.such-type", "agent.invocation-started"])
def test_an_event_type_without_a_definition_is_an_error(event_type: str) -> None:
    with pytest.raises(KeyError):
        event_payload(event_type)


def test_requested_approvals_carry_their_data() -> None:
    data: JsonValue = {"artifactId": "a", "artifactType": "expense", "title": "Pay?", "actions": ["accept"]}
    payload: dict[str, JsonValue] = {"kind": "approval", "key": "k", "data": data}
    assert validate(event_payload("interrupt.requested"), payload) == []
    assert found("suspend-request", payload) == []
    nameless: JsonValue = {"artifactId": "a", "artifactType": "expense", "actions": []}
    assert found("suspend-request", {**payload, "data": nameless}) == [
        ("/data/actions", "minItems"),
        ("/data/title", "required"),
    ]


def test_errors_and_lists_have_their_shapes() -> None:
    assert found("error-envelope", {"error": "validation_error", "message": "No.", "details": {"field": "a"}}) == []
    assert found("error-envelope", {"error": "made_up", "message": ""}) != []
    assert found("run-list-response", {"runs": []}) == []
