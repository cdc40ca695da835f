"""Pressing a button, and what it leads to."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.test import Client

from approvals.models import Question, Vote
from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import RefKind
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    edge,
    gate_node,
    last,
    let_answer_as,
    member,
    node,
    one_gate,
    start_flow,
    status,
    suspension,
    workflow,
)
from tests.inbox.conftest import SignIn
from tests.inbox.pages import answer_page, hidden, page_of, press, row_titles, text_of


def given(run_id: str) -> JsonObject:
    """The answer that decided a run's gate, without the time that the host stamps on it."""
    value = cast("dict[str, Any]", last(run_id, "interrupt.resolved")["resumeValue"])
    assert value.pop("decidedAt") == "2026-03-02T09:05:00.000Z"
    return value


def test_an_approval_decides_and_the_next_page_says_what_happened(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "accept", comment="Fine.\r\nPay it.")
    assert (done.status_code, done.headers["Location"]) == (302, page_of(run_id) + "answered/")
    assert given(run_id) == {"action": "accept", "feedback": "Fine.\nPay it."}
    assert status(run_id) == "completed"
    words = text_of(browser.get(done.headers["Location"]))
    assert "You approved Release it? Granted The run is complete. Nothing else waits for you." in words


def test_the_answer_is_recorded_with_the_person_and_the_right(sign_in: SignIn) -> None:
    member("bob")
    run_id = start_flow(one_gate(approversList=["bob"]))
    let_answer_as(actor("ann"), RefKind.PRINCIPAL, "bob")
    answer_page(sign_in("ann"), run_id, "accept")
    vote = Vote.objects.get()
    assert (vote.actor, vote.voter) == (actor("ann").subject_id, actor("bob").subject_id)
    assert (vote.via, vote.on_behalf_of) == ("principal:bob", "bob")
    assert last(run_id, "interrupt.resolved")["resolvedBy"] == actor("ann").subject


def test_a_vote_that_does_not_decide_says_how_many_are_missing(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(requiredApprovals=3))
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "accept")
    words = text_of(browser.get(done.headers["Location"]))
    assert "You approved Release it? It stays open: 2 more approvals are needed." in words
    assert status(run_id) == "waiting-approval"


def test_a_rejection_carries_its_comment(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "reject", comment="No receipt.")
    assert given(run_id) == {"action": "reject", "feedback": "No receipt."}
    assert "You rejected Release it? Rejected The run has ended as failed." in text_of(
        browser.get(done.headers["Location"])
    )


def test_a_vote_can_be_changed_until_the_gate_decides(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2, rejectionPolicy="majority"))
    browser = sign_in("ann")
    answer_page(browser, run_id, "reject")
    answer_page(browser, run_id, "accept", comment="On second thoughts.")
    vote = Vote.objects.get()
    assert (vote.action, vote.answer["feedback"]) == ("accept", "On second thoughts.")
    answer_page(sign_in("bob"), run_id, "accept")
    assert status(run_id) == "completed"


@pytest.mark.parametrize(
    ("fields", "feedback"),
    [
        ({"changes": "Shorter."}, {"scope": "whole", "text": "Shorter."}),
        (
            {"changes": "Shorter.", "scope": "section", "section": "Intro", "items": "ignored"},
            {"scope": "section", "sectionPath": "Intro", "text": "Shorter."},
        ),
        (
            {"changes": "Shorter.", "scope": "items", "items": "a, b\r\nc", "tags": "tone, length"},
            {"scope": "items", "itemIds": ["a", "b", "c"], "tags": ["tone", "length"], "text": "Shorter."},
        ),
    ],
)
def test_changes_can_be_asked_for(sign_in: SignIn, fields: dict[str, str], feedback: JsonObject) -> None:
    run_id = start_flow(one_gate())
    assert answer_page(sign_in("ann"), run_id, "refine", **fields).status_code == 302
    assert given(run_id) == {"action": "refine", "refineFeedback": feedback}


def test_json_is_approved_with_changes(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(artifactData={"amount": 5, "to": "Olga"}))
    answer_page(sign_in("ann"), run_id, "edit-accept", edited='{"amount": 4, "to": "Olga"}')
    assert given(run_id) == {"action": "edit-accept", "editedArtifactData": {"amount": 4, "to": "Olga"}}


def test_a_text_is_approved_with_changes_as_text(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(artifactData="Dear all,\nhello."))
    page = sign_in("ann").get(page_of(run_id))
    assert "Dear all,\nhello.</textarea>" in page.content.decode()
    answer_page(sign_in("ann"), run_id, "edit-accept", edited='Dear all,\r\n"goodbye".')
    assert given(run_id)["editedArtifactData"] == 'Dear all,\n"goodbye".'


