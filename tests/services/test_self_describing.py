"""``vendor.wopsite.interrupt`` in a run: asked, inspected, answered, and left by its outcome.

Tests named after a bullet of the "Test Plan" of the document of self-describing contracts say so.
"""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import AlreadyResolved, NotFound, ValidationFailed
from interrupts.models import Suspension
from interrupts.services.inspection import ResumeRun, inspect_run, resume_run
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from tests.factories import (
    NOW,
    actor,
    after,
    chain,
    child_of,
    contract_node,
    edge,
    last,
    log_of,
    node,
    register,
    run_of,
    start,
    start_flow,
    status,
    sub_workflow,
    suspension,
    sweep,
    trail,
    workflow,
)
from tests.invariants import every_row
from tests.services.families import begun, error_of, settle, variable

ANY: JsonObject = {"type": "object", "additionalProperties": True}
REQUEST: JsonObject = {
    "type": "object",
    "properties": {"report_markdown": {"type": "string"}, "proposed_issues": {"type": "array"}},
    "required": ["report_markdown", "proposed_issues"],
}
RESUME: JsonObject = {
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
VARIABLES = [
    variable("report", required=True),
    variable("issues", "array", defaultValue=[]),
    variable("approved", "boolean", defaultValue=False),
    variable("chosen", "array"),
]
GOOD: JsonObject = {"approved": True, "selected_issue_ids": ["i-1"]}


def review(**config: Any) -> JsonObject:
    """The review of the document: two outcomes, each with a step of its own."""
    asks: JsonObject = {
        "title": "Review the issues",
        "outcomes": ["submitted", "cancelled"],
        "request": [
            {"target": "/report_markdown", "from": {"type": "variable", "variableName": "report"}},
            {"target": "/proposed_issues", "from": {"type": "variable", "variableName": "issues"}},
        ],
        "resume": [
            {"source": "/approved", "target": "approved"},
            {"source": "/selected_issue_ids", "target": "chosen"},
        ],
        "request_schema": REQUEST,
        "resume_schema": RESUME,
    }
    nodes = [contract_node(**{**asks, **config}), node("file", "core.identity", inputs={}), node("drop")]
    edges = [
        edge("review", "file", sourceOutput="submitted", targetInput="filed"),
        edge("review", "drop", sourceOutput="cancelled"),
    ]
    return workflow(nodes, edges, variables=VARIABLES)


def begin(owner: Actor, *, inputs: JsonObject | None = None, **config: Any) -> str:
    return start_flow(review(**config), by=owner, inputs=inputs or {"report": "# R", "issues": [{"id": "i-1"}]})


def resume(run_id: str, outcome: str, payload: JsonValue, *, by: str = "ann", **at: float) -> Any:
    return resume_run(request=ResumeRun(actor(by), run_id, outcome, payload), now=after(**at)).result


def look(run_id: str) -> Any:
    return inspect_run(actor=actor("owner"), run_id=run_id, now=NOW)


# --- At the pause -----------------------------------------------------------------------------------------------------


def test_inspect_includes_schemas_outcomes_typed_flag_and_payload(owner: Actor) -> None:
    """Test Plan: ``workflow.runs.inspect`` includes schemas, outcomes, typed flag, and payload."""
    run_id = begin(owner)
    assert look(run_id) == {
        "run_id": run_id,
        "status": "interrupted",
        "run_status": "waiting-approval",
        "interrupt": {
            "id": suspension(run_id, "review").pk,
            "frame_id": "frame_1",
            "node_id": "review",
            "kind": "issue_review",
            "payload": {"report_markdown": "# R", "proposed_issues": [{"id": "i-1"}]},
            "outcomes": ["submitted", "cancelled"],
            "request_schema": REQUEST,
            "resume_schema": RESUME,
            "typed": True,
            "resumable": True,
        },
        "title": "Review the issues",
    }
    assert suspension(run_id, "review").title == "Review the issues"


def test_a_workflow_without_schemas_runs_and_is_shown_as_untyped(owner: Actor) -> None:
    """Test Plan: the core model defaults legacy nodes."""
    run_id = start_flow(workflow([contract_node()]), by=owner)
    request = look(run_id)["interrupt"]
    assert (request["outcomes"], request["request_schema"], request["resume_schema"]) == (["submitted"], ANY, ANY)
    assert (request["typed"], request["payload"]) == (False, {})
    assert resume(run_id, "submitted", {"any": "thing"})["status"] == "completed"
    assert last(run_id, "run.completed")["outputs"] == {
        "outcome": "submitted",
        "payload": {"any": "thing"},
        "submitted": {"any": "thing"},
    }


def test_a_request_that_breaks_its_schema_fails_the_run_and_asks_nobody(owner: Actor) -> None:
    """Test Plan: the runtime validates a request payload before persisting the interruption."""
    run_id = begin(owner, request_schema={**REQUEST, "properties": {"proposed_issues": {"minItems": 2}}})
    assert (status(run_id), Suspension.objects.count()) == ("failed", 0)
    assert "interrupt.requested review" not in trail(run_id)
    error = error_of(run_id)
    assert (error["code"], error["details"]["kind"]) == ("validation_error", "issue_review")
    assert [problem["pointer"] for problem in error["details"]["problems"]] == ["/proposed_issues"]


def test_a_value_that_is_not_there_fails_the_run_and_names_the_binding(owner: Actor) -> None:
    request: list[JsonValue] = [{"target": "/x", "from": {"type": "variable", "variableName": "chosen"}}]
    run_id = begin(owner, request=request, request_schema=ANY)
    assert (status(run_id), error_of(run_id)["code"]) == ("failed", "node_config_invalid")
    assert "request/x" in error_of(run_id)["message"]


def test_outputs_and_expressions_can_be_asked_about(owner: Actor) -> None:
    request: list[JsonValue] = [
        {"target": "/before", "from": {"type": "connection", "nodeId": "first", "outputKey": "made"}},
        {"target": "/twice", "from": {"type": "expression", "expression": "variables.n * 2"}},
        {"target": "/fixed", "from": {"type": "static", "value": None}},
        {"target": "/maybe", "from": {"type": "variable", "variableName": "none", "optional": True}},
    ]
    made: JsonObject = {"made": {"type": "static", "value": [1]}}
    document = chain(node("first", "core.identity", inputs=made), contract_node(request=request))
    document["variables"] = [variable("n", "number", defaultValue=4), variable("none")]
    run_id = start_flow(document, by=owner)
    assert look(run_id)["interrupt"]["payload"] == {"before": [1], "twice": 8, "fixed": None}


# --- The answer -------------------------------------------------------------------------------------------------------


def test_an_answer_is_written_into_variables_and_leaves_by_its_outcome(owner: Actor) -> None:
    run_id = begin(owner)
    assert resume(run_id, "submitted", GOOD)["status"] == "completed"
    assert run_of(run_id).variables == {
        "report": "# R", "issues": [{"id": "i-1"}], "approved": True, "chosen": ["i-1"],
    }  # fmt: skip
    changes = [event.payload for event in log_of(run_id) if event.type == "variable.changed"]
    assert changes == [
        {"name": "approved", "next": True, "nodeId": "review", "previous": False},
        {"name": "chosen", "next": ["i-1"], "nodeId": "review"},
    ]
    assert last(run_id, "node.completed", at="file")["outputs"] == {"filed": GOOD}
    assert "node.skipped drop" in trail(run_id)


def test_the_other_outcome_is_the_other_way_out(owner: Actor) -> None:
    run_id = begin(owner)
    resume(run_id, "cancelled", GOOD)
    assert trail(run_id)[-4:] == ["node.skipped file", "node.started drop", "node.completed drop", "run.completed"]


def test_an_outcome_may_lead_back_to_ask_again(owner: Actor) -> None:
    nodes = [node("start"), contract_node(outcomes=["again", "done"]), node("change")]
    edges = [
        edge("start", "review", "any_success"),
        edge("review", "change", sourceOutput="again"),
        edge("change", "review", "any_success"),
    ]
    run_id = start_flow(workflow(nodes, edges), by=owner)
    frames = [look(run_id)["interrupt"]["frame_id"]]
    for outcome in ("again", "again"):
        resume(run_id, outcome, {})
        frames.append(look(run_id)["interrupt"]["frame_id"])
    assert frames == ["frame_1", "frame_2", "frame_3"]
    assert resume(run_id, "done", {})["status"] == "completed"


def test_the_surfaces_there_were_before_answer_it_too(owner: Actor) -> None:
    run_id = begin(owner)
    value: JsonObject = {"outcome": "submitted", "payload": GOOD}
    request = ResolveRequest(actor=actor("ann"), run_id=run_id, node_id="review", answer=ResumeValue(value))
    assert resolve_interrupt(request=request, now=NOW).result["status"] == "completed"


BAD_PAYLOADS: list[tuple[JsonValue, list[str]]] = [
    ({}, ["/payload/approved", "/payload/selected_issue_ids"]),
    ({"approved": "yes", "selected_issue_ids": []}, ["/payload/approved"]),
    ({"approved": True, "selected_issue_ids": ["a", 1]}, ["/payload/selected_issue_ids/1"]),
    ({**GOOD, "more": 1}, ["/payload/more"]),
    ([], ["/payload"]),
    (None, ["/payload"]),
]


@pytest.mark.parametrize(("payload", "pointers"), BAD_PAYLOADS, ids=[str(payload)[:30] for payload, _ in BAD_PAYLOADS])
def test_resume_rejects_invalid_payloads_without_mutating_run_state(
    owner: Actor, payload: JsonValue, pointers: list[str]
) -> None:
    """Test Plan: resume rejects invalid payloads without mutating run state; the old surface says the same."""
    run_id, ann = begin(owner), actor("ann")
    wire = ResumeValue({"outcome": "submitted", "payload": payload})
    before = every_row()
    with pytest.raises(ValidationFailed) as caught:
        resume(run_id, "submitted", payload)
    with pytest.raises(ValidationFailed) as by_wire:
        resolve_interrupt(request=ResolveRequest(actor=ann, run_id=run_id, node_id="review", answer=wire), now=NOW)
    assert every_row() == before
    told: Any = caught.value.details["problems"]
    told_by_wire: Any = by_wire.value.details["problems"]
    assert [problem["pointer"] for problem in told] == pointers
    assert told_by_wire == [{**problem, "pointer": f"/resumeValue{problem['pointer']}"} for problem in told]
    assert resume(run_id, "submitted", GOOD)["status"] == "completed"


def test_resume_rejects_unknown_outcomes_before_mutating_run_state(owner: Actor) -> None:
    """Test Plan: resume rejects unknown outcomes before mutating run state."""
    run_id = begin(owner)
    actor("ann")
    before = every_row()
    with pytest.raises(ValidationFailed) as caught:
        resume(run_id, "approved", GOOD)
    assert every_row() == before
    told: Any = caught.value.details["problems"]
    assert [(problem["pointer"], problem["keyword"]) for problem in told] == [("/outcome", "enum")]
    assert "submitted, cancelled" in told[0]["message"]
    assert caught.value.details["field"] == "outcome"


def test_an_answer_is_held_to_the_contract_of_its_pause(owner: Actor) -> None:
    """Resume Contract: the pause-time schema counts, whatever version was registered since."""
    run_id = begin(owner)
    register({**review(resume_schema=ANY, resume=[]), "version": "2"})
    with pytest.raises(ValidationFailed):
        resume(run_id, "submitted", {"any": "thing"})
    newer = start(owner, inputs={"report": "# R"})
    assert resume(newer, "submitted", {"any": "thing"})["status"] == "completed"


def test_a_deadline_that_passes_fails_the_node_and_takes_no_way_of_an_outcome(owner: Actor) -> None:
    document = review(timeoutMs=1000)
    nodes: Any = document["nodes"]
    edges: Any = document["edges"]
    nodes.append(node("late"))
    edges.append(edge("review", "late", "any_failed"))
    run_id = start_flow(document, by=owner, inputs={"report": "# R"})
    assert sweep(now=after(seconds=1)) == 1
    assert status(run_id) == "completed"
    assert {"node.skipped file", "node.skipped drop", "node.completed late"} <= set(trail(run_id))
    with pytest.raises((AlreadyResolved, NotFound)):
        resolve_interrupt(
            request=ResolveRequest(actor=actor("ann"), run_id=run_id, node_id="review", answer=ResumeValue({})),
            now=after(seconds=2),
        )


def test_a_childs_contract_is_inspected_and_answered_by_way_of_its_parent(owner: Actor) -> None:
    register({**workflow([contract_node(resume_schema=RESUME)]), "id": "child"})
    run_id = begun(chain(sub_workflow()), owner)
    request = look(run_id)["interrupt"]
    assert (request["kind"], request["resume_schema"]) == ("issue_review", RESUME)
    assert request["route"] == [{"node_id": "call", "run_id": child_of(run_id)}]
    with pytest.raises(ValidationFailed) as caught:
        resume(run_id, "submitted", {}, seconds=1)
    assert "/payload/approved" in str(caught.value.details)
    resume(run_id, "submitted", GOOD, seconds=1)
    settle(run_id, seconds=2)
    assert status(run_id) == "completed"
