"""The page of a signed link: each of its states, and that looking decides nothing (inbox.md "Link page")."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from approvals.models import Vote
from interrupts.models import Membership
from interrupts.services import tokens
from interrupts.services.links import mint_link
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Claims, Intent
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    gate_node,
    last,
    member,
    one_gate,
    start_flow,
    status,
    suspension,
    sweep,
    trail,
    workflow,
)
from tests.inbox.pages import buttons, hidden, links, read, text_of, title_of

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def link(
    run_id: str, approver: str = "", *, at: str = "gate", intent: Intent = Intent.RESOLVE, now: datetime = NOW
) -> str:
    """The address of a link, minted when the run started unless said otherwise: five minutes ago."""
    minted = mint_link(actor=actor("owner"), run_id=run_id, node_id=at, intent=intent, approver=approver, now=now)
    return f"/interrupts/{minted.token}"


@pytest.fixture
def browser() -> Client:
    """Somebody's browser, with no session of ours."""
    return Client(enforce_csrf_checks=True, headers={"accept": BROWSER})


def press(browser: Client, url: str, action: str, **fields: str) -> Any:
    """Open the page and press one of its buttons, as a browser does: with the form's key, and a hidden origin."""
    page = browser.get(url)
    sent = {
        "csrfmiddlewaretoken": hidden(page, "csrfmiddlewaretoken"),
        "shown": hidden(page, "shown"),
        "action": action,
    }
    return send(browser, url, {**sent, **fields})


def send(browser: Client, url: str, fields: Mapping[str, str | list[str]], **headers: str) -> Any:
    return browser.post(url, dict(fields), headers={"origin": "null", "sec-fetch-site": "same-origin", **headers})


def assert_private(page: Any) -> None:
    """No cache, no other site and no search engine gets to know of the address."""
    assert page["Cache-Control"] == "no-store"
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert "OpenWOP-Version" not in page
    assert all(url.startswith("#") or "inbox" not in url for url in links(page))


# --- Open -------------------------------------------------------------------------------------------------------------


def test_an_open_link_shows_the_question_without_the_application(browser: Client) -> None:
    member("ann")
    run_id = start_flow(one_gate(description="Version 2 of *it*.", approversList=["ann"], timeoutMs=86_400_000))
    page = browser.get(link(run_id, "ann"))
    words = text_of(page)
    assert page.status_code == 200
    assert "Release it?" in title_of(page)
    assert "This link was made for ann" in words
    assert "Looking decides nothing. The link ends at 2 Mar 2026, 09:30 UTC" in words
    assert "Version 2 of it." in words
    assert "due in 23 hours" in words
    assert buttons(page) == ["accept", "edit-accept", "refine", "ask", "reject"]
    assert [url for url in links(page) if not url.startswith("#")] == []
    assert "sessionid" not in page.cookies
    assert_private(page)


def test_a_link_that_names_nobody_says_so(browser: Client) -> None:
    page = browser.get(link(start_flow(one_gate())))
    assert "made for nobody in particular" in text_of(page)
    assert "May answer: everyone in acme" in text_of(page)
    assert "accept" in buttons(page)


@pytest.mark.parametrize("names", [{"approversList": ["ann"]}, {"approverRoleRefs": ["manager"]}])
def test_a_link_without_the_right_shows_the_question_and_no_form(browser: Client, names: dict[str, Any]) -> None:
    member("ben")
    run_id = start_flow(one_gate(**names))
    for url in (link(run_id), link(run_id, "ben")):
        page = browser.get(url)
        assert buttons(page) == []
        assert "You cannot answer, because you are not among those it names." in text_of(page)


def test_an_inspecting_link_shows_the_question_and_no_form(browser: Client) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id, intent=Intent.INSPECT)
    page = browser.get(url)
    assert buttons(page) == []
    assert "You cannot answer, because this link only shows the question." in text_of(page)
    other = browser.get(link(run_id))
    fields = {name: hidden(other, name) for name in ("csrfmiddlewaretoken", "shown")}
    refused = send(browser, url, {**fields, "action": "accept", "comment": "Yes."})
    assert refused.status_code == 403
    assert "This link only shows the question." in text_of(refused)
    assert "Yes." in text_of(refused)
    assert status(run_id) == "waiting-approval"


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_decides_nothing(browser: Client, method: str) -> None:
    run_id = start_flow(one_gate())
    url, before = link(run_id), trail(run_id)
    for query in ("", "?action=accept&shown=x"):
        for headers in ({}, {"purpose": "prefetch"}, {"user-agent": "Slackbot-LinkExpanding 1.0"}):
            page = getattr(browser, method)(url + query, headers=headers)
            assert page.status_code == 200
            assert_private(page) if method == "get" else None
    assert trail(run_id) == before
    assert Vote.objects.count() == 0


def test_a_machine_gets_the_protocol_at_the_same_address(client: Client) -> None:
    url = link(start_flow(one_gate()))
    for accept in ("application/json", "*/*"):
        seen = client.get(url, headers={"accept": accept})
        assert seen.json()["kind"] == "approval"
        assert seen["OpenWOP-Version"] == "2.0"


