"""The page of every kind but an approval, at a desk and on a phone, looked at by axe and the content policy."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from interrupts.contracts.types import JsonObject
from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, last, member, one_interrupt, start_flow, status, suspension
from tests.inbox.pages import page_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "x" * 300
QUESTIONS: JsonObject = {
    "questions": [
        {"id": "who", "question": f"Whose is it? {LONG}"},
        {"id": "size", "question": "Which size?", "schema": {"enum": ["Small", "Large", LONG]}},
        {"id": "lines", "question": "Which lines?", "schema": {"type": "array", "items": {"type": "integer"}}},
    ]
}


def asked(kind: str, data: JsonObject) -> str:
    return start_flow(one_interrupt(kind, data, timeoutMs=600_000), by=actor("owner"), now=datetime.now(UTC))


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
    ann.page.get_by_label("Which lines?").fill("[1, 2")
    ann.page.get_by_role("button", name="Send the answer").click()
    expect(ann.page.locator("#problems")).to_be_focused()
    ann.assert_is_in_order()
    ann.page.get_by_label("Which lines?").fill("[1, 2]")
    ann.page.get_by_role("button", name="Send the answer").click()
    expect(ann.page.get_by_text("You answered this.")).to_be_visible()
    ann.assert_is_in_order()
    answers: JsonObject = {"who": "Ann's", "size": "Large", "lines": [1, 2]}
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {"answers": answers}


def test_json_is_answered_with_its_schema_beside_it(ann: Visit) -> None:
    data: JsonObject = {"conversationId": "c", "prompt": f"Well? {LONG}", "outcomeSchema": {"const": {LONG: [LONG]}}}
    run_id = asked("conversation.exchange", {**data, "outcomeSchema": {"type": "object", "title": LONG}})
    ann.open(page_of(suspension(run_id, "ask")))
    ann.page.get_by_text("The JSON Schema that it must satisfy").click()
    ann.assert_is_in_order()
    ann.page.get_by_label("Your answer, as JSON").fill('{"yes": true}')
    ann.page.get_by_role("button", name="Send the answer").click()
    expect(ann.page.get_by_role("heading", name="The answer")).to_be_visible()
    ann.assert_is_in_order()
    assert status(run_id) == "completed"
