"""The sample workflows do what they say, run by the real services."""

from __future__ import annotations

from importlib import resources
from typing import cast

import pytest

from interrupts.contracts.json_text import parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.services.inspection import ResumeRun, inspect_run, resume_run
from interrupts.services.workflows import diagnose_workflow
from tests.factories import NOW, actor, after, answer, last, start_flow, status, suspension, sweep, trail

pytestmark = pytest.mark.django_db

EXPENSE: JsonObject = {"amount": 120.5, "description": "Train", "receipts": [{"what": "Train", "amount": 120.5}]}


def sample(name: str) -> JsonObject:
    return cast("JsonObject", parse_json((resources.files("interrupts") / "samples" / f"{name}.json").read_bytes()))


def outputs(run_id: str) -> JsonValue:
    return last(run_id, "run.completed")["outputs"]


def test_an_expense_is_paid_after_two_approvals_of_finance() -> None:
    run_id = start_flow(sample("expense-approval"), inputs=EXPENSE)
    assert suspension(run_id, "approve").title == "Expense of 120.5 EUR"
    answer(actor("ann", groups=["finance"]), run_id, "accept", at="approve")
    assert status(run_id) == "waiting-approval"
    answer(actor("bob", groups=["finance"]), run_id, {"action": "accept", "feedback": "Fine."}, at="approve")
    receipts: list[JsonValue] = [{"what": "Train", "amount": 120.5}]
    approved: JsonObject = {"total": 120.5, "currency": "EUR", "receipts": receipts}
    assert outputs(run_id) == {"approved": approved, "comment": "Fine."}


def test_a_rejected_expense_fails_its_run() -> None:
    run_id = start_flow(sample("expense-approval"), inputs=EXPENSE)
    answer(actor("ann", groups=["finance"]), run_id, "reject", at="approve")
    failure = last(run_id, "run.failed")
    assert status(run_id) == "failed"
    assert failure["failedNodeId"] == "approve"


def test_an_article_comes_back_after_a_rejection_and_after_changes_until_it_is_accepted() -> None:
    run_id = start_flow(sample("article-review"), inputs={"title": "Tea", "article": "# Tea"})
    editor = actor("editor")
    changes: JsonValue = {"action": "refine", "refineFeedback": {"scope": "whole", "text": "Shorter."}}
    edited: JsonValue = {"action": "edit-accept", "editedArtifactData": "# Green tea"}
    for given in ("reject", changes, edited):
        assert status(run_id) == "waiting-approval"
        answer(editor, run_id, given, at="review")
    assert outputs(run_id) == {"title": "Tea", "article": "# Green tea", "by": "granted"}
    started = [line.split()[1] for line in trail(run_id) if line.startswith("node.started")]
    assert started == ["submit", "review", "rewrite", "review", "change", "review", "publish"]


def test_a_release_that_nobody_decides_on_is_stopped_and_recorded_after_two_days() -> None:
    run_id = start_flow(sample("release-gate"), inputs={"version": "4.2", "notes": "New layout."})
    assert sweep(now=after(days=2, seconds=-1)) == 0
    assert sweep(now=after(days=2)) == 1
    assert outputs(run_id) == {"stopped": "4.2"}


def test_a_small_purchase_is_ordered_without_asking_and_a_larger_one_is_not() -> None:
    document = sample("small-purchase")
    small = start_flow(document, inputs={"item": "Pen", "amount": 5.5})
    large = start_flow(document, inputs={"item": "Desk", "amount": 100})
    assert (status(small), status(large)) == ("running", "waiting-approval")
    sweep(now=after(seconds=5))
    assert outputs(small) == {"item": "Pen"}
    cheaper: JsonValue = {"item": "Desk", "amount": 80}
    answered: JsonValue = {"action": "edit-accept", "editedArtifactData": cheaper}
    answer(actor("ann", groups=["finance"]), large, answered, at="approve")
    assert outputs(large) == {"item": "Desk", "changed": cheaper}


REPORT: JsonObject = {
    "report": "# R",
    "proposed_issues": [{"id": "i-1", "title": "Slow"}, {"id": "i-2", "title": "Old"}],
}


@pytest.mark.parametrize(
    ("outcome", "payload", "result"),
    [
        ("submitted", {"approved": True, "selected_issue_ids": ["i-2"]}, {"filed": ["i-2"], "comment": ""}),
        (
            "submitted",
            {"approved": False, "selected_issue_ids": [], "comment": "Too short."},
            {"returned": True, "comment": "Too short."},
        ),
        ("cancelled", {"approved": False, "selected_issue_ids": []}, {"cancelled": True}),
    ],
)
def test_the_issues_of_a_report_are_filed_returned_or_called_off(
    outcome: str, payload: JsonObject, result: JsonObject
) -> None:
    document, ann = sample("issue-review"), actor("ann")
    run_id = start_flow(document, inputs=REPORT)
    asked = cast("JsonObject", inspect_run(actor=ann, run_id=run_id, now=NOW)["interrupt"])
    assert (asked["kind"], asked["outcomes"], asked["typed"]) == ("issue_review", ["submitted", "cancelled"], True)
    assert asked["payload"] == {"report_markdown": "# R", "proposed_issues": REPORT["proposed_issues"]}
    resume_run(request=ResumeRun(ann, run_id, outcome, payload), now=NOW)
    assert outputs(run_id) == result


def test_a_report_without_ids_for_its_issues_is_shown_to_nobody() -> None:
    run_id = start_flow(sample("issue-review"), inputs={**REPORT, "proposed_issues": [{"title": "Slow"}]})
    error = cast("JsonObject", last(run_id, "run.failed")["error"])
    assert (status(run_id), error["code"]) == ("failed", "validation_error")


def test_nothing_about_the_review_of_issues_is_doubtful() -> None:
    actor("ann")
    assert diagnose_workflow(tenant_id="acme", document=sample("issue-review")) == []
