from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import shipped
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes.approval_gate import ApprovalGate
from interrupts.engine.nodes.base import Completed, Failed, Suspend
from interrupts.vocabulary import InterruptKind
from tests.unit.engine.nodes.contexts import context, granted, resolution, resumed

GATE = ApprovalGate()
FULL: JsonObject = {
    "title": "Release it?",
    "description": "All tests pass.",
    "actions": ["accept", "ask"],
    "requiredApprovals": 3,
    "rejectionPolicy": "majority",
    "overrideBypassesQuorum": True,
    "approversList": [],
    "approverGroupRefs": ["ops"],
    "approverRoleRefs": ["urn:role:lead"],
    "audience": {"groups": ["ops"]},
    "onTimeout": "escalate",
    "artifactId": "release-4",
    "artifactType": "release",
    "artifactData": None,
}


def raised(config: JsonObject, **inputs: Any) -> Suspend:
    result = GATE.execute(context({"title": "T", **config}, **inputs))
    assert isinstance(result, Suspend), result
    return result


def shape_problems(config: JsonObject) -> list[str]:
    return [p.pointer for p in validate(compile_schema(GATE.config_schema), {"title": "T", **config})]


# --- Asking -----------------------------------------------------------------------------------------------------------


def test_a_gate_of_only_a_title_asks_to_accept_or_reject_under_its_own_id() -> None:
    assert raised({"title": "Release it?"}) == Suspend(
        kind=InterruptKind.APPROVAL,
        data={
            "artifactId": "step",
            "artifactType": "decision",
            "title": "Release it?",
            "actions": ["accept", "reject"],
        },
        timeout_ms=None,
        resume_schema=None,
    )


def test_what_the_configuration_says_is_surfaced_unchanged_and_nothing_else_is() -> None:
    suspend = raised({**FULL, "profile": "ignored", "timeoutMs": 1500, "resumeSchema": {"type": "object"}})
    assert suspend.data == FULL
    assert (suspend.timeout_ms, suspend.resume_schema) == (1500, {"type": "object"})
    assert validate(shipped("suspend-request"), {"kind": "approval", "key": "k", "data": suspend.data}) == []


def test_on_timeout_approve_is_never_emitted_since_a_timeout_never_grants() -> None:
    assert raised({"onTimeout": "approve"}).data["onTimeout"] == "reject"


def test_inputs_go_before_the_configuration_for_what_is_shown() -> None:
    shown = {"title": "New", "description": "", "artifactId": "a", "artifactType": "b", "artifactData": {"x": 1}}
    data = raised(FULL, **shown).data
    assert {name: data[name] for name in shown} == shown
    assert data["approverGroupRefs"] == ["ops"]


def test_artifact_is_short_for_artifact_data() -> None:
    assert raised({}, artifact=[1]).data["artifactData"] == [1]
    assert raised({}, artifact=[1], artifactData=[2]).data["artifactData"] == [2]


@pytest.mark.parametrize("value", ["", None, 7])
@pytest.mark.parametrize("name", ["title", "artifactId", "artifactType"])
def test_an_input_that_the_payload_cannot_hold_fails_the_node(name: str, value: JsonValue) -> None:
    result = GATE.execute(context({"title": "T"}, **{name: value}))
    message = f"The input “{name}” of an approval gate must be a text that is not empty."
    assert result == Failed("node_config_invalid", message, retryable=False, details={"input": name})


# --- Going on ---------------------------------------------------------------------------------------------------------


def test_a_granted_gate_puts_out_the_decision_and_the_answer() -> None:
    answer: JsonObject = {"action": "accept", "feedback": "Good.", "decidedAt": "2026-03-02T09:00:00Z"}
    result = GATE.resume(context({"title": "T"}), granted(resume_value=answer))
    assert result == Completed({
        "action": "accept",
        "decision": "granted",
        "resumeValue": answer,
        "feedback": "Good.",
    })  # fmt: skip


def test_a_gate_puts_out_the_artifact_that_was_approved() -> None:
    ctx = resumed(artifactData={"v": 1})
    accepted, edited = GATE.resume(ctx, granted()), GATE.resume(ctx, granted("edit-accept", edited_artifact_data=None))
    assert isinstance(accepted, Completed)
    assert accepted.outputs["artifactData"] == {"v": 1}
    assert isinstance(edited, Completed)
    assert edited.outputs["artifactData"] is None


