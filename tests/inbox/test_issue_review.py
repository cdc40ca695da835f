"""The page of an ``issue_review``: a report, its issues to tick, a button for each outcome; else the general form."""

from __future__ import annotations

from importlib import resources
from typing import Any, cast

import pytest
from django.test import Client

from interrupts.contracts.composition import closed_object, embedded
from interrupts.contracts.dialects import DRAFT_2020_12
from interrupts.contracts.json_text import parse_json
from interrupts.contracts.types import JsonObject
from interrupts.models import Run, Suspension
from tests.factories import actor, last, one_interrupt, reply, start_flow, status, suspension
from tests.inbox.conftest import SignIn
from tests.inbox.pages import buttons, fields_of, page_of, press, read, text_of, title_of
from tests.inbox.test_link_page import link

ANSWER: JsonObject = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "selected_issue_ids": {"type": "array", "items": {"type": "string"}},
        "comment": {"type": "string"},
    },
    "required": ["approved", "selected_issue_ids"],
    "additionalProperties": False,
}
ISSUES: list[Any] = [
    {"id": "i-1", "title": "Fix <the> login", "description": "It *fails*.", "severity": "high"},
    {"id": "i-2", "title": "Write \u202edocs"},
]
IDS = "v:#/payload/selected_issue_ids"


def asked(
    request: JsonObject,
    *,
    schema: JsonObject = ANSWER,
    kind: str = "issue_review",
    outcomes: Any = ("submitted", "cancelled"),
) -> Suspension:
    members: dict[str, Any] = {"outcome": {"enum": [*outcomes]}, "payload": embedded(schema, into=DRAFT_2020_12)}
    wire = closed_object(members, dialect=DRAFT_2020_12)
    data: JsonObject = {"customKind": kind, "payload": request}
    return suspension(start_flow(one_interrupt("custom", data, resumeSchema=wire)), "ask")


def review(**changes: Any) -> Suspension:
    return asked({"report_markdown": "# Report\n\n**All** well.", "proposed_issues": ISSUES, **changes})


def send(client: Client, url: str, op: str, **fields: str | list[str]) -> Any:
    typed = {name.replace("approved", "v:#/payload/approved"): value for name, value in fields.items() if name != "ids"}
    ids = {IDS: fields["ids"]} if "ids" in fields else {}
    return press(client, url, {**fields_of(client.get(url)), **typed, **ids, "op": op})


def test_the_report_is_read_and_the_issues_are_ticked(sign_in: SignIn) -> None:
    waits, client = review(), sign_in()
    page = client.get(page_of(waits))
    html = page.content.decode()
    assert "<strong>All</strong> well." in html
    assert "It <em>fails</em>." in html
    assert "Fix <the> login" in text_of(page)
    assert "severity: high" in text_of(page)
    assert "\u202e" not in html
    assert buttons(page) == ["submit:0", "submit:1", "raw:#/payload"]
    ticks = [attrs for tag, attrs in read(page).tags if tag == "input" and attrs.get("name") == IDS]
    assert [attrs["value"] for attrs in ticks] == ["0", "1"]


@pytest.mark.parametrize(
    ("op", "fields", "answer"),
    [
        (
            "submit:0",
            {"approved": "true", "ids": ["1"]},
            {"outcome": "submitted", "payload": {"approved": True, "selected_issue_ids": ["i-2"]}},
        ),
        (
            "submit:1",
            {"approved": "false"},
            {"outcome": "cancelled", "payload": {"approved": False, "selected_issue_ids": []}},
        ),
    ],
)
def test_each_outcome_has_a_button_that_answers(
    sign_in: SignIn, op: str, fields: dict[str, str | list[str]], answer: JsonObject
) -> None:
    waits, client = review(), sign_in()
    assert send(client, page_of(waits), op, **fields).status_code == 302
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == answer


def test_an_outcome_that_is_not_offered_and_an_answer_with_a_gap_are_refused(sign_in: SignIn) -> None:
    waits, client = review(), sign_in()
    for op in ("submit", "submit:7", "submit:x"):
        refused = send(client, page_of(waits), op, approved="true")
        assert refused.status_code == 422
    gap = send(client, page_of(waits), "submit:0", ids=["0"])
    assert (gap.status_code, fields_of(gap)[IDS]) == (422, ["0"])
    assert "approved : Choose one." in text_of(gap)
    assert status(waits.run_id) == "waiting-approval"


