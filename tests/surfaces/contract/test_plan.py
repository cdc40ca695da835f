"""The "Test Plan" and the "Validation Contract" of self-describing contracts, each bullet over every surface."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.fixture
def run_id(surface: Surface) -> str:
    """A run that waits for the review."""
    return factories.start_flow(review())


# --- Test Plan --------------------------------------------------------------------------------------------------------


def test_core_model_accepts_explicit_schemas_and_defaults_legacy_nodes(surface: Surface) -> None:
    assert surface.check(review()) is None
    legacy = review(request_schema=None, resume_schema=None, resume=None, outcomes=None)
    assert surface.check(legacy) is None
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


# --- Validation Contract ----------------------------------------------------------------------------------------------

CONFIG = "/nodes/0/config"


@pytest.mark.parametrize("name", ["request_schema", "resume_schema"])
def test_schemas_must_be_valid_json_schema_documents(surface: Surface, name: str) -> None:
    refusal = surface.check(review(**{name: {"type": "object", "properties": {"a": {"type": "objekt"}}}}))
    assert refusal is not None
    assert f"{CONFIG}/{name}/properties/a/type" in refusal.pointers


@pytest.mark.parametrize("name", ["request_schema", "resume_schema"])
@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "string"}, {}])
def test_schemas_must_describe_json_objects(surface: Surface, name: str, schema: Any) -> None:
    refusal = surface.check(review(**{name: schema, "resume": None, "request": None}))
    assert refusal is not None
    assert any(pointer.startswith(f"{CONFIG}/{name}") for pointer in refusal.pointers)


@pytest.mark.parametrize("target", ["report", "/a~2", "/report_markdown/more"])
def test_request_binding_targets_must_be_valid_local_payload_paths(surface: Surface, target: str) -> None:
    refusal = surface.check(review(request=[{"target": target, "value": 1}]))
    assert refusal is not None
    assert f"{CONFIG}/request/0/target" in refusal.pointers


@pytest.mark.parametrize("source", ["approved", "/a~2", "/approved/more", "/unknown"])
def test_resume_binding_sources_must_be_valid_local_payload_paths(surface: Surface, source: str) -> None:
    refusal = surface.check(review(resume=[{"source": source, "target": "approved"}]))
    assert refusal is not None
    assert f"{CONFIG}/resume/0/source" in refusal.pointers


def test_resume_binding_destinations_must_be_declared_state_fields(surface: Surface) -> None:
    refusal = surface.check(review(resume=[{"source": "/approved", "target": "nowhere"}]))
    assert refusal is not None
    assert refusal.pointers == [f"{CONFIG}/resume/0/target"]


def test_every_routed_outcome_must_be_known_by_the_node(surface: Surface) -> None:
    assert surface.check(review(factories.edge("review", "then", sourceOutput="cancelled"))) is None
    refusal = surface.check(review(factories.edge("review", "then", sourceOutput="rejected")))
    assert refusal is not None
    assert refusal.pointers == ["/edges/0/sourceOutput"]