def test_a_refined_gate_puts_out_what_was_asked_for() -> None:
    feedback: JsonObject = {"scope": "section", "sectionPath": "/intro"}
    result = GATE.resume(context({"title": "T"}), granted("refine", refine_feedback=feedback))
    assert isinstance(result, Completed)
    assert (result.outputs["action"], result.outputs["refineFeedback"]) == ("refine", feedback)


def test_an_overridden_gate_is_a_granted_one() -> None:
    result = GATE.resume(context({"title": "T"}), granted(decision="overridden"))
    assert isinstance(result, Completed)
    assert result.outputs["decision"] == "overridden"


def test_a_rejected_gate_fails_for_good_and_is_never_retried() -> None:
    rejected = resolution(action="reject", decision="rejected", resume_value={"action": "reject"})
    result = GATE.resume(context({"title": "T"}), rejected)
    assert result == Failed("approval_rejected", "The gate was rejected.", retryable=False)


def test_a_timeout_is_a_rejection_that_says_so() -> None:
    result = GATE.resume(context({"title": "T"}), resolution(action="timeout", decision="rejected", reason="timeout"))
    message = "Nobody decided in time, so the gate was rejected."
    assert result == Failed("approval_rejected", message, retryable=False, details={"reason": "timeout"})


@pytest.mark.parametrize("decision", [None, "", "unknown"])
def test_only_a_decision_that_grants_lets_the_run_through(decision: str | None) -> None:
    result = GATE.resume(context({"title": "T"}), granted(decision=decision))
    assert isinstance(result, Failed)
    assert result.code == "approval_rejected"


# --- Registration -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "pointers"),
    [
        (FULL, []),
        ({"title": ""}, ["/title"]),
        ({"actions": []}, ["/actions"]),
        ({"actions": ["accept", "timeout"]}, ["/actions/1"]),
        ({"actions": ["accept", "accept"]}, ["/actions"]),
        ({"requiredApprovals": 0}, ["/requiredApprovals"]),
        ({"rejectionPolicy": "minority"}, ["/rejectionPolicy"]),
        ({"approversList": [7]}, ["/approversList/0"]),
        ({"audience": {"everyone": True}}, ["/audience/everyone"]),
        ({"onTimeout": "grant"}, ["/onTimeout"]),
        ({"timeoutMs": -1}, ["/timeoutMs"]),
        ({"timeoutMs": 10**15}, ["/timeoutMs"]),
        ({"approverList": ["ann"]}, ["/approverList"]),
    ],
)
def test_a_configuration_of_the_wrong_shape_is_told_where(config: JsonObject, pointers: list[str]) -> None:
    assert shape_problems(config) == pointers


def test_references_that_nobody_can_hold_are_refused() -> None:
    config: JsonObject = {"approversList": ["ann", ""], "approverRoleRefs": [" lead"], "approverGroupRefs": ["x" * 257]}
    message = "A reference has 1 to 256 characters and neither begins nor ends with a space."
    assert GATE.check_config(config) == [
        Problem("/approversList/1", "reference", message),
        Problem("/approverGroupRefs/0", "reference", message),
        Problem("/approverRoleRefs/0", "reference", message),
    ]


def test_a_quorum_larger_than_the_list_of_approvers_is_refused() -> None:
    config: JsonObject = {"approversList": ["ann", "bob"], "requiredApprovals": 3}
    message = "3 approvals are required, but the list of approvers names only 2."
    assert GATE.check_config(config) == [Problem("/requiredApprovals", "quorum", message)]


@pytest.mark.parametrize(
    "more", [{"approverGroupRefs": ["ops"]}, {"approverRoleRefs": ["lead"]}, {"approversList": []}]
)
def test_a_quorum_that_others_may_fill_is_accepted(more: JsonObject) -> None:
    assert GATE.check_config({"approversList": ["ann"], "requiredApprovals": 3, **more}) == []


def test_a_resume_schema_that_cannot_be_checked_is_refused() -> None:
    problems = GATE.check_config({"resumeSchema": {"type": "text"}})
    assert [problem.pointer for problem in problems] == ["/resumeSchema/type"]


def test_a_gate_asks_for_an_approval_by_its_configuration() -> None:
    asked = GATE.asks(FULL)
    assert (asked.kind, asked.data) == (InterruptKind.APPROVAL, FULL)