def test_without_issues_there_is_nothing_to_tick(sign_in: SignIn) -> None:
    waits, client = review(proposed_issues=[]), sign_in()
    assert send(client, page_of(waits), "submit:0", approved="true").status_code == 302
    answer = last(waits.run_id, "interrupt.resolved")["resumeValue"]
    assert answer == {"outcome": "submitted", "payload": {"approved": True, "selected_issue_ids": []}}


@pytest.mark.parametrize(
    "request_payload",
    [
        {"proposed_issues": ISSUES},
        {"report_markdown": 7, "proposed_issues": ISSUES},
        {"report_markdown": "x", "proposed_issues": {}},
        {"report_markdown": "x", "proposed_issues": [{"title": "no id"}]},
        {"report_markdown": "x", "proposed_issues": [{"id": "a"}, {"id": "a"}]},
        {"report_markdown": "x", "proposed_issues": [{"id": str(n)} for n in range(101)]},
    ],
)
def test_a_payload_it_does_not_know_gets_the_general_form(sign_in: SignIn, request_payload: JsonObject) -> None:
    waits, client = asked(request_payload), sign_in()
    page = client.get(page_of(waits))
    assert "add:#/payload/selected_issue_ids" in buttons(page)
    assert "What is asked" in text_of(page)
    fields: dict[str, str | list[str]] = {
        "r:#/payload/selected_issue_ids": ["k1"],
        "v:#/payload/selected_issue_ids/@k1": "a",
    }
    sent: dict[str, str | list[str]] = {**fields_of(page), **fields, "v:#/payload/approved": "true", "op": "submit:0"}
    assert press(client, page_of(waits), sent).status_code == 302
    answer = last(waits.run_id, "interrupt.resolved")["resumeValue"]
    assert answer == {"outcome": "submitted", "payload": {"approved": True, "selected_issue_ids": ["a"]}}


def test_a_schema_that_takes_no_ids_gets_the_general_form(sign_in: SignIn) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"score": {"$ref": "#/$defs/score"}},
        "$defs": {"score": {"type": "integer", "title": "Score", "maximum": 5}},
    }
    waits = asked({"report_markdown": "x", "proposed_issues": ISSUES}, schema=schema)
    client = sign_in()
    page = client.get(page_of(waits))
    assert "report_markdown" in text_of(page)
    assert "Score (optional) 5 or less." in text_of(page)
    sent: dict[str, str | list[str]] = {**fields_of(page), "v:#/payload/score": "4", "op": "submit:1"}
    assert press(client, page_of(waits), sent).status_code == 302
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == {"outcome": "cancelled", "payload": {"score": 4}}


REPORT: JsonObject = {
    "report": "# R",
    "proposed_issues": [{"id": "i-1", "title": "Slow"}, {"id": "i-2", "title": "Old"}],
}


def sample(**inputs: Any) -> Suspension:
    """The sample workflow that is loaded into every new installation, at its question."""
    raw = (resources.files("interrupts") / "samples" / "issue-review.json").read_bytes()
    document = cast("JsonObject", parse_json(raw))
    return suspension(start_flow(document, inputs={**REPORT, **inputs}), "review")


def test_the_sample_says_where_each_outcome_leads_and_what_has_to_be_ticked(sign_in: SignIn) -> None:
    words = text_of(sign_in().get(page_of(sample())))
    assert "Submit: the run goes on to “File the issues” or “Return the report”." in words
    assert "Cancel: the run goes on to “Call it off”." in words
    assert "Issues to file (tick any, or none)" in words
    assert "submitted" not in words


def test_the_sample_is_called_off_with_nothing_filled_in(sign_in: SignIn) -> None:
    waits, client = sample(), sign_in()
    assert send(client, page_of(waits), "submit:1").status_code == 302
    answer = last(waits.run_id, "interrupt.resolved")["resumeValue"]
    assert answer == {"outcome": "cancelled", "payload": {"approved": False, "selected_issue_ids": []}}
    assert last(waits.run_id, "run.completed")["outputs"] == {"cancelled": True}


def test_who_calls_the_sample_off_approves_and_chooses_nothing_but_may_say_why(sign_in: SignIn) -> None:
    waits, client = sample(), sign_in()
    comment: dict[str, str | list[str]] = {"v:#/payload/comment": "Too early."}
    assert send(client, page_of(waits), "submit:1", approved="true", ids=["0"], **comment).status_code == 302
    payload = last(waits.run_id, "interrupt.resolved")["resumeValue"]["payload"]
    assert payload == {"approved": False, "selected_issue_ids": [], "comment": "Too early."}