# --- Answering --------------------------------------------------------------------------------------------------------


def test_an_answer_counts_as_that_of_whom_the_link_was_made_for(browser: Client) -> None:
    ann = member("ann")
    run_id = start_flow(one_gate(approversList=["ann"]))
    page = press(browser, link(run_id, "ann"), "accept", comment="Fine.")
    words = text_of(page)
    assert page.status_code == 200
    assert "You approved" in words
    assert "The run is complete." in words
    assert "You can close this page." in words
    assert_private(page)
    vote = Vote.objects.get()
    assert (vote.actor, vote.answer["feedback"]) == (ann.subject_id, "Fine.")
    assert "resolvedBy" not in last(run_id, "interrupt.resolved")


def test_a_vote_that_does_not_decide_can_be_changed_by_the_same_link(browser: Client) -> None:
    member("ann")
    run_id = start_flow(one_gate(requiredApprovals=2))
    url = link(run_id, "ann")
    page = press(browser, url, "accept")
    assert "It stays open: 1 more approval is needed." in text_of(page)
    assert url in links(page)
    assert "Your vote so far." in text_of(browser.get(url))
    press(browser, url, "reject")
    assert status(run_id) == "failed"
    assert [vote.action for vote in Vote.objects.all()] == ["reject"]


def test_a_question_is_asked_by_link(browser: Client) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    assert "You asked a question" in text_of(press(browser, url, "ask", question="Why now?"))
    page = text_of(browser.get(url))
    assert "Why now?" in page
    assert "Somebody with a link" in page


def test_what_does_not_fit_is_told_with_everything_typed_kept(browser: Client) -> None:
    run_id = start_flow(one_gate())
    page = press(browser, link(run_id), "ask", question=" ", comment="My words")
    assert page.status_code == 422
    assert title_of(page).startswith("Error:")
    assert "Write your question." in text_of(page)
    assert "My words" in text_of(page)
    assert status(run_id) == "waiting-approval"


@pytest.mark.parametrize("action", ["", "check"])
def test_enter_alone_sends_nothing(browser: Client, action: str) -> None:
    run_id = start_flow(one_gate())
    page = press(browser, link(run_id), action, comment="My words")
    assert "Nothing was sent." in text_of(page)
    assert "My words" in text_of(page)
    assert Vote.objects.count() == 0


def test_an_answer_to_another_question_decides_nothing(browser: Client) -> None:
    run_id = start_flow(one_gate())
    page = press(browser, link(run_id), "accept", shown="0" * 64, comment="My words")
    assert page.status_code == 409
    assert "The question has changed" in text_of(page)
    assert "My words" in text_of(page)
    assert Vote.objects.count() == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "null", "sec-fetch-site": "same-site"},
    ],
)
def test_a_form_from_elsewhere_is_refused(browser: Client, headers: dict[str, str]) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    page = browser.get(url)
    fields = {name: hidden(page, name) for name in ("csrfmiddlewaretoken", "shown")}
    refused = browser.post(url, {**fields, "action": "accept", "comment": "My words"}, headers=headers)
    assert refused.status_code == 403
    assert "This page was too old to be sent" in text_of(refused)
    assert "My words" in text_of(refused)
    assert refused["Referrer-Policy"] == "no-referrer"
    assert Vote.objects.count() == 0


def test_a_form_without_its_key_is_refused(browser: Client) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    shown = hidden(browser.get(url), "shown")
    for fields in ({}, {"csrfmiddlewaretoken": "x" * 64}):
        assert send(browser, url, {"shown": shown, "action": "accept", **fields}).status_code == 403
    assert send(Client(enforce_csrf_checks=True, headers={"accept": BROWSER}), url, {}).status_code == 403
    assert Vote.objects.count() == 0


def test_the_answer_of_a_link_shows_in_the_inbox_with_the_name(browser: Client, sign_in: Any) -> None:
    member("ann")
    run_id = start_flow(one_gate(approversList=["ann", "ben"]))
    press(browser, link(run_id, "ann"), "accept")
    assert "ann approved" in text_of(sign_in("ben").get("/inbox/history/"))


# --- Closed -----------------------------------------------------------------------------------------------------------


def closed(browser: Client, url: str, status_code: int, heading: str) -> str:
    """Open a link, then answer with it: both are told the same, and nothing typed is lost."""
    page = browser.get(url)
    assert (page.status_code, title_of(page)) == (status_code, f"{heading} | wopsite")
    assert_closed(page)
    key = hidden(browser.get(link(start_flow(one_gate("elsewhere")), now=timezone.now())), "csrfmiddlewaretoken")
    sent = send(browser, url, {"csrfmiddlewaretoken": key, "action": "accept", "comment": "My words"})
    assert (sent.status_code, title_of(sent)) == (status_code, f"{heading} | wopsite")
    assert "My words" in text_of(sent)
    assert_closed(sent)
    return text_of(page)


