"""The form of every kind but an approval, at a desk and on a phone, looked at by axe and the content policy."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import expect

from interrupts.contracts.types import JsonObject
from interrupts.services.links import mint_link
from interrupts.services.tokens import Intent
from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, last, member, one_interrupt, start_flow, status
from tests.inbox.test_issue_review import review

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "x" * 300
QUESTIONS: JsonObject = {
    "questions": [
        {"id": "who", "question": f"Whose is it? {LONG}"},
        {"id": "size", "question": "Which size?", "schema": {"enum": ["Small", "Large", LONG]}},
        {"id": "lines", "question": "Which lines?", "schema": {"type": "array", "items": {"type": "integer"}}},
    ]
}
EVERYTHING: JsonObject = {
    "type": "object",
    "title": "Order",
    "description": f"What to send. {LONG}",
    "required": ["name", "lines", "sure", "pay"],
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "As on the door.", "examples": ["Ann"]},
        "note": {"type": ["string", "null"], "maxLength": 900},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "scan": {"type": "string", "contentEncoding": "base64"},
        "town": {"enum": [f"Town {number}" for number in range(300)]},
        "colour": {"enum": [f"Colour {number}" for number in range(9)]},
        "sure": {"type": "boolean", "title": "Are you sure?"},
        "terms": {"const": True, "title": "I read the terms"},
        "sizes": {"type": "array", "uniqueItems": True, "items": {"enum": ["S", "M", LONG]}},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"article": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
                "required": ["article"],
            },
        },
        "pay": {
            "title": "Payment",
            "oneOf": [
                {"properties": {"by": {"const": "card"}, "number": {"type": "string"}}, "required": ["by", "number"]},
                {"properties": {"by": {"const": "invoice"}, "days": {"type": "integer"}}, "required": ["by"]},
            ],
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "more": {"$ref": "#"},
        "anything": {},
    },
    "if": {"properties": {"day": {"const": "2031-05-17"}}, "required": ["day"]},
    "then": {"properties": {"why": {"type": "string", "title": "Why so late"}}},
}


def asked(kind: str, data: JsonObject, **config: Any) -> str:
    document = one_interrupt(kind, data, timeoutMs=600_000, **config)
    return start_flow(document, by=actor("owner"), now=datetime.now(UTC))


@pytest.fixture
def ann(visitor: Visitor) -> Visit:
    member("ann", password=PASSWORD)
    visit = visitor()
    visit.sign_in("ann")
    return visit


def test_questions_are_answered_after_a_mistake(ann: Visit) -> None:
    run_id = asked("clarification", QUESTIONS)
    ann.open("/inbox/")
    ann.assert_is_in_order()
    ann.page.locator(".row-title a").first.click()
    ann.assert_is_in_order()
    ann.page.get_by_label("Whose is it?").fill("Ann's")
    ann.page.get_by_label("Large").check()
    ann.page.get_by_role("button", name="Add a line to Which lines?").click()
    ann.page.get_by_role("textbox", name="Line 1").fill("one")
    ann.page.get_by_role("button", name="Send the answer").click()
    expect(ann.page.locator("#problems")).to_be_focused()
    ann.page.get_by_role("link", name="Which lines?, Line 1: Write a number").click()
    expect(ann.page.get_by_role("textbox", name="Line 1")).to_be_focused()
    ann.assert_is_in_order()
    ann.page.get_by_role("textbox", name="Line 1").fill("1")
    ann.page.get_by_role("button", name="Send the answer").click()
    expect(ann.page.get_by_text("You answered this.")).to_be_visible()
    ann.assert_is_in_order()
    answers: JsonObject = {"who": "Ann's", "size": "Large", "lines": [1]}
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {"answers": answers}


def fill_in_a_file(visit: Visit) -> None:
    """With scripts from a file, of which one that is too large is refused; without, as text."""
    text = visit.page.locator("input[name='v:#/scan']")
    if not visit.runs_scripts:
        text.fill("aGk=")
        return
    picker = visit.page.get_by_label("Take the content of a file for scan")
    picker.set_input_files({"name": "big.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 900_000})
    expect(visit.page.get_by_text("This file was not taken")).to_be_visible()
    picker.set_input_files({"name": "hi.txt", "mimeType": "text/plain", "buffer": b"hi"})
    expect(text).to_have_value("aGk=")
    expect(visit.page.get_by_text("This file was not taken")).to_be_hidden()


def fill_in_time_and_town(visit: Visit) -> None:
    visit.page.get_by_label("Date", exact=True).fill("2031-05-17")
    time = visit.page.get_by_label("Time", exact=True)
    # Key by key, as a person does: an input that also wants seconds would have no value.
    time.press_sequentially("0230PM")
    expect(time).to_have_value("14:30")
    visit.page.get_by_label("Offset from UTC").select_option("+02:00")
    towns = visit.page.locator("select[name='v:#/town']")
    if visit.runs_scripts:
        visit.page.get_by_label("Filter the options of town").fill("299 town")
        expect(towns.locator("option")).to_have_text(["No answer", "Town 299"])
    towns.select_option("Town 299")


def add_two_lines_and_swap_them(visit: Visit) -> None:
    """With scripts the page stays; without, each button loads it again."""
    page = visit.page
    page.evaluate("window.isSamePage = true")
    page.get_by_role("button", name="Add a line to lines").click()
    expect(page.locator("fieldset[data-ptr='#/lines/@k1']")).to_be_focused()
    page.get_by_label("article").fill("Pen")
    page.get_by_role("button", name="Add a line to lines").click()
    page.get_by_label("article").nth(1).fill("Ink")
    page.get_by_role("button", name="Move Line 2 up").click()
    expect(page.get_by_label("article").nth(1)).to_have_value("Pen")
    assert page.evaluate("window.isSamePage ?? false") is visit.runs_scripts


def test_every_input_is_filled_in_by_a_link(visitor: Visitor) -> None:
    run_id = asked("custom", {"customKind": "order"}, resumeSchema=EVERYTHING)
    now = datetime.now(UTC)
    minted = mint_link(actor=actor("owner"), run_id=run_id, node_id="ask", intent=Intent.RESOLVE, approver="", now=now)
    visit = visitor()
    visit.open(f"/interrupts/{minted.token}")
    page = visit.page
    page.get_by_label("Name").fill("Ann")
    page.get_by_label("Yes", exact=True).check()
    page.get_by_label("M", exact=True).check()
    page.get_by_label("day").fill("2031-05-17")
    fill_in_time_and_town(visit)
    fill_in_a_file(visit)
    add_two_lines_and_swap_them(visit)
    page.get_by_label("invoice").check()
    page.get_by_role("button", name="Use this for Payment").click()
    page.get_by_label("days").fill("soon")
    page.get_by_label("Why so late").fill("Because")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.locator("#problems")).to_be_focused()
    visit.assert_is_in_order()
    page.get_by_label("days").fill("30")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.get_by_role("heading", name="You answered")).to_be_visible()
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {
        "name": "Ann",
        "day": "2031-05-17",
        "at": "2031-05-17T14:30:00+02:00",
        "scan": "aGk=",
        "town": "Town 299",
        "sure": True,
        "sizes": ["M"],
        "lines": [{"article": "Ink"}, {"article": "Pen"}],
        "pay": {"by": "invoice", "days": 30},
        "why": "Because",
    }


def test_an_issue_review_is_answered_with_one_of_its_outcomes(ann: Visit) -> None:
    waits = review()
    ann.open(f"/inbox/{waits.pk.partition('/')[2]}/")
    ann.assert_is_in_order()
    ann.page.get_by_label("Fix <the> login").check()
    ann.page.get_by_label("Yes").check()
    ann.page.get_by_role("button", name="Submit").click()
    expect(ann.page.get_by_text("You answered this.")).to_be_visible()
    assert status(waits.run_id) == "completed"
