"""The main path in a real Chromium: at a desk and on a phone, with scripts and without."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, member, one_gate, start_flow, status

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ARTIFACT: Any = {
    "payee": "Olga Owner",
    "total": 612.5,
    "lines": [{"what": "Train", "amount": 122.5}, {"what": "Hotel, 2 nights", "amount": 490}],
    "reference": "0123456789abcdef" * 20,
}


@pytest.fixture
def run_id(db: None) -> str:
    """A run that waits for two approvals; Ann and Bob can give them."""
    for name in ("ann", "bob"):
        member(name, password=PASSWORD)
    gate = one_gate(
        title="Expense 4711",
        description="Please **look**.",
        artifactType="expense",
        artifactData=ARTIFACT,
        requiredApprovals=2,
        approversList=["ann", "bob"],
        timeoutMs=3_600_000,
    )
    return start_flow(gate, by=actor("owner"), now=datetime.now(UTC))


def test_two_people_approve_and_the_run_completes(visitor: Visitor, run_id: str) -> None:
    ann = visitor()
    ann.sign_in("ann")
    ann.assert_is_in_order()
    ann.page.get_by_role("link", name="Expense 4711").click()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Expense 4711")
    expect(ann.page.locator("#meter")).to_have_text("0 of 2 approvals, 0 of 1 rejection to stop it")
    ann.assert_is_in_order()
    ann.page.get_by_label("Comment").fill("Fine with me.")
    ann.page.get_by_role("button", name="Approve", exact=True).click()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("You approved")
    expect(ann.page.get_by_text("It stays open: 1 more approval is needed.")).to_be_visible()
    ann.assert_is_in_order()

    bob = visitor()
    bob.sign_in("bob")
    bob.page.get_by_role("link", name="Expense 4711").click()
    expect(bob.page.get_by_text("Fine with me.")).to_be_visible()
    bob.page.get_by_role("button", name="Approve", exact=True).click()
    expect(bob.page.get_by_text("The run is complete.")).to_be_visible()
    assert status(run_id) == "completed"
    look_back(ann)


def look_back(ann: Visit) -> None:
    """From the page after an answer to the history, the decision and the run."""
    ann.page.get_by_role("link", name="Back to the inbox").click()
    expect(ann.page.get_by_text("Nothing waits for you")).to_be_visible()
    ann.assert_is_in_order()
    ann.page.get_by_role("link", name="History").click()
    row = ann.page.get_by_role("listitem").filter(has_text="Expense 4711")
    expect(row.first).to_contain_text("Granted")
    expect(row.first).to_contain_text("bob approved")
    ann.assert_is_in_order()
    ann.page.get_by_role("link", name="Expense 4711").click()
    ann.assert_is_in_order()
    ann.page.get_by_role("link", name=re.compile("Run of")).click()
    expect(ann.page.get_by_text("Completed", exact=True)).to_be_visible()
    ann.assert_is_in_order()


def test_the_second_of_two_people_sees_who_was_faster_and_keeps_the_words(visitor: Visitor, run_id: str) -> None:
    ann, bob = visitor(), visitor()
    for visit, name in ((ann, "ann"), (bob, "bob")):
        visit.sign_in(name)
        visit.page.get_by_role("link", name="Expense 4711").click()
    bob.page.get_by_role("button", name="Reject").click()
    expect(bob.page.get_by_role("heading", level=1)).to_have_text("You rejected")
    ann.page.get_by_label("Comment").fill("Took me a while to write.")
    ann.page.get_by_role("button", name="Approve", exact=True).click()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Someone was faster")
    expect(ann.page.get_by_label("Comment")).to_have_value("Took me a while to write.")
    ann.assert_is_in_order()
    assert status(run_id) == "failed"


def test_an_incomplete_answer_leads_to_its_field(visitor: Visitor, run_id: str) -> None:
    ann = visitor()
    ann.sign_in("ann")
    ann.page.get_by_role("link", name="Expense 4711").click()
    ann.page.get_by_text("Ask for changes…").click()
    ann.page.get_by_label("Tags").fill("tone")
    ann.page.get_by_role("button", name="Ask for these changes").click()
    expect(ann.page.get_by_role("heading", name="Nothing was sent")).to_be_visible()
    assert ann.page.title() == "Error: Expense 4711 | wopsite"
    expect(ann.page.locator("#problems")).to_be_focused()
    ann.assert_is_in_order()
    ann.page.get_by_role("link", name="Write what should change.").click()
    expect(ann.page.get_by_label("What should change")).to_be_focused()
    expect(ann.page.get_by_label("Tags")).to_have_value("tone")


def test_enter_in_a_text_box_never_answers(visitor: Visitor, run_id: str) -> None:
    ann = visitor()
    ann.sign_in("ann")
    ann.page.get_by_role("link", name="Expense 4711").click()
    ann.page.get_by_text("Ask for changes…").click()
    ann.page.get_by_label("Tags").fill("tone")
    ann.page.get_by_label("Tags").press("Enter")
    expect(ann.page.get_by_text("Nothing was sent. Press one of the buttons that send an answer.")).to_be_visible()
    assert status(run_id) == "waiting-approval"


def test_signing_in_after_the_session_ended_brings_the_words_back(visitor: Visitor, run_id: str) -> None:
    ann = visitor()
    ann.sign_in("ann")
    ann.page.get_by_role("link", name="Expense 4711").click()
    ann.page.get_by_label("Comment").fill("Took me a while to write.")
    ann.page.context.clear_cookies(name="sessionid")
    ann.page.get_by_role("button", name="Approve", exact=True).click()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("You were signed out meanwhile")
    ann.assert_is_in_order()
    ann.page.get_by_label("User name").fill("ann")
    ann.page.get_by_label("Password").fill(PASSWORD)
    ann.page.get_by_role("button", name="Sign in").click()
    expect(ann.page.get_by_label("Comment")).to_have_value("Took me a while to write.")
    assert status(run_id) == "waiting-approval"