def assert_closed(page: Any) -> None:
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["Cache-Control"] == "no-store"
    assert buttons(page) == []


@pytest.mark.parametrize("token", ["x", "ow2.hs256.nokid.a.b", "a/b", "%F0%9F%98%80", "ow2." + "x" * 5000])
def test_a_link_that_is_none_of_ours_is_not_valid(browser: Client, token: str) -> None:
    words = closed(browser, f"/interrupts/{token}", 404, "This link does not work")
    assert "Copy the whole link into the address bar." in words


def test_a_link_cut_off_is_not_valid(browser: Client) -> None:
    closed(browser, link(start_flow(one_gate()))[:-1], 404, "This link does not work")


def test_an_expired_link_says_until_when_it_was_good(browser: Client, clock: time_machine.Traveller) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    clock.move_to(after(minutes=30))
    words = closed(browser, url, 410, "This link has expired")
    assert "It could be used until 2 Mar 2026, 09:30 UTC." in words
    assert "/inbox/" in links(browser.get(url))
    assert status(run_id) == "waiting-approval"


def test_an_answered_link_says_who_answered(browser: Client) -> None:
    member("ann")
    run_id = start_flow(one_gate())
    own, other = link(run_id), link(run_id, "ann")
    answer(actor("ben"), run_id, "reject", now=after(minutes=2))
    words = closed(browser, own, 409, "This is already answered")
    assert "Release it? Rejected ben rejected on 2 Mar 2026, 09:02 UTC, and that decided it." in words
    closed(browser, other, 409, "This is already answered")


def test_whoever_answered_is_told_that_they_did(browser: Client) -> None:
    member("ann")
    run_id = start_flow(one_gate())
    url = link(run_id, "ann")
    press(browser, url, "accept")
    assert "You approved on" in closed(browser, url, 409, "You have already answered this")


def test_the_holder_of_a_nameless_link_is_not_told_that_it_was_them(browser: Client) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    press(browser, url, "accept")
    assert "Somebody with a link approved on" in closed(browser, url, 409, "This is already answered")


def test_a_link_of_a_cancelled_run_says_that_nobody_has_to_answer(browser: Client) -> None:
    run_id = start_flow(one_gate())
    url = link(run_id)
    cancel_run(request=CancelRun(actor=actor("owner"), run_id=run_id), now=after(minutes=3))
    words = closed(browser, url, 409, "This is no longer asked")
    assert "The run was stopped on 2 Mar 2026, 09:03 UTC." in words


def test_a_link_of_a_run_that_failed_elsewhere_says_so_too(browser: Client) -> None:
    run_id = start_flow(workflow([gate_node(), gate_node("other")]))
    url = link(run_id)
    answer(actor("ann"), run_id, "reject", at="other", now=after(minutes=2))
    closed(browser, url, 409, "This is no longer asked")


def test_a_gate_that_timed_out_says_so(browser: Client) -> None:
    """A link ends with the deadline; one of another host's making may not have."""
    run_id = start_flow(one_gate(timeoutMs=60_000))
    claims = Claims(run_id, "gate", suspension(run_id).pk, after(minutes=30), Intent.RESOLVE)
    sweep(now=after(minutes=2))
    closed(browser, f"/interrupts/{tokens.mint(claims)}", 409, "The time was up")


def test_an_authentic_link_to_nothing_is_not_valid(browser: Client) -> None:
    claims = Claims("acme/r-0123456789abcdef", "gate", "acme/i-0123456789abcdef", after(minutes=30), Intent.RESOLVE)
    closed(browser, f"/interrupts/{tokens.mint(claims)}", 404, "This link does not work")


def test_a_link_of_somebody_who_left_says_so_and_shows_nothing(browser: Client) -> None:
    ann = member("ann")
    run_id = start_flow(one_gate())
    url = link(run_id, "ann")
    Membership.objects.filter(pk=ann.pk).update(is_active=False)
    words = closed(browser, url, 403, "This link can no longer be used")
    assert "Release it?" not in words
    answer(actor("ben"), run_id, "accept", now=after(minutes=1))
    assert "Release it?" not in closed(browser, url, 403, "This link can no longer be used")


def test_hostile_words_stay_words(browser: Client) -> None:
    run_id = start_flow(one_gate(title="<script>alert(1)</script> \u202egnp.exe"))
    for page in (browser.get(link(run_id)), press(browser, link(run_id), "accept"), browser.get(link_again(run_id))):
        assert [attrs.get("src") for tag, attrs in read(page).tags if tag == "script"] == ["/static/js/times.js"]
        assert "⟨U+202E⟩gnp.exe" in text_of(page)


def link_again(run_id: str) -> str:
    """A link to what is decided by now."""
    claims = Claims(run_id, "gate", suspension(run_id).pk, after(minutes=30), Intent.RESOLVE)
    return f"/interrupts/{tokens.mint(claims)}"
