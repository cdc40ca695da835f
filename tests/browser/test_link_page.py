"""The page of a signed link in a real browser: each of its states, at both widths, with scripts and without."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from interrupts.services import tokens
from interrupts.services.links import mint_link
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Claims, Intent
from tests.browser.conftest import PASSWORD, Visit, Visitor
from tests.factories import actor, answer, member, one_gate, start_flow, status, suspension

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GATE = one_gate(
    title="Release 4.2",
    description="Everything is *tested*.",
    artifactType="release",
    artifactData={"version": "4.2", "notes": ["faster", "smaller"]},
    approversList=["ann"],
    timeoutMs=3_600_000,
)


@pytest.fixture
def run_id() -> str:
    member("ann")
    return start_flow(GATE, by=actor("owner"), now=datetime.now(UTC))


def link(run_id: str, approver: str = "ann", *, intent: Intent = Intent.RESOLVE) -> str:
    minted = mint_link(
        actor=actor("owner"), run_id=run_id, node_id="gate", intent=intent, approver=approver, now=datetime.now(UTC)
    )
    return f"/interrupts/{minted.token}"


def heading(visit: Visit, words: str) -> None:
    expect(visit.page.get_by_role("heading", level=1)).to_have_text(words)
    visit.assert_is_in_order()


def test_an_open_link_is_looked_at_and_answered(visitor: Visitor, run_id: str) -> None:
    visit = visitor()
    leaked: list[str] = []
    visit.page.on("request", lambda request: leaked.append(request.headers.get("referer", "")))
    visit.open(link(run_id))
    heading(visit, "Release 4.2")
    assert status(run_id) == "waiting-approval"
    visit.page.get_by_label("Comment").fill("Go.")
    visit.page.get_by_role("button", name="Approve", exact=True).click()
    heading(visit, "You approved")
    assert status(run_id) == "completed"
    assert set(leaked) == {""}
    visit.page.reload()
    heading(visit, "You have already answered this")


def test_what_does_not_fit_is_told_and_kept(visitor: Visitor, run_id: str) -> None:
    visit = visitor()
    visit.open(link(run_id))
    visit.page.get_by_label("Comment").fill("My words")
    visit.page.get_by_text("Ask a question…").click()
    visit.page.get_by_role("button", name="Ask this question").click()
    expect(visit.page.locator("#problems")).to_be_focused()
    expect(visit.page.get_by_label("Comment")).to_have_value("My words")
    visit.assert_is_in_order()


def test_a_link_without_the_right_to_answer_is_in_order(visitor: Visitor, run_id: str) -> None:
    visit = visitor()
    for path in (link(run_id, ""), link(run_id, intent=Intent.INSPECT)):
        visit.open(path)
        heading(visit, "Release 4.2")
        expect(visit.page.get_by_text("You cannot answer, because")).to_be_visible()


def test_each_closed_link_is_in_order(visitor: Visitor, run_id: str) -> None:
    now = datetime.now(UTC)
    visit = visitor()
    visit.open("/interrupts/ow2.hs256.nokid.a.b")
    heading(visit, "This link does not work")
    claims = Claims(run_id, "gate", suspension(run_id).pk, now - timedelta(seconds=1), Intent.RESOLVE)
    visit.open(f"/interrupts/{tokens.mint(claims)}")
    heading(visit, "This link has expired")
    cancelled = start_flow(one_gate("other", title="x" * 300), now=now)
    dead = link(cancelled, "")
    cancel_run(request=CancelRun(actor=actor("owner"), run_id=cancelled), now=now)
    visit.open(dead)
    heading(visit, "This is no longer asked")


def test_an_answer_after_somebody_elses_is_told_so_with_what_was_typed(visitor: Visitor) -> None:
    run_id = start_flow(one_gate(title="Open to all"), by=actor("owner"), now=datetime.now(UTC))
    visit = visitor()
    visit.open(link(run_id, ""))
    answer(actor("ben"), run_id, "reject", now=datetime.now(UTC))
    visit.page.get_by_label("Comment").fill("Too late?")
    visit.page.get_by_role("button", name="Approve", exact=True).click()
    expect(visit.page.get_by_label("Comment")).to_have_value("Too late?")
    heading(visit, "This is already answered")


def test_a_link_is_copied_in_the_inbox_and_opened_elsewhere(visitor: Visitor) -> None:
    member("cleo", password=PASSWORD)
    run_id = start_flow(one_gate(title="Open to all"), by=actor("owner"), now=datetime.now(UTC))
    cleo = visitor()
    cleo.sign_in("cleo")
    cleo.page.get_by_role("link", name="Open to all").click()
    cleo.page.get_by_text("Copy a link for…").click()
    cleo.assert_is_in_order()
    cleo.page.get_by_label("Whom it is for").select_option("me")
    cleo.page.get_by_role("button", name="Make the link").click()
    heading(cleo, "A link to one question")
    url = cleo.page.get_by_label("Link for me").input_value()
    phone = visitor()
    phone.page.goto(url)
    expect(phone.page.get_by_text("This link was made for cleo")).to_be_visible()
    phone.assert_is_in_order()
    phone.page.get_by_role("button", name="Reject").click()
    heading(phone, "You rejected")
    assert status(run_id) == "failed"
