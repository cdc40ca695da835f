"""The page of an ``issue_review``: a report, its issues to tick, a button for each outcome; else the general form."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from interrupts.contracts.composition import closed_object, embedded
from interrupts.contracts.dialects import DRAFT_2020_12
from interrupts.contracts.types import JsonObject
from interrupts.models import Suspension
from tests.factories import last, one_interrupt, start_flow, status, suspension
from tests.inbox.conftest import SignIn
from tests.inbox.pages import buttons, fields_of, page_of, press, read, text_of

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
    assert buttons(page) == ["raw:#/payload", "submit:0", "submit:1"]
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
