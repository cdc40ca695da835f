"""The "Test Plan" and the "Validation Contract" of self-describing contracts, each bullet over every surface."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from interrupts.authoring import interrupt, workflow
from interrupts.engine.definition.diagnostics import verdict
from interrupts.services.workflows import diagnose_workflow
from tests import factories
from tests.invariants import every_row
from tests.surfaces.contract.surfaces import Refused, Surface

ANY = {"type": "object", "additionalProperties": True}
REQUEST = {
    "type": "object",
    "properties": {"report_markdown": {"type": "string"}},
    "required": ["report_markdown"],
}
RESUME = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "selected_issue_ids": {"type": "array", "items": {"$ref": "#/$defs/id"}},
        "comment": {"type": "string"},
    },
    "required": ["approved", "selected_issue_ids"],
    "additionalProperties": False,
    "$defs": {"id": {"type": "string"}},
}
GOOD = {"approved": True, "selected_issue_ids": ["i-1"]}
REPORT = {"target": "/report_markdown", "value": "# Readiness"}


def review(*edges: Any, **config: Any) -> Any:
    """The review of the document, with what a test changes in its node."""
    asks: dict[str, Any] = {
        "outcomes": ["submitted", "cancelled"],
        "request": [REPORT],
        "resume": [{"source": "/approved", "target": "approved"}],
        "request_schema": REQUEST,
        "resume_schema": RESUME,
    }
    kept = {name: value for name, value in (asks | config).items() if value is not None}
    variables = [{"name": "approved", "type": "boolean", "defaultValue": False}]
    nodes = [factories.contract_node(**kept), factories.node("then")]
    return factories.workflow(nodes, edges, variables=variables)


def errors(surface: Surface, document: Any) -> list[str]:
    """Where a check finds errors."""
    told = surface.check(document)
    found = [each["pointer"] for each in told["diagnostics"] if each["severity"] == "error"]
    assert told["valid"] is not bool(found)
    return found


class Report(BaseModel):
    report_markdown: str = "# Readiness"


class Review(BaseModel):
    approved: bool
    comment: str = Field(default="", max_length=200)


@pytest.fixture
def run_id(surface: Surface) -> str:
    """A run that waits for the review."""
    return factories.start_flow(review())


# --- Test Plan --------------------------------------------------------------------------------------------------------


def test_core_model_accepts_explicit_schemas_and_defaults_legacy_nodes(surface: Surface) -> None:
    assert errors(surface, review()) == []
    legacy = review(request_schema=None, resume_schema=None, resume=None, outcomes=None)
    assert errors(surface, legacy) == []
    shown = surface.inspect(factories.start_flow(legacy))["interrupt"]
    assert (shown["request_schema"], shown["resume_schema"], shown["typed"]) == (ANY, ANY, False)
    assert shown["outcomes"] == ["submitted"]


def test_a_request_payload_is_validated_before_the_interruption_is_persisted(surface: Surface) -> None:
    run_id = factories.start_flow(review(request=[{"target": "/report_markdown", "value": 1}]))
    shown = surface.inspect(run_id)
    assert (shown["status"], shown["interrupt"]) == ("failed", None)


def test_resume_rejects_invalid_payloads_without_mutating_run_state(surface: Surface, run_id: str) -> None:
    surface.inspect(run_id)
    before = every_row()
    bad = {"approved": "yes", "selected_issue_ids": [1], "more": 1}
    refusal = surface.resume(run_id, "submitted", bad)
    assert isinstance(refusal, Refused)
    assert refusal.code == "validation_error"
    assert refusal.pointers == ["/payload/approved", "/payload/more", "/payload/selected_issue_ids/0"]
    missing = surface.resume(run_id, "submitted", {"approved": True})
    assert missing == Refused("validation_error", (("/payload/selected_issue_ids", "required", "This is required."),))
    assert every_row() == before


def test_resume_rejects_unknown_outcomes_without_mutating_run_state(surface: Surface, run_id: str) -> None:
    surface.inspect(run_id)
    before = every_row()
    refusal = surface.resume(run_id, "perhaps", GOOD)
    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.pointers) == ("validation_error", ["/outcome"])
    more = surface.resume(run_id, "perhaps", {**GOOD, "approved": "yes"})
    assert isinstance(more, Refused)
    assert (more.code, more.pointers) == ("validation_error", ["/outcome", "/payload/approved"])
    assert every_row() == before


def test_inspect_includes_schemas_outcomes_typed_flag_and_payload(surface: Surface, run_id: str) -> None:
    told = surface.inspect(run_id)
    shown = told["interrupt"]
    assert (told["run_id"], told["status"]) == (run_id, "interrupted")
    assert (shown["request_schema"], shown["resume_schema"], shown["typed"]) == (REQUEST, RESUME, True)
    assert (shown["kind"], shown["outcomes"]) == ("issue_review", ["submitted", "cancelled"])
    assert (shown["payload"], shown["resumable"]) == ({"report_markdown": "# Readiness"}, True)


@pytest.mark.parametrize("payload", [None, 1, "text", [], {}, {"approved": None}, {"deep": [[[[1]]]]}])
def test_resume_returns_structured_errors_for_invalid_payloads(surface: Surface, run_id: str, payload: Any) -> None:
    refusal = surface.resume(run_id, "submitted", payload)
    assert isinstance(refusal, Refused)
    assert refusal.code == "validation_error"
    assert refusal.pointers
    assert all(pointer.startswith("/payload") for pointer in refusal.pointers)


def test_a_valid_answer_applies_its_bindings_and_goes_on(surface: Surface, run_id: str) -> None:
    assert surface.resume(run_id, "submitted", GOOD) == "completed"
    assert factories.run_of(run_id).variables["approved"] is True
    assert surface.inspect(run_id)["interrupt"] is None


def test_registration_preserves_interrupt_schemas_whatever_comes_after(surface: Surface, run_id: str) -> None:
    """The snapshot answers for itself: a later version of the workflow changes nothing about what was asked."""
    factories.register({**review(resume_schema=ANY, resume=None), "version": "2"})
    assert surface.inspect(run_id)["interrupt"]["resume_schema"] == RESUME
    assert isinstance(surface.resume(run_id, "submitted", {}), Refused)


def test_a_childs_contract_is_inspected_and_kept_by_way_of_its_parent(surface: Surface) -> None:
    factories.register({**review(), "id": "child"})
    parent = factories.start_flow(factories.workflow([factories.sub_workflow()]))
    factories.finish_handed_on_work(now=factories.NOW)
    shown = surface.inspect(parent)["interrupt"]
    child = factories.child_of(parent)
    assert shown["route"] == [{"node_id": "call", "run_id": child}]
    assert {**shown, "route": None} == {**surface.inspect(child)["interrupt"], "route": None}
    refusal = surface.resume(child, "submitted", {"approved": True})
    assert isinstance(refusal, Refused)
    assert refusal.pointers == ["/payload/selected_issue_ids"]
    assert surface.resume(child, "submitted", GOOD) == "completed"


def test_builder_and_pydantic_convenience_emits_plain_json_schema(surface: Surface) -> None:
    asks = interrupt("review", kind="issue_review", request_schema=Report, resume_schema=Review)
    document = workflow("flow", name="Flow", version="1", nodes=[asks])
    assert errors(surface, document) == []
    shown = surface.inspect(factories.start_flow(document))["interrupt"]
    assert (shown["request_schema"], shown["resume_schema"]) == (Report.model_json_schema(), Review.model_json_schema())


# --- Validation Contract ----------------------------------------------------------------------------------------------

CONFIG = "/nodes/0/config"


@pytest.mark.parametrize("name", ["request_schema", "resume_schema"])
def test_schemas_must_be_valid_json_schema_documents(surface: Surface, name: str) -> None:
    document = review(**{name: {"type": "object", "properties": {"a": {"type": "objekt"}}}})
    assert f"{CONFIG}/{name}/properties/a/type" in errors(surface, document)


@pytest.mark.parametrize("name", ["request_schema", "resume_schema"])
@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "string"}, {}])
def test_schemas_must_describe_json_objects(surface: Surface, name: str, schema: Any) -> None:
    document = review(**{name: schema, "resume": None, "request": None})
    assert any(pointer.startswith(f"{CONFIG}/{name}") for pointer in errors(surface, document))


@pytest.mark.parametrize("target", ["report", "/a~2", "/report_markdown/more"])
def test_request_binding_targets_must_be_valid_local_payload_paths(surface: Surface, target: str) -> None:
    assert f"{CONFIG}/request/0/target" in errors(surface, review(request=[{"target": target, "value": 1}]))


@pytest.mark.parametrize("source", ["approved", "/a~2", "/approved/more", "/unknown"])
def test_resume_binding_sources_must_be_valid_local_payload_paths(surface: Surface, source: str) -> None:
    assert f"{CONFIG}/resume/0/source" in errors(surface, review(resume=[{"source": source, "target": "approved"}]))


def test_resume_binding_destinations_must_be_declared_state_fields(surface: Surface) -> None:
    document = review(resume=[{"source": "/approved", "target": "nowhere"}])
    assert errors(surface, document) == [f"{CONFIG}/resume/0/target"]


def test_every_routed_outcome_must_be_known_by_the_node(surface: Surface) -> None:
    assert errors(surface, review(factories.edge("review", "then", sourceOutput="cancelled"))) == []
    document = review(factories.edge("review", "then", sourceOutput="rejected"))
    assert errors(surface, document) == ["/edges/0/sourceOutput"]


def test_a_check_tells_every_error_and_every_warning_and_the_same_everywhere(surface: Surface) -> None:
    gate = factories.gate_node("gate", approversList=["ann"], actions=["ask"])
    document = review(factories.edge("review", "then", sourceOutput="cancelled"))
    doubtful = {**document, "nodes": [*document["nodes"], gate]}
    wrong = {**doubtful, "edges": [*document["edges"], factories.edge("then", "nowhere")]}
    for checked, codes in (
        (document, ["outcome_not_routed"]),
        (doubtful, ["outcome_not_routed", "gate_only_asks", "quorum_beyond_eligible"]),
        (wrong, ["unknown_node", "outcome_not_routed", "gate_only_asks", "quorum_beyond_eligible"]),
    ):
        told = surface.check(checked)
        assert told == verdict(diagnose_workflow(tenant_id="acme", document=checked))
        assert [each["code"] for each in told["diagnostics"]] == codes
        assert told["valid"] is ("unknown_node" not in codes)