def picking(**picked: Any) -> JsonObject:
    members: dict[str, Any] = cast("dict[str, Any]", ANSWER["properties"])
    return {**ANSWER, "properties": {**members, "selected_issue_ids": {**members["selected_issue_ids"], **picked}}}


def test_where_an_issue_has_to_be_chosen_the_choice_goes_through_when_it_is_called_off(sign_in: SignIn) -> None:
    request: JsonObject = {"report_markdown": "R", "proposed_issues": ISSUES}
    waits, client = asked(request, schema=picking(minItems=1)), sign_in()
    assert "Issues to take up (required)" in text_of(client.get(page_of(waits)))
    assert send(client, page_of(waits), "submit:1").status_code == 422
    assert send(client, page_of(waits), "submit:1", ids=["0"]).status_code == 302
    payload = last(waits.run_id, "interrupt.resolved")["resumeValue"]["payload"]
    assert payload == {"approved": False, "selected_issue_ids": ["i-1"]}


def test_a_choice_that_may_be_left_out_but_not_empty_is_left_out(sign_in: SignIn) -> None:
    schema: JsonObject = {**picking(minItems=1), "required": ["approved"]}
    waits, client = asked({"report_markdown": "R", "proposed_issues": ISSUES}, schema=schema), sign_in()
    assert "Issues to take up (optional)" in text_of(client.get(page_of(waits)))
    assert send(client, page_of(waits), "submit:0", approved="true").status_code == 302
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"]["payload"] == {"approved": True}


def test_without_issues_one_that_has_to_be_chosen_is_written_in_the_general_form(sign_in: SignIn) -> None:
    waits = asked({"report_markdown": "R", "proposed_issues": []}, schema=picking(minItems=1))
    assert "add:#/payload/selected_issue_ids" in buttons(sign_in().get(page_of(waits)))


def test_what_cannot_be_read_is_all_that_is_wrong_with_calling_off(sign_in: SignIn) -> None:
    members: dict[str, Any] = {**cast("dict[str, Any]", ANSWER["properties"]), "days": {"type": "integer"}}
    request: JsonObject = {"report_markdown": "R", "proposed_issues": ISSUES}
    waits, client = asked(request, schema={**ANSWER, "properties": members}), sign_in()
    days: dict[str, str | list[str]] = {"v:#/payload/days": "some"}
    words = text_of(send(client, page_of(waits), "submit:1", **days))
    assert "days : Write a number" in words
    assert "approved : Choose one." not in words


def test_a_wrong_answer_to_the_sample_is_told_at_its_input_and_kept(sign_in: SignIn) -> None:
    waits, client = sample(), sign_in()
    wrong = send(client, page_of(waits), "submit:0", ids=["1"], **{"v:#/payload/comment": "Kept."})
    assert (wrong.status_code, status(waits.run_id)) == (422, "waiting-approval")
    assert "Approve the report : Choose one." in text_of(wrong)
    errors = [attrs["id"] for tag, attrs in read(wrong).tags if tag == "p" and attrs.get("class") == "error"]
    described = [attrs.get("aria-describedby") for tag, attrs in read(wrong).tags if tag == "fieldset"]
    assert errors[0] in described
    assert fields_of(wrong)[IDS] == ["1"]
    assert fields_of(wrong)["v:#/payload/comment"] == ["Kept."]


def test_the_answer_to_the_sample_is_in_the_state_of_its_run_and_read_by_its_titles(sign_in: SignIn) -> None:
    waits, client = sample(), sign_in()
    comment: dict[str, str | list[str]] = {"v:#/payload/comment": "Do it."}
    assert send(client, page_of(waits), "submit:0", approved="true", ids=["1"], **comment).status_code == 302
    variables = Run.objects.get(pk=waits.run_id).variables
    assert (variables["approved"], variables["selected_issue_ids"], variables["comment"]) == (True, ["i-2"], "Do it.")
    assert last(waits.run_id, "run.completed")["outputs"] == {"filed": ["i-2"], "comment": "Do it."}
    page = client.get(page_of(waits))
    words = text_of(page)
    assert "You answered this. Outcome: Submit." in words
    assert "Approve the report yes (true) Issues to file Old Comment Do it." in words
    assert "What there was to choose from Slow Nothing more is said of it. Old" in words
    assert "<h3>R</h3>" in page.content.decode()
    assert '<p class="said" dir="auto">Do it.</p>' in page.content.decode()
    assert "ann answered this." in text_of(sign_in("ben").get(page_of(waits)))


