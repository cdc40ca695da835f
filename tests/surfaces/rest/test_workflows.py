"""GET /workflows/{workflowId} and POST /host/wopsite/workflows (wire contract §6)."""

from __future__ import annotations

import json

import pytest

from interrupts.models import Workflow
from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import KEY, Api

pytestmark = pytest.mark.django_db

REGISTER = "/host/wopsite/workflows"


def test_a_new_version_is_stored_and_can_be_read_back_as_it_was_written(api: Api) -> None:
    variable = {"name": "limits", "type": "object", "defaultValue": {"zebra": 1.5, "apple": [{"b": 1, "a": 2}]}}
    document = {**factories.one_gate("my-flow_1"), "variables": [variable]}
    answer = api.post(REGISTER, document)
    stored = Workflow.objects.get()
    assert answer.status == 201
    assert answer.fits("register-workflow-response")
    assert answer.body == {"workflowId": "my-flow_1", "version": "1", "digest": stored.digest}
    assert answer.headers["Location"] == "/workflows/my-flow_1"
    read = api.get(answer.headers["Location"])
    assert read.fits("workflow-definition")
    assert read.body == document
    assert read.raw == json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def test_the_newest_version_is_the_one_read(api: Api) -> None:
    register(factories.one_gate())
    register({**factories.one_gate(), "version": "2"})
    assert api.get("/workflows/flow").body["version"] == "2"


def test_the_same_document_again_changes_nothing(api: Api) -> None:
    first = api.post(REGISTER, factories.one_gate())
    again = api.post(REGISTER, factories.one_gate())
    assert (first.status, again.status, again.raw) == (201, 200, first.raw)
    assert Workflow.objects.count() == 1


def test_a_version_that_is_registered_never_changes(api: Api) -> None:
    api.post(REGISTER, factories.one_gate())
    api.post(REGISTER, {**factories.one_gate(), "name": "Other"}).refused(409, "version_conflict")
    assert api.get("/workflows/flow").body["name"] == "Flow"


def test_every_problem_of_a_definition_is_told_by_pointer(api: Api) -> None:
    broken = factories.workflow(
        [factories.node("a", "core.unknown"), factories.gate_node("b", requiredApprovals=0)],
        [factories.edge("a", "nowhere")],
    )
    details = api.post(REGISTER, broken).refused(400, "validation_error")
    pointers = [problem["pointer"] for problem in details["problems"]]
    assert "/nodes/0/typeId" in pointers
    assert "/edges/0/targetNodeId" in pointers
    assert any(pointer.startswith("/nodes/1/config") for pointer in pointers)
    assert Workflow.objects.count() == 0


@pytest.mark.parametrize("path", [REGISTER, f"{REGISTER}:check"])
def test_the_same_key_gives_the_same_answer_again(api: Api, path: str) -> None:
    first = api.post(path, factories.one_gate(), Idempotency_Key=KEY)
    again = api.post(path, factories.one_gate(), Idempotency_Key=KEY)
    assert (again.status, again.raw, again.headers["OpenWOP-Idempotent-Replay"]) == (first.status, first.raw, "true")
    other = api.post(path, factories.one_gate("other"), Idempotency_Key=KEY)
    other.refused(409, "idempotency_key_mismatch")


def test_a_document_is_checked_without_being_stored(api: Api) -> None:
    checked = api.post(f"{REGISTER}:check", factories.one_gate())
    assert (checked.status, checked.body) == (200, {"valid": True, "diagnostics": []})
    broken = factories.workflow([factories.node("a", "core.unknown")])
    told = api.post(f"{REGISTER}:check", broken)
    assert (told.status, told.body["valid"]) == (200, False)
    assert told.fits("check-workflow-response")
    problems = api.post(REGISTER, broken).refused(400, "validation_error")["problems"]
    found = [(each["severity"], each["pointer"], each["message"]) for each in told.body["diagnostics"]]
    assert found == [("error", each["pointer"], each["message"]) for each in problems]
    assert Workflow.objects.count() == 0


def test_a_check_warns_of_what_can_be_registered_all_the_same(api: Api) -> None:
    factories.member("ann")
    document = factories.one_gate(approversList=["ann", "nobody"], requiredApprovals=2)
    told = api.post(f"{REGISTER}:check", document)
    assert told.fits("check-workflow-response")
    assert told.body["valid"]
    assert [(each["severity"], each["pointer"]) for each in told.body["diagnostics"]] == [
        ("warning", "/nodes/0/config/requiredApprovals")
    ]
    assert api.post(REGISTER, document).status == 201


def test_an_unknown_workflow_is_not_found_and_neither_is_another_tenants(api: Api, stranger: Api) -> None:
    register(factories.one_gate())
    api.get("/workflows/nothing").refused(404, "not_found")
    stranger.get("/workflows/flow").refused(404, "not_found")


@pytest.mark.parametrize("workflow_id", ["a%00b", "a%20b", "x" * 129, "%C3%A9", "a%0A"])
def test_a_workflow_id_outside_its_grammar_is_refused(api: Api, workflow_id: str) -> None:
    assert api.get(f"/workflows/{workflow_id}").refused(400, "validation_error") == {"field": "workflowId"}


def test_an_unchanged_workflow_is_not_sent_again(api: Api) -> None:
    register(factories.one_gate())
    etag = api.get("/workflows/flow").headers["ETag"]
    assert api.get("/workflows/flow", If_None_Match=etag).status == 304
    register({**factories.one_gate(), "version": "2"})
    assert api.get("/workflows/flow", If_None_Match=etag).status == 200


def test_a_registered_workflow_can_be_run_at_once(api: Api) -> None:
    raw = json.dumps(factories.one_gate()).encode()
    assert api.send("POST", REGISTER, raw).status == 201
    assert api.post("/runs", {"workflowId": "flow"}).body["status"] == "waiting-approval"
