"""What `interrupts.authoring` builds is registered as it is, and runs to its end."""

from __future__ import annotations

import json
from datetime import date
from enum import StrEnum
from typing import Any, cast

import pytest
from pydantic import BaseModel, ConfigDict

from interrupts.authoring import (
    Form,
    approve_or_reject,
    edge,
    free_text,
    from_expression,
    from_output,
    from_variable,
    interrupt,
    literal,
    node,
    pick_items,
    rating,
    variable,
    workflow,
)
from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed
from interrupts.services.inspection import ResumeRun, inspect_run, resume_run
from tests import factories
from tests.factories import NOW

pytestmark = pytest.mark.django_db


class Verdict(StrEnum):
    SUBMITTED = "submitted"
    CANCELLED = "cancelled"


class Issue(BaseModel):
    id: str
    title: str


class Report(BaseModel):
    report_markdown: str
    proposed_issues: list[Issue]


class Review(BaseModel):
    model_config = ConfigDict(extra="forbid")

    approved: bool
    selected_issue_ids: list[str]
    due: date | None = None
    comment: str = ""


def issue_review() -> JsonObject:
    """The workflow of the document: a report and its proposed issues are reviewed, or the review is called off."""
    return workflow(
        "report",
        name="Report",
        version="1",
        variables=[
            variable("markdown", "string", required=True),
            variable("issues", "array", required=True),
            variable("comment", "string"),
            variable("due", "string"),
        ],
        nodes=[
            interrupt(
                "review",
                kind="issue_review",
                title="Which issues shall be opened?",
                request={"/report_markdown": from_variable("markdown"), "/proposed_issues": from_variable("issues")},
                request_schema=Report,
                resume={"/comment": "comment", "/due": "due"},
                resume_schema=Review,
                outcomes=[*Verdict],
            ),
            node("open", "core.identity", inputs={"opened": from_output("review", "payload")}),
            node("drop", "core.identity", inputs={"because": from_expression("variables.comment")}),
        ],
        edges=[edge("review", "open", outcome=Verdict.SUBMITTED), edge("review", "drop", outcome=Verdict.CANCELLED)],
    )


def start(document: JsonObject, **inputs: Any) -> str:
    """Register a document as it would be read from a file, and start a run."""
    stored = factories.register(json.loads(json.dumps(document)))
    assert json.loads(stored.document) == document
    return factories.start(factories.actor("owner"), str(document["id"]), inputs=inputs)


def inspect(run_id: str) -> dict[str, Any]:
    shown = inspect_run(actor=factories.actor("owner"), run_id=run_id, now=NOW)
    return cast("dict[str, Any]", shown["interrupt"])


def resume(run_id: str, outcome: str, **payload: Any) -> object:
    request = ResumeRun(actor=factories.actor("owner"), run_id=run_id, outcome=outcome, payload=payload)
    return resume_run(request=request, now=NOW).result["status"]


def test_models_ask_and_answer_and_leave_plain_json_behind() -> None:
    document = issue_review()
    issue = {"id": "i-1", "title": "Say who is responsible"}
    run_id = start(document, markdown="# Report", issues=[issue])
    shown = inspect(run_id)
    assert shown["kind"] == "issue_review"
    assert shown["payload"] == {"report_markdown": "# Report", "proposed_issues": [issue]}
    assert (shown["outcomes"], shown["typed"]) == (["submitted", "cancelled"], True)
    assert shown["resume_schema"] == {**Review.model_json_schema()}
    answer = Review(approved=True, selected_issue_ids=["i-1"], due=date(2026, 4, 1), comment="Soon.")
    assert resume(run_id, "submitted", **answer.model_dump(mode="json")) == "completed"
    run = factories.run_of(run_id)
    assert factories.trail(run_id).count("node.started open") == 1
    assert "node.started drop" not in factories.trail(run_id)
    variables = factories.last(run_id, "variable.changed")
    assert (run.status, variables["name"], variables["next"]) == ("completed", "due", "2026-04-01")


def test_an_answer_that_the_model_would_refuse_is_refused_and_another_outcome_leads_elsewhere() -> None:
    run_id = start(issue_review(), markdown="# Report", issues=[])
    with pytest.raises(ValidationFailed) as refused:
        resume(run_id, "submitted", approved="perhaps", extra=1)
    problems = cast("list[dict[str, str]]", (refused.value.details or {})["problems"])
    assert [problem["pointer"] for problem in problems] == [
        "/payload/approved",
        "/payload/extra",
        "/payload/selected_issue_ids",
    ]
    assert resume(run_id, "cancelled", approved=False, selected_issue_ids=[], comment="Not now.") == "completed"
    assert "node.started drop" in factories.trail(run_id)
    assert "node.started open" not in factories.trail(run_id)


def test_a_run_whose_request_breaks_the_model_fails_and_asks_nobody() -> None:
    run_id = start(issue_review(), markdown="# Report", issues=[{"id": "i-1"}])
    assert factories.status(run_id) == "failed"
    assert "interrupt.requested review" not in factories.trail(run_id)


@pytest.mark.parametrize(
    ("form", "outcome", "answer"),
    [
        (approve_or_reject(reason_required=True), "rejected", {"reason": "Too dear."}),
        (pick_items(["red", "blue"], at_least=1), "submitted", {"selected": ["blue"]}),
        (pick_items({"r": "Red", "b": "Blue"}), "submitted", {"selected": ["b", "r"], "comment": "Both."}),
        (pick_items(), "submitted", {"selected": ["i-1"]}),
        (free_text(), "submitted", {"text": "In my own words."}),
        (rating(highest=10), "submitted", {"rating": 7}),
    ],
)
def test_every_ready_made_form_is_asked_and_answered(form: Form, outcome: str, answer: dict[str, Any]) -> None:
    shown = literal([{"id": "i-1", "title": "The first"}])
    document = workflow(
        "form",
        name="A form",
        version="1",
        nodes=[interrupt("ask", title="What do you say?", request={"/items": shown}, **form), node("end")],
        edges=[edge("ask", "end", outcome=outcome)],
    )
    run_id = start(document)
    assert (inspect(run_id)["kind"], inspect(run_id)["typed"]) == (form["kind"], True)
    with pytest.raises(ValidationFailed):
        resume(run_id, outcome, unknown=1)
    assert resume(run_id, outcome, **answer) == "completed"
    assert "node.started end" in factories.trail(run_id)