def test_a_used_link_tells_when_and_how_it_was_answered_and_so_does_the_inbox(sign_in: SignIn) -> None:
    waits = sample()
    url, holder = link(waits.run_id, at="review"), Client(headers={"accept": "text/html"})
    answered = press(holder, url, {**fields_of(holder.get(url)), "op": "submit:1"})
    assert (answered.status_code, title_of(answered)) == (200, "You answered with “Cancel” | wopsite")
    assert "It was answered on 2 Mar 2026, 09:05 UTC with “Cancel”." in text_of(holder.get(url))
    words = text_of(sign_in().get(page_of(waits)))
    assert "It was answered by a link that was made for nobody in particular. Outcome: Cancel." in words


def test_an_answer_by_a_link_counts_as_that_of_the_person_it_was_made_for(sign_in: SignIn) -> None:
    waits, ben = sample(), actor("ben")
    url, holder = link(waits.run_id, "ben", at="review"), Client(headers={"accept": "text/html"})
    press(holder, url, {**fields_of(holder.get(url)), "op": "submit:1"})
    resolved = last(waits.run_id, "interrupt.resolved")
    assert (resolved["x-answered-by"], "resolvedBy" in resolved) == ({"subjectId": ben.subject_id}, False)
    assert "You answered with “Cancel” on 2 Mar 2026, 09:05 UTC" in text_of(holder.get(url))
    assert "ben answered this. Outcome: Cancel." in text_of(sign_in().get(page_of(waits)))
    assert "You answered this. Outcome: Cancel." in text_of(sign_in("ben").get(page_of(waits)))


def test_a_link_to_what_a_person_answered_tells_with_which_outcome(sign_in: SignIn) -> None:
    waits = sample()
    url = link(waits.run_id, at="review")
    assert send(sign_in(), page_of(waits), "submit:1").status_code == 302
    words = text_of(Client(headers={"accept": "text/html"}).get(url))
    assert "ann answered with “Cancel” on 2 Mar 2026, 09:05 UTC, and that decided it." in words


def test_the_answers_to_questions_are_read_by_the_questions(sign_in: SignIn) -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"title": "Lines"}}}
    asks: list[Any] = [{"id": "q", "question": "What <now>?"}, {"id": "r", "question": "And how?", "schema": schema}]
    run_id = start_flow(one_interrupt("clarification", {"questions": asks}))
    reply(actor("ben"), run_id, {"answers": {"r": {"a": [{"b": 1}]}, "q": "Wait."}})
    words = text_of(sign_in().get(page_of(suspension(run_id, "ask"))))
    assert "The answer What <now>? Wait. And how? a 1 item 1 1 field b 1" in words


def test_the_sample_has_the_general_form_for_issues_that_its_page_cannot_tell_apart(sign_in: SignIn) -> None:
    twice = [{"id": "i-1", "title": "Slow"}, {"id": "i-1", "title": "Old"}]
    page = sign_in().get(page_of(sample(proposed_issues=twice)))
    assert "add:#/payload/selected_issue_ids" in buttons(page)


def test_any_outcome_but_the_first_goes_through_unfilled_where_the_schema_takes_an_empty_object(
    sign_in: SignIn,
) -> None:
    waits, client = asked({}, kind="refund", schema={"type": "object"}, outcomes=["pay_now", "keepIt"]), sign_in()
    page = client.get(page_of(waits))
    assert "Pay now" in text_of(page)
    assert "Keep It" in text_of(page)
    assert send(client, page_of(waits), "submit:0").status_code == 422
    assert send(client, page_of(waits), "submit:1").status_code == 302
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == {"outcome": "keepIt", "payload": {}}


def test_outcomes_whose_words_would_be_the_same_keep_their_names(sign_in: SignIn) -> None:
    waits = asked({}, kind="refund", outcomes=["pay_now", "pay-now"])
    words = text_of(sign_in().get(page_of(waits)))
    assert "pay_now" in words
    assert "pay-now" in words


def test_a_kind_without_a_page_of_its_own_shows_what_it_asks_and_its_outcomes(sign_in: SignIn) -> None:
    waits, client = asked({"amount": 12}, kind="refund", schema={"type": "object"}, outcomes=["Pay", "Keep"]), sign_in()
    page = client.get(page_of(waits))
    assert "amount 12" in text_of(page)
    assert buttons(page) == ["submit:0", "submit:1"]
    assert (
        press(client, page_of(waits), {**fields_of(page), "j:#/payload": '{"a": 1}', "op": "submit:1"}).status_code
        == 302
    )
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == {"outcome": "Keep", "payload": {"a": 1}}
