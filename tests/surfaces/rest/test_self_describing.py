"""The document of self-describing contracts, bullet by bullet, over REST (docs/contract.md names each)."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from interrupts.contracts.json_text import parse_json
from tests import factories
from tests.invariants import every_row
from tests.surfaces.rest.api import Answer, Api, wire

pytestmark = pytest.mark.django_db

INPUTS = {"report": "# R", "proposed_issues": [{"id": "i-1", "title": "Slow"}]}
GOOD = {"approved": True, "selected_issue_ids": ["i-1"]}


@pytest.fixture
def document() -> Any:
    return parse_json((resources.files("interrupts") / "samples" / "issue-review.json").read_bytes())


@pytest.fixture
def run_id(api: Api, document: Any) -> Any:
    assert api.post("/host/wopsite/workflows", document).status == 201
    return api.post("/runs", {"workflowId": "issue-review", "inputs": INPUTS}).body["runId"]


def config_of(document: Any) -> Any:
    return document["nodes"][0]["config"]


def inspected(api: Api, run_id: str) -> Any:
    answer = api.get(f"/host/wopsite/runs/{wire(run_id)}/interrupt")
    assert answer.fits("inspect-run-response")
    return answer.body


def send(api: Api, run_id: str, outcome: str, payload: Any) -> Answer:
    value = {"outcome": outcome, "payload": payload}
    return api.post(f"/runs/{wire(run_id)}/interrupts/review", {"resumeValue": value})


def test_inspect_includes_schemas_outcomes_typed_flag_and_payload(api: Api, run_id: str, document: Any) -> None:
    shown, config = inspected(api, run_id), config_of(document)
    request = shown["interrupt"]
    assert (shown["status"], request["kind"]) == ("interrupted", "issue_review")
    assert {name: request[name] for name in ("outcomes", "request_schema", "resume_schema")} == {
        name: config[name] for name in ("outcomes", "request_schema", "resume_schema")
    }
    assert (request["typed"], request["resumable"]) == (True, True)
    assert request["payload"] == {"report_markdown": "# R", "proposed_issues": INPUTS["proposed_issues"]}


def test_a_workflow_without_schemas_is_served_as_untyped(api: Api) -> None:
    document = factories.workflow([factories.contract_node("review")])
    assert api.post("/host/wopsite/workflows", document).status == 201
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert inspected(api, run_id)["interrupt"]["typed"] is False
    assert send(api, run_id, "submitted", {"any": 1}).body["status"] == "completed"


def test_a_request_that_breaks_its_schema_is_a_failed_run_and_no_pause(api: Api, document: Any) -> None:
    api.post("/host/wopsite/workflows", document)
    inputs = {**INPUTS, "proposed_issues": [{"title": "no id"}]}
    started = api.post("/runs", {"workflowId": "issue-review", "inputs": inputs}).body
    run = api.get(f"/runs/{wire(started['runId'])}").body
    assert (run["status"], run["error"]["code"]) == ("failed", "validation_error")
    assert run["error"]["details"]["problems"][0]["pointer"] == "/proposed_issues/0/id"
    assert inspected(api, started["runId"])["interrupt"] is None


def test_resume_rejects_invalid_payloads_with_structured_errors_and_changes_nothing(api: Api, run_id: str) -> None:
    before = every_row()
    details = send(api, run_id, "submitted", {"approved": "yes", "more": 1}).refused(400, "validation_error")
    assert every_row() == before
    assert [problem["pointer"] for problem in details["problems"]] == [
        "/resumeValue/payload/approved",
        "/resumeValue/payload/more",
        "/resumeValue/payload/selected_issue_ids",
    ]
    assert send(api, run_id, "submitted", GOOD).body["status"] == "completed"


def test_resume_rejects_unknown_outcomes_and_changes_nothing(api: Api, run_id: str) -> None:
    before = every_row()
    details = send(api, run_id, "approved", GOOD).refused(400, "validation_error")
    assert every_row() == before
    assert [problem["pointer"] for problem in details["problems"]] == ["/resumeValue/outcome"]


def test_a_run_that_is_not_interrupted_takes_no_answer(api: Api, run_id: str) -> None:
    send(api, run_id, "submitted", GOOD)
    send(api, run_id, "submitted", GOOD).refused(409, "interrupt_already_resolved")


def test_a_registered_workflow_keeps_its_schemas_as_they_were_written(api: Api, run_id: str, document: Any) -> None:
    kept = api.get("/workflows/issue-review").body
    assert config_of(kept) == config_of(document)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"request_schema": {"type": "text"}}, "/request_schema/type"),
        ({"resume_schema": {"$ref": "https://acme.example/x"}}, "/resume_schema/$ref"),
        ({"request_schema": {"type": "array"}}, "/request_schema/type"),
        ({"resume_schema": {"type": "string"}, "resume": []}, "/resume_schema/type"),
        ({"request": [{"target": "report", "value": 1}]}, "/request/0/target"),
        ({"resume": [{"source": "approved", "target": "approved"}]}, "/resume/0/source"),
        ({"resume": [{"source": "/approved", "target": "nobody"}]}, "/resume/0/target"),
    ],
)
def test_a_static_mistake_in_a_contract_is_refused_at_its_place(
    api: Api, document: Any, change: Any, pointer: str
) -> None:
    config_of(document).update(change)
    details = api.post("/host/wopsite/workflows", document).refused(400, "validation_error")
    assert [problem["pointer"] for problem in details["problems"]] == [f"/nodes/0/config{pointer}"]


def test_an_outcome_that_is_routed_must_be_known(api: Api, document: Any) -> None:
    document["edges"][0]["sourceOutput"] = "accepted"
    details = api.post("/host/wopsite/workflows", document).refused(400, "validation_error")
    assert [problem["pointer"] for problem in details["problems"]] == ["/edges/0/sourceOutput"]
