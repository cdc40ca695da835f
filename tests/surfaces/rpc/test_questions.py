"""Asking without a workflow: raise a question, wait for it, read the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone

from interrupts.models import Run, Workflow
from interrupts.services.workflows import store_workflow
from tests import factories
from tests.surfaces.rest.api import KEY
from tests.surfaces.rpc.client import Rpc, pointers

QUESTION: dict[str, Any] = {
    "kind": "issue_review",
    "title": "Open these issues?",
    "payload": {"report": "# Readiness", "issues": [1, 2]},
    "outcomes": ["submitted", "cancelled"],
    "request_schema": {"type": "object", "required": ["report"], "properties": {"report": {"type": "string"}}},
    "resume_schema": {"type": "object", "required": ["approved"], "properties": {"approved": {"type": "boolean"}}},
}


def test_a_question_describes_itself_is_answered_and_its_answer_read(rpc: Rpc) -> None:
    raised = rpc.call("interrupts.raise", QUESTION)
    shown = rpc.call("workflow.runs.inspect", {"run_id": raised["run_id"]})["interrupt"]
    assert shown["id"] == raised["interrupt_id"]
    asked = {name: shown[name] for name in ("kind", "payload", "outcomes", "request_schema", "resume_schema")}
    assert asked == {name: QUESTION[name] for name in asked}
    assert shown["typed"] is True
    answer = {"run_id": raised["run_id"], "outcome": "submitted", "payload": {"approved": False}}
    assert rpc.call("workflow.runs.resume", answer)["status"] == "completed"
    told = rpc.call("interrupts.wait", {"run_id": raised["run_id"]})
    assert (told["ended"], told["outcome"], told["payload"]) == ("resolved", "submitted", {"approved": False})


def test_the_least_question_has_a_kind_and_a_payload(rpc: Rpc) -> None:
    raised = rpc.call("interrupts.raise", {"kind": "note", "payload": {}})
    shown = rpc.call("workflow.runs.inspect", {"run_id": raised["run_id"]})["interrupt"]
    assert (shown["outcomes"], shown["payload"], shown["typed"]) == (["submitted"], {}, False)


def test_questions_of_one_contract_are_runs_of_one_workflow(rpc: Rpc) -> None:
    rpc.call("interrupts.raise", QUESTION)
    rpc.call("interrupts.raise", {**QUESTION, "payload": {"report": "another"}})
    rpc.call("interrupts.raise", {**QUESTION, "title": "Another title"})
    assert (Workflow.objects.count(), Run.objects.count()) == (2, 3)


def test_a_question_with_a_key_is_asked_once(rpc: Rpc) -> None:
    first = rpc.call("interrupts.raise", QUESTION, Idempotency_Key=KEY)
    assert rpc.call("interrupts.raise", QUESTION, Idempotency_Key=KEY) == {**first, "status": "waiting-approval"}
    assert Run.objects.count() == 1
    other = {**QUESTION, "payload": {"report": "another"}}
    rpc.refused("interrupts.raise", other, "idempotency_key_mismatch", Idempotency_Key=KEY)


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"payload": {}}, "/payload/report"),
        ({"payload": 1}, "/payload"),
        ({"outcomes": []}, "/outcomes"),
        ({"outcomes": ["payload"]}, "/outcomes/0"),
        ({"resume_schema": {"type": "objekt"}}, "/resume_schema/type"),
        ({"resume_schema": {"type": "array"}}, "/resume_schema/type"),
        ({"request_schema": {"type": "object", "$ref": "https://example.org/x"}}, "/request_schema/$ref"),
        ({"timeout_ms": 0}, "/timeout_ms"),
        ({"kind": ""}, "/kind"),
    ],
)
def test_a_bad_question_is_told_by_pointer_and_nothing_is_kept(rpc: Rpc, changed: dict[str, Any], where: str) -> None:
    details = rpc.refused("interrupts.raise", {**QUESTION, **changed}, "validation_error")
    assert pointers(details)[0][0].startswith(where)
    assert Workflow.objects.count() == 0


def test_nobody_asks_for_a_password(rpc: Rpc) -> None:
    schema = {"type": "object", "properties": {"password": {"type": "string"}}}
    details = rpc.refused("interrupts.raise", {**QUESTION, "resume_schema": schema}, "validation_error")
    assert pointers(details)[0][0].startswith("/resume_schema")


def test_nobody_can_take_the_place_of_a_question_and_those_of_before_are_never_asked_instead(rpc: Rpc) -> None:
    rpc.call("interrupts.raise", QUESTION)
    stored = Workflow.objects.get()
    taken = {**factories.one_gate(stored.workflow_id), "version": "2"}
    for document in (taken, json.loads(stored.document)):
        details = rpc.refused("workflow.register", {"workflow": document}, "validation_error")
        assert pointers(details) == [("/id", "reserved")]
    rpc.call("interrupts.raise", QUESTION)
    # One that was registered when that was possible.
    store_workflow(tenant_id="acme", definition=taken, now=timezone.now())
    rpc.refused("interrupts.raise", QUESTION, "version_conflict")
    assert Run.objects.count() == 2