def test_a_question_is_kept_and_decides_nothing(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "ask", question="Which budget?")
    assert Question.objects.get().text == "Which budget?"
    words = text_of(browser.get(done.headers["Location"]))
    seen = "Everyone in acme who opens this item sees your question there. Nobody is sent it."
    assert f"You asked a question Release it? {seen} It stays open: 1 more approval is needed." in words
    assert "Nothing else waits for you." in words
    waiting = browser.get("/inbox/")
    assert row_titles(waiting) == ["Release it?"]
    assert "0 of 1 approval you asked Flow" in text_of(waiting)
    assert "you asked" not in text_of(sign_in("bob").get("/inbox/"))


@pytest.mark.parametrize(
    ("people", "told"),
    [
        (3, "1 of 2 rejections; one more stops it. You can change your vote until then."),
        (5, "1 of 3 rejections; 2 more stop it. You can change your vote until then."),
    ],
)
def test_a_rejection_that_does_not_decide_says_how_many_stop_it(sign_in: SignIn, people: int, told: str) -> None:
    run_id = start_flow(one_gate(requiredApprovals=people, rejectionPolicy="majority"))
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "reject")
    words = text_of(browser.get(done.headers["Location"]))
    assert f"You rejected Release it? {told}" in words
    assert "more approval" not in words


def test_the_page_after_an_answer_leads_to_the_next_item(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    start_flow(one_gate("second", title="The second"))
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "accept")
    page = browser.get(done.headers["Location"])
    assert row_titles(page) == ["The second"]


def test_the_page_after_an_answer_says_when_another_one_is_waited_for(sign_in: SignIn) -> None:
    run_id = start_flow(chain(gate_node(), gate_node("second", title="And then?")))
    browser = sign_in("ann")
    done = answer_page(browser, run_id, "accept")
    assert "The run goes on, and now waits for another answer." in text_of(browser.get(done.headers["Location"]))


def test_there_is_no_page_after_an_answer_without_an_answer(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    assert sign_in("ann").get(page_of(run_id) + "answered/").headers["Location"] == page_of(run_id)


@pytest.mark.parametrize("action", ["check", ""])
def test_enter_in_a_text_box_sends_nothing_and_keeps_what_was_typed(sign_in: SignIn, action: str) -> None:
    run_id = start_flow(one_gate())
    page = answer_page(sign_in("ann"), run_id, action, comment="Half a th", tags="tone")
    assert page.status_code == 200
    assert "Nothing was sent." in text_of(page)
    assert "Half a th" in text_of(page)
    assert hidden(page, "tags") == "tone"
    assert not Vote.objects.exists()


def test_opening_a_page_decides_nothing(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    for method in ("get", "head"):
        getattr(browser, method)(page_of(run_id) + "?action=accept")
    assert browser.put(page_of(run_id)).status_code == 405
    assert status(run_id) == "waiting-approval"


def test_an_answer_goes_to_the_question_that_was_shown_and_to_no_later_one(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    other = start_flow(one_gate("other", title="Another question"))
    browser = sign_in("ann")
    foreign = hidden(browser.get(page_of(other)), "shown")
    for shown in (foreign, "", "0" * 64):
        page = press(browser, page_of(run_id), {"shown": shown, "action": "accept", "comment": "My words"})
        assert page.status_code == 409
        assert "The question has changed What you saw is not what is asked now. Nothing was decided." in text_of(page)
        assert "My words" in text_of(page)
    assert status(run_id) == "waiting-approval"


def looping(browser: Client) -> tuple[str, str, str]:
    """A gate that was sent back once: the run, the page of the first question and what it showed."""
    again: JsonObject = {"type": "equals", "left": "action", "right": "refine"}
    edges = [edge("begin", "draft"), edge("draft", "gate"), edge("gate", "draft", condition=again)]
    run_id = start_flow(workflow([node("begin"), node("draft"), gate_node()], edges))
    url = page_of(run_id)
    shown = hidden(browser.get(url), "shown")
    answer(actor("cara"), run_id, {"action": "refine", "refineFeedback": {"scope": "whole"}}, now=after(minutes=1))
    return run_id, url, shown


def test_an_answer_to_a_question_that_was_asked_again_leads_to_the_new_one(sign_in: SignIn) -> None:
    browser = sign_in("ann")
    run_id, url, shown = looping(browser)
    page = press(browser, url, {"shown": shown, "action": "accept"})
    assert page.status_code == 409
    assert "The question has changed" in text_of(page)
    assert page_of(suspension(run_id)) in page.content.decode()
    assert page_of(suspension(run_id)) != url
    assert status(run_id) == "waiting-approval"
