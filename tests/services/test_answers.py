"""One approval gate and the five ways to answer it (interrupt.md §Approval, wire contract §13, §15)."""

from __future__ import annotations

import pytest

from approvals.models import Question, Vote
from interrupts.contracts.types import JsonObject
from interrupts.errors import AlreadyResolved, Forbidden, NotFound, ValidationFailed
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.vocabulary import SuspensionOutcome
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
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
    trail,
)

DECIDED_AT = "2026-03-02T09:05:00.000Z"


def test_a_gate_asks_with_its_payload_verbatim_and_the_run_waits() -> None:
    run_id = start_flow(one_gate(description="Both amounts agree.", artifactData={"amount": 5}))
    assert trail(run_id) == ["run.started", "node.started gate", "interrupt.requested gate", "node.suspended gate"]
    asked = suspension(run_id)
    assert last(run_id, "interrupt.requested") == {
        "kind": "approval",
        "key": asked.key,
        "data": {
            "artifactId": "gate",
            "artifactType": "decision",
            "title": "Release it?",
            "actions": ["accept", "reject", "refine", "edit-accept", "ask"],
            "description": "Both amounts agree.",
            "artifactData": {"amount": 5},
        },
    }
    assert last(run_id, "node.suspended") == {
        "nodeId": "gate",
        "interruptId": asked.pk,
        "kind": "approval",
        "key": asked.key,
    }
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-approval", "gate")
    assert (asked.outcome, asked.title, asked.opened_at, asked.deadline) == (None, "Release it?", NOW, None)


def test_an_accept_grants_the_gate_and_the_run_goes_on() -> None:
    ann = actor("ann")
    run_id = start_flow(chain(gate_node(), node("pay", "core.identity")))
    done = answer(ann, run_id, {"action": "accept", "feedback": "Fine."}, now=after(minutes=5))
    assert done.result == {"runId": run_id, "nodeId": "gate", "status": "completed"}
    assert not done.is_replay
    value = {"action": "accept", "feedback": "Fine.", "decidedAt": DECIDED_AT}
    gate = suspension(run_id)
    assert trail(run_id)[4:] == [
        "interrupt.resolved gate",
        "node.resumed gate",
        "node.completed gate",
        "node.started pay",
        "node.completed pay",
        "run.completed",
    ]
    assert last(run_id, "interrupt.resolved") == {
        "nodeId": "gate",
        "interruptId": gate.pk,
        "kind": "approval",
        "resolvedBy": {
            "issuer": "urn:wopsite:session",
            "subjectId": ann.subject_id,
            "tenant": "acme",
            "lane": "session",
            "kind": "user",
        },
        "decision": "granted",
        "action": "accept",
        "resumeValue": value,
        "x-votes": [
            {
                "voter": ann.subject_id,
                "actor": ann.subject_id,
                "action": "accept",
                "via": "anyone",
                "onBehalfOf": None,
                "castAt": DECIDED_AT,
            }
        ],
    }
    assert last(run_id, "node.resumed") == {"nodeId": "gate", "interruptId": gate.pk, "resumeValue": value}
    assert last(run_id, "node.completed", at="gate")["outputs"] == {
        "action": "accept",
        "decision": "granted",
        "resumeValue": value,
        "feedback": "Fine.",
    }
    assert (gate.outcome, gate.resolved_at) == (SuspensionOutcome.RESOLVED, after(minutes=5))
    assert {event.at for event in log_of(run_id)[4:]} == {after(minutes=5)}


def test_a_reject_fails_the_gate_for_good_and_names_it() -> None:
    run_id = start_flow(chain(gate_node(), node("pay")))
    done = answer(actor("ann"), run_id, {"action": "reject", "feedback": "Too much."}, now=after(minutes=5))
    assert done.result["status"] == "failed"
    assert trail(run_id)[4:] == ["interrupt.resolved gate", "node.failed gate", "run.failed"]
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("reject", "rejected")
    assert resolved["resumeValue"] == {"action": "reject", "feedback": "Too much.", "decidedAt": DECIDED_AT}
    assert "reason" not in resolved
    error = {"code": "approval_rejected", "message": "The gate was rejected.", "retryable": False}
    assert last(run_id, "node.failed") == {"nodeId": "gate", "error": error, "attempts": 1}
    failed = last(run_id, "run.failed")
    assert failed["error"]["code"] == "approval_rejected"
    assert failed["failedNodeId"] == "gate"
    assert failed["durationMs"] == 300_000
    assert run_of(run_id).error == {"code": "approval_rejected", "message": "The gate was rejected."}
    assert run_of(run_id).completed_at == after(minutes=5)


def test_a_refine_ends_the_gate_and_hands_its_feedback_on() -> None:
    run_id = start_flow(one_gate())
    feedback: JsonObject = {"scope": "items", "itemIds": ["a"], "text": "Round it."}
    done = answer(actor("ann"), run_id, {"action": "refine", "refineFeedback": feedback})
    assert done.result["status"] == "completed"
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("refine", "granted")
    assert resolved["refineFeedback"] == feedback
    assert "editedArtifactData" not in resolved
    outputs = last(run_id, "node.completed")["outputs"]
    assert (outputs["action"], outputs["refineFeedback"]) == ("refine", feedback)


