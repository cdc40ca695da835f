"""Copy a link for…: who may make one for whom, and that it is shown once (inbox.md, interrupt.md §Tokens)."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Permission, User
from django.test import Client

from interrupts.models import Membership
from interrupts.services import tokens
from interrupts.vocabulary import RefKind
from tests.factories import actor, after, answer, let_answer_as, member, one_gate, start_flow
from tests.inbox.conftest import SignIn
from tests.inbox.pages import page_of, read, text_of


@pytest.fixture
def ann(sign_in: SignIn) -> Client:
    return sign_in("ann")


@pytest.fixture
def dispatcher(sign_in: SignIn) -> Client:
    """Dora sends links to others, and may answer nothing herself."""
    browser = sign_in("dora")
    permission = Permission.objects.get(codename="link_for_others")
    User.objects.get(username="dora").user_permissions.add(permission)
    return browser


def offered(page: Any) -> dict[str, str]:
    """The people a page offers links for: their names, and the values of their options."""
    options = [str(attrs.get("value")) for tag, attrs in read(page).tags if tag == "option"]
    words = [word.strip() for word in page.content.decode().split("<option ")[1:]]
    return {word.partition(">")[2].partition("<")[0]: value for word, value in zip(words, options, strict=True)}


def make(browser: Client, run_id: str, approver: str) -> Any:
    return browser.post(f"{page_of(run_id)}link/", {"approver": approver})


def token_on(page: Any) -> str:
    content: str = page.content.decode()
    return content.partition("/interrupts/")[2].partition("</textarea>")[0]


def subject(username: str) -> str:
    return Membership.objects.get(user__username=username, tenant_id="acme").subject_id


def test_an_approver_copies_a_link_for_themselves(ann: Client) -> None:
    run_id = start_flow(one_gate(approversList=["ann", "ben"]))
    member("ben")
    assert offered(ann.get(page_of(run_id))) == {"me": subject("ann")}
    assert "You can make one for yourself only" in text_of(ann.get(page_of(run_id)))
    page = make(ann, run_id, subject("ann"))
    copies = [attrs for tag, attrs in read(page).tags if tag == "button" and "data-copies" in attrs]
    assert [("hidden" in attrs, attrs["data-copies"]) for attrs in copies] == [(True, "link")]
    words = text_of(page)
    assert page.status_code == 200
    assert "It can be used until 2 Mar 2026, 09:35 UTC" in words
    assert "Share it only with the person it is for." in words
    assert "http://testserver/interrupts/ow2." in page.content.decode()
    assert tokens.read(token_on(page)).approver == subject("ann")
    assert "no-store" in page["Cache-Control"]


def test_an_approver_makes_no_link_in_anothers_name(ann: Client) -> None:
    """With one, they could fill both seats of a quorum alone."""
    member("ben")
    run_id = start_flow(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    for approver in (subject("ben"), "ben", "", "nobody"):
        refused = make(ann, run_id, approver)
        assert (refused.status_code, refused["Location"]) == (302, page_of(run_id))


def test_who_may_not_answer_is_offered_no_link(ann: Client) -> None:
    run_id = start_flow(one_gate(approversList=["ben"]))
    assert offered(ann.get(page_of(run_id))) == {}
    assert make(ann, run_id, subject("ann")).status_code == 302


def test_who_sends_links_is_offered_everybody_the_gate_names(dispatcher: Client) -> None:
    for name, groups in [("ben", []), ("cleo", ["finance"]), ("dan", ["staff"]), ("eve", []), ("fay", []), ("gil", [])]:
        member(name, groups=groups)
    member("zoe", of="globex", groups=["finance"])
    Membership.objects.filter(pk=member("hal", groups=["finance"]).pk).update(is_active=False)
    let_answer_as(actor("eve"), RefKind.ROLE, "manager")
    let_answer_as("staff", RefKind.ROLE, "manager")
    let_answer_as(actor("fay"), RefKind.PRINCIPAL, "ben")
    gate = one_gate(approversList=["ben", "stranger"], approverGroupRefs=["finance"], approverRoleRefs=["manager"])
    run_id = start_flow(gate)
    page = dispatcher.get(page_of(run_id))
    assert "for yourself only" not in text_of(page)
    people = offered(page)
    assert people == {name: subject(name) for name in ("ben", "cleo", "dan", "eve", "fay")}
    made = tokens.read(token_on(make(dispatcher, run_id, subject("eve"))))
    assert made.approver == subject("eve")
    assert make(dispatcher, run_id, subject("gil")).status_code == 302


def test_a_gate_open_to_everybody_has_a_link_for_whoever_has_it(dispatcher: Client) -> None:
    run_id = start_flow(one_gate())
    assert offered(dispatcher.get(page_of(run_id))) == {"me": subject("dora"), "whoever has the link": ""}
    assert tokens.read(token_on(make(dispatcher, run_id, ""))).approver == ""


def test_there_is_no_link_to_what_has_ended(ann: Client, clock: time_machine.Traveller) -> None:
    decided, late = start_flow(one_gate()), start_flow(one_gate("late", timeoutMs=360_000))
    answer(actor("ben"), decided, "accept", now=after(minutes=1))
    clock.move_to(after(minutes=6))
    for run_id in (decided, late):
        assert offered(ann.get(page_of(run_id))) == {}
        assert make(ann, run_id, subject("ann")).status_code == 302


def test_links_are_made_by_a_form_of_ours_alone(sign_in: SignIn, ann: Client) -> None:
    run_id = start_flow(one_gate())
    assert ann.get(f"{page_of(run_id)}link/").status_code == 405
    assert make(sign_in("ann", csrf=True), run_id, subject("ann")).status_code == 403
    assert make(sign_in("zoe", of="globex"), run_id, subject("ann")).status_code == 404
    assert make(Client(), run_id, subject("ann")).status_code == 403


def test_a_link_has_the_configured_address(ann: Client, settings: Any) -> None:
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    page = make(ann, start_flow(one_gate()), subject("ann"))
    assert "https://wop.example.org/interrupts/ow2." in page.content.decode()


def test_a_superuser_makes_no_links_for_others_by_that_alone(ann: Client) -> None:
    User.objects.filter(username="ann").update(is_superuser=True, is_staff=True)
    run_id = start_flow(one_gate(approversList=["ann", "ben"]))
    member("ben")
    assert offered(ann.get(page_of(run_id))) == {"me": subject("ann")}
    assert make(ann, run_id, subject("ben")).status_code == 302
