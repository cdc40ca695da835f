"""Answers that are not taken: each is told in words, with everything typed still there."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from approvals.inbox.failures import server_error
from approvals.models import Vote
from interrupts.services.runs import CancelRun, cancel_run
from tests.factories import actor, after, answer, member, one_gate, start_flow, status, sweep
from tests.inbox.conftest import SignIn
from tests.inbox.pages import hidden, links, page_of, press, read, text_of, title_of

WORDS = "Words that took me a while <b>"


def opened(browser: Client, run_id: str) -> dict[str, str]:
    """What the form of a page posts that somebody opened, wrote into, and approves later."""
    shown = hidden(browser.get(page_of(run_id)), "shown")
    return {"shown": shown, "action": "accept", "comment": WORDS}


def assert_words_are_kept(page: Any) -> None:
    assert WORDS in text_of(page)
    assert "<b>" not in page.content.decode().partition("<main")[2]


def test_somebody_who_lost_the_right_meanwhile_is_told(sign_in: SignIn) -> None:
    actor("ann", groups=["finance"])
    run_id = start_flow(one_gate(approverGroupRefs=["finance"]))
    browser = sign_in("ann")
    form = opened(browser, run_id)
    User.objects.get(username="ann").groups.clear()
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 403
    assert "You may not answer this Nothing was decided. You are not among the approvers" in text_of(page)
    assert_words_are_kept(page)
    assert not Vote.objects.exists()


def test_the_second_of_two_people_is_told_who_was_faster(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    form = opened(browser, run_id)
    answer(actor("cara"), run_id, "reject", now=after(minutes=4))
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 409
    words = (
        "Someone was faster cara rejected on 2 Mar 2026, 09:04 UTC, and that decided it. Your answer was not counted."
    )
    assert words in text_of(page)
    assert_words_are_kept(page)
    assert page_of(run_id) in links(page)


def test_pressing_twice_says_that_i_have_answered_already(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    form = opened(browser, run_id)
    assert press(browser, page_of(run_id), form).status_code == 302
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 409
    assert "You have already answered this You approved on 2 Mar 2026, 09:05 UTC" in text_of(page)


def test_an_answer_to_a_run_that_was_cancelled_is_told_so(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    form = opened(browser, run_id)
    cancel_run(request=CancelRun(actor("owner"), run_id), now=after(minutes=4))
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 409
    assert "This is no longer asked The run was stopped on 2 Mar 2026, 09:04 UTC." in text_of(page)
    assert_words_are_kept(page)


@pytest.mark.parametrize("swept", [True, False])
def test_an_answer_after_the_deadline_is_not_counted(
    sign_in: SignIn, clock: time_machine.Traveller, swept: bool
) -> None:
    run_id = start_flow(one_gate(timeoutMs=6 * 60_000))
    browser = sign_in("ann")
    form = opened(browser, run_id)
    clock.move_to(after(minutes=7))
    if swept:
        sweep(now=after(minutes=7))
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 410
    assert "The time was up Nobody decided in time, so it was rejected on 2 Mar 2026, 09:07 UTC." in text_of(page)
    assert_words_are_kept(page)
    assert status(run_id) == "failed"


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"action": "ask"}, "question", "Write your question."),
        ({"action": "refine"}, "changes", "Write what should change."),
        ({"action": "refine", "scope": "section"}, "section", "Name the section that should change."),
        ({"action": "refine", "scope": "items", "items": " , "}, "items", "List the items that should change."),
        ({"action": "edit-accept", "edited": '{"a": }'}, "edited", "This is not JSON yet (line 1, column 7). A value"),
    ],
)
def test_an_incomplete_answer_is_told_at_its_field(
    sign_in: SignIn, fields: dict[str, str], field: str, message: str
) -> None:
    run_id = start_flow(one_gate(artifactData={}))
    browser = sign_in("ann")
    page = press(browser, page_of(run_id), {**opened(browser, run_id), **fields})
    assert page.status_code == 422
    assert title_of(page) == "Error: Release it? | wopsite"
    assert text_of(page).count(message) == 2
    assert f"#id_{field}" in links(page)
    marked = [attrs for _tag, attrs in read(page).tags if attrs.get("name") == field]
    assert marked[0]["aria-invalid"] == "true"
    assert f"id_{field}-error" in str(marked[0]["aria-describedby"])
    summary = next(attrs for _tag, attrs in read(page).tags if attrs.get("id") == "problems")
    assert {"tabindex", "autofocus"} <= set(summary)
    assert WORDS in text_of(page)
    assert not Vote.objects.exists()


def test_what_the_gates_own_schema_refuses_is_told(sign_in: SignIn) -> None:
    schema = {"type": "object", "required": ["feedback"], "properties": {"feedback": {"minLength": 100}}}
    run_id = start_flow(one_gate(resumeSchema=schema))
    browser = sign_in("ann")
    page = press(browser, page_of(run_id), opened(browser, run_id))
    assert page.status_code == 422
    assert "Nothing was sent: there is a problem" in text_of(page)
    assert "100" in text_of(page)


@pytest.mark.parametrize("action", ["timeout", "approve", "ACCEPT", "edit_accept"])
def test_an_action_that_the_gate_does_not_take_is_refused(sign_in: SignIn, action: str) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    page = press(browser, page_of(run_id), {**opened(browser, run_id), "action": action})
    assert page.status_code == 422
    assert status(run_id) == "waiting-approval"


def test_text_that_cannot_be_stored_is_refused_in_words(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    page = press(browser, page_of(run_id), {**opened(browser, run_id), "comment": "a\x00b"})
    assert page.status_code == 422
    assert "Null characters are not allowed." in text_of(page)


def test_a_form_without_its_key_is_refused_and_keeps_the_words(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann", csrf=True)
    page = press(browser, page_of(run_id), opened(browser, run_id))
    assert page.status_code == 403
    assert "This page was too old to be sent Nothing was decided." in text_of(page)
    assert_words_are_kept(page)
    assert not Vote.objects.exists()


def test_what_was_typed_comes_back_after_signing_in_again(sign_in: SignIn) -> None:
    member("ann", password="secret-pass-1")
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    form = {**opened(browser, run_id), "scope": "section", "section": "Intro"}
    browser.logout()
    page = press(browser, page_of(run_id), form)
    assert page.status_code == 403
    assert "You were signed out meanwhile Nothing was decided." in text_of(page)
    assert_words_are_kept(page)
    signed = {"username": "ann", "next": hidden(page, "next"), "draft": hidden(page, "draft")}
    mistyped = browser.post("/accounts/login/", {**signed, "password": "wrong"})
    signed["draft"] = hidden(mistyped, "draft")
    done = browser.post("/accounts/login/", {**signed, "password": "secret-pass-1"})
    assert done.headers["Location"] == page_of(run_id)
    again = browser.get(page_of(run_id))
    assert again.status_code == 200
    assert WORDS in text_of(again)
    assert hidden(again, "section") == "Intro"
    assert WORDS not in text_of(browser.get(page_of(run_id)))
    assert not Vote.objects.exists()


@pytest.mark.parametrize("draft", ["{", "[]", '{"path": 1}', '{"path": "/inbox/", "fields": 5}', "[" * 150_000])
def test_a_draft_that_is_none_of_ours_is_ignored(client: Client, draft: str) -> None:
    member("ann", password="secret-pass-1")
    posted = {"username": "ann", "password": "secret-pass-1", "draft": draft}
    assert client.post("/accounts/login/", posted).headers["Location"] == "/inbox/"
    assert "draft" not in client.session


def test_an_unknown_address_is_told_in_words(sign_in: SignIn) -> None:
    for path in ("/inbox/i-unknown/", "/inbox/runs/r-unknown/", "/inbox/i-unknown/answered/", "/inbox/x/"):
        page = sign_in("ann").get(path)
        assert page.status_code == 404
        assert "There is nothing at this address" in text_of(page)


def test_a_fault_of_ours_keeps_the_words_and_looks_nothing_up(
    django_assert_num_queries: Any, rf: RequestFactory
) -> None:
    with django_assert_num_queries(0):
        page = server_error(rf.post("/inbox/i-x/", {"comment": WORDS}))
    assert page.status_code == 500
    assert "It is our fault, not yours" in text_of(page)
    assert_words_are_kept(page)


def test_a_form_that_is_too_large_is_told_in_words(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    browser = sign_in("ann")
    page = press(browser, page_of(run_id), {**opened(browser, run_id), "edited": "x" * 1_100_000})
    assert page.status_code == 400
    assert "Nothing was decided. It may have been too long." in text_of(page)