def test_an_edit_accept_replaces_the_artifact() -> None:
    run_id = start_flow(one_gate(artifactData={"amount": 5}))
    answer(actor("ann"), run_id, {"action": "edit-accept", "editedArtifactData": {"amount": 4}})
    resolved = last(run_id, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("edit-accept", "granted")
    assert resolved["editedArtifactData"] == {"amount": 4}
    assert last(run_id, "node.completed")["outputs"]["artifactData"] == {"amount": 4}


def test_an_edit_to_null_is_an_edit() -> None:
    run_id = start_flow(one_gate(artifactData={"amount": 5}))
    answer(actor("ann"), run_id, {"action": "edit-accept", "editedArtifactData": None})
    assert last(run_id, "interrupt.resolved")["editedArtifactData"] is None
    assert last(run_id, "node.completed")["outputs"]["artifactData"] is None


def test_an_accepted_artifact_is_handed_on_as_it_was_shown() -> None:
    run_id = start_flow(one_gate(artifactData={"amount": 5}))
    answer(actor("ann"), run_id, "accept")
    assert last(run_id, "node.completed")["outputs"]["artifactData"] == {"amount": 5}


def test_a_question_is_kept_and_leaves_the_gate_as_it_was() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(timeoutMs=60_000))
    before = trail(run_id)
    done = answer(ann, run_id, {"action": "ask", "feedback": "Which invoice?"}, now=after(seconds=30))
    assert done.result == {"runId": run_id, "nodeId": "gate", "status": "waiting-approval"}
    assert trail(run_id) == before
    question = Question.objects.get()
    assert (question.suspension_id, question.actor, question.text) == (
        suspension(run_id).pk,
        ann.subject_id,
        "Which invoice?",
    )
    assert question.asked_at == after(seconds=30)
    assert suspension(run_id).deadline == after(seconds=60)
    assert not Vote.objects.exists()
    answer(ann, run_id, "accept", now=after(seconds=40))
    assert status(run_id) == "completed"


def test_the_time_of_a_decision_is_the_callers_where_it_is_given() -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, {"action": "accept", "decidedAt": "2026-03-02T10:00:00+01:00"})
    assert last(run_id, "interrupt.resolved")["resumeValue"]["decidedAt"] == "2026-03-02T10:00:00+01:00"


def test_who_decided_is_the_one_who_asked_whatever_the_answer_claims() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate())
    answer(ann, run_id, {"action": "accept", "decidedBy": "the queen", "voter": "ben"})
    resolved = last(run_id, "interrupt.resolved")
    assert resolved["resolvedBy"]["subjectId"] == ann.subject_id
    assert [vote["voter"] for vote in resolved["x-votes"]] == [ann.subject_id]
    assert resolved["resumeValue"]["decidedBy"] == "the queen"


def test_a_second_answer_is_told_the_gate_is_decided() -> None:
    run_id = start_flow(chain(gate_node(), gate_node("second")))
    answer(actor("ann"), run_id, "accept")
    before = trail(run_id)
    with pytest.raises(AlreadyResolved):
        answer(actor("ben"), run_id, "accept")
    assert trail(run_id) == before
    assert Vote.objects.count() == 1


def test_an_answer_to_a_run_that_is_over_is_told_so() -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, "reject")
    with pytest.raises(AlreadyResolved):
        answer(actor("ann"), run_id, "accept")


def test_an_answer_meant_for_an_earlier_interrupt_does_not_count_for_a_later_one() -> None:
    ann = actor("ann")
    document = chain(node("start"), gate_node())
    edges = document["edges"]
    assert isinstance(edges, list)
    again: JsonObject = {"type": "equals", "left": "action", "right": "refine"}
    edges.append({"id": "again", "sourceNodeId": "gate", "targetNodeId": "gate", "condition": again})
    run_id = start_flow(document)
    first = suspension(run_id)
    answer(ann, run_id, {"action": "refine", "refineFeedback": {"scope": "whole"}}, now=after(minutes=1))
    assert status(run_id) == "waiting-approval"
    request = ResolveRequest(
        actor=ann, run_id=run_id, node_id="gate", answer=ResumeValue({"action": "accept"}), interrupt_id=first.pk
    )
    with pytest.raises(AlreadyResolved):
        resolve_interrupt(request=request, now=after(minutes=2))
    assert status(run_id) == "waiting-approval"


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "resumeValue"),
        ("accept", "resumeValue"),
        ({}, "resumeValue.action"),
        ({"action": "timeout"}, "resumeValue.action"),
        ({"action": "approve"}, "resumeValue.action"),
        ({"action": "refine"}, "resumeValue.refineFeedback"),
        ({"action": "refine", "refineFeedback": {}}, "resumeValue.refineFeedback.scope"),
        ({"action": "refine", "refineFeedback": {"scope": "whole", "extra": 1}}, "resumeValue.refineFeedback.extra"),
        ({"action": "edit-accept"}, "resumeValue.editedArtifactData"),
        ({"action": "accept", "decidedAt": "yesterday"}, "resumeValue.decidedAt"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_refused_and_changes_nothing(value: JsonObject | None, field: str) -> None:
    run_id = start_flow(one_gate())
    before = trail(run_id)
    request = ResolveRequest(actor=actor("ann"), run_id=run_id, node_id="gate", answer=ResumeValue(value))
    with pytest.raises(ValidationFailed) as refused:
        resolve_interrupt(request=request, now=NOW)
    assert refused.value.details["field"] == field
    assert trail(run_id) == before
    assert not Vote.objects.exists()


def test_an_action_that_the_gate_does_not_take_is_refused_with_those_it_takes() -> None:
    run_id = start_flow(one_gate(actions=["accept", "reject"]))
    with pytest.raises(ValidationFailed) as refused:
        answer(actor("ann"), run_id, {"action": "refine", "refineFeedback": {"scope": "whole"}})
    assert refused.value.details == {"field": "resumeValue.action", "allowed": ["accept", "reject"]}
    assert "accept, reject" in refused.value.message


def test_a_gate_with_a_resume_schema_refuses_what_does_not_fit_it() -> None:
    schema: JsonObject = {
        "type": "object",
        "required": ["costCentre"],
        "properties": {"costCentre": {"type": "string"}},
    }
    run_id = start_flow(one_gate(resumeSchema=schema))
    assert last(run_id, "interrupt.requested")["resumeSchema"] == schema
    with pytest.raises(ValidationFailed) as refused:
        answer(actor("ann"), run_id, {"action": "accept", "costCentre": 12})
    assert refused.value.details["field"] == "resumeValue.costCentre"
    assert not Vote.objects.exists()
    answer(actor("ann"), run_id, {"action": "accept", "costCentre": "12"})
    assert last(run_id, "interrupt.resolved")["resumeValue"]["costCentre"] == "12"


# --- Order of the checks (wire contract §13) --------------------------------------------------------------------------


def test_an_answer_to_an_unknown_run_finds_nothing() -> None:
    with pytest.raises(NotFound):
        answer(actor("ann"), "acme/r-00000000000000000000000000000000", "accept")


def test_a_run_of_another_tenant_is_not_there() -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(NotFound):
        answer(actor("eve", of="other"), run_id, "accept")
    assert status(run_id) == "waiting-approval"


def test_an_answer_to_an_unknown_node_finds_nothing_even_when_the_run_is_over() -> None:
    run_id = start_flow(one_gate())
    for _ in range(2):
        with pytest.raises(NotFound):
            answer(actor("ann"), run_id, "accept", at="nowhere")
        if status(run_id) == "waiting-approval":
            answer(actor("ann"), run_id, "accept")


def test_a_node_that_never_asked_is_not_found_while_the_run_goes_on() -> None:
    run_id = start_flow(chain(node("a"), gate_node()))
    with pytest.raises(NotFound):
        answer(actor("ann"), run_id, "accept", at="a")


def test_a_node_that_never_asked_is_already_resolved_once_the_run_is_over() -> None:
    run_id = start_flow(chain(node("a"), gate_node()))
    answer(actor("ann"), run_id, "accept")
    with pytest.raises(AlreadyResolved):
        answer(actor("ann"), run_id, "accept", at="a")


def test_a_body_of_the_wrong_shape_matters_only_where_there_is_something_to_answer() -> None:
    ann = actor("ann")
    register(one_gate(), now=NOW)
    run_id = start(ann)
    bad_body = ValidationFailed(details={"field": "resumeValue"})
    with pytest.raises(NotFound):
        resolve_interrupt(request=ResolveRequest(actor=ann, run_id=run_id, node_id="x", answer=bad_body), now=NOW)
    with pytest.raises(ValidationFailed):
        resolve_interrupt(request=ResolveRequest(actor=ann, run_id=run_id, node_id="gate", answer=bad_body), now=NOW)
    answer(ann, run_id, "accept")
    with pytest.raises(AlreadyResolved):
        resolve_interrupt(request=ResolveRequest(actor=ann, run_id=run_id, node_id="gate", answer=bad_body), now=NOW)


def test_a_stranger_learns_nothing_of_the_answers_shape() -> None:
    run_id = start_flow(one_gate(approversList=["ann"]))
    with pytest.raises(Forbidden):
        answer(actor("eve"), run_id, {"action": "no such thing"})


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ({"feedback": "Which budget?"}, "Which budget?"),
        ({"question": "Which budget?"}, "Which budget?"),
        ({"feedback": "This.", "question": "That."}, "This."),
        ({"feedback": "", "question": "Which budget?"}, "Which budget?"),
        ({"question": 5}, ""),
        ({}, ""),
    ],
)
def test_a_question_is_taken_from_the_feedback_or_from_what_clients_call_a_question(
    words: JsonObject, text: str
) -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, {"action": "ask", **words})
    assert Question.objects.get().text == text
