"""*Waiting for me* and *All open*."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from interrupts.services import identity
from interrupts.vocabulary import RefKind
from tests.factories import actor, after, answer, let_answer_as, member, one_gate, register, start, start_flow, tenant
from tests.inbox.conftest import SignIn
from tests.inbox.pages import links, row_titles, text_of, title_of

MINUTE = 60_000


def ask(title: str, **config: Any) -> str:
    return start_flow(one_gate(f"flow-{title}".lower().replace(" ", "-"), title=title, **config))


def test_an_empty_inbox_says_so(sign_in: SignIn) -> None:
    page = sign_in("ann").get("/inbox/")
    assert title_of(page) == "Waiting for me | wopsite"
    assert "Nothing waits for you" in text_of(page)


def test_a_row_tells_what_is_asked_by_whom_and_until_when(sign_in: SignIn) -> None:
    owner = member("owner").user
    owner.first_name, owner.last_name = "Olga", "Owner"
    owner.save(update_fields=["first_name", "last_name"])
    ask("Pay it", artifactType="expense", requiredApprovals=2, timeoutMs=25 * MINUTE)
    page = sign_in("ann").get("/inbox/")
    assert title_of(page) == "Waiting for me (1) | wopsite"
    words = (
        "Pay it due in 20 minutes Approval 0 of 2 approvals Flow-pay-it expense started by Olga Owner "
        "asked 5 minutes ago"
    )
    assert words in text_of(page)


def test_a_run_that_no_member_started_shows_the_opaque_id(sign_in: SignIn) -> None:
    register(one_gate())
    start(identity.command_line_actor(tenant()))
    assert "started by operator" in text_of(sign_in("ann").get("/inbox/"))


def test_rows_come_by_deadline_and_then_by_age(sign_in: SignIn) -> None:
    owner = actor("owner")
    for name, minutes in (("late", 60), ("soon", 20), ("never", 0), ("oldest", 0)):
        register(one_gate(name, title=name, timeoutMs=minutes * MINUTE))
    start(owner, "never", now=after(minutes=2))
    start(owner, "late")
    start(owner, "soon")
    start(owner, "oldest", now=after(minutes=1))
    assert row_titles(sign_in("ann").get("/inbox/")) == ["soon", "late", "oldest", "never"]


def test_only_what_i_may_answer_waits_for_me(sign_in: SignIn) -> None:
    actor("ann", groups=["finance"])
    ask("By name", approversList=["ann"])
    ask("By group", approverGroupRefs=["finance"])
    ask("By role", approverRoleRefs=["manager"])
    ask("By nobody here", approversList=["bob"])
    let_answer_as(actor("ann"), RefKind.ROLE, "manager")
    browser = sign_in("ann")
    assert sorted(row_titles(browser.get("/inbox/"))) == ["By group", "By name", "By role"]
    assert sorted(row_titles(browser.get("/inbox/open/"))) == ["By group", "By name", "By nobody here", "By role"]
    assert "not yours to answer" in text_of(browser.get("/inbox/open/"))


def test_a_row_says_as_whom_i_would_answer(sign_in: SignIn) -> None:
    member("bob")
    ask("By role", approverRoleRefs=["manager"])
    ask("For bob", approversList=["bob"])
    let_answer_as(actor("ann"), RefKind.ROLE, "manager")
    let_answer_as(actor("ann"), RefKind.PRINCIPAL, "bob")
    words = text_of(sign_in("ann").get("/inbox/"))
    assert "0 of 1 approval you answer as role manager" in words
    assert "0 of 1 approval you answer for bob" in words


def test_what_i_have_voted_on_waits_no_longer_but_is_still_open(sign_in: SignIn) -> None:
    run_id = ask("Pay it", requiredApprovals=2)
    answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    browser = sign_in("ann")
    assert row_titles(browser.get("/inbox/")) == []
    assert "1 of 2 approvals you approved" in text_of(browser.get("/inbox/open/"))


def test_what_a_stand_in_answered_for_me_waits_no_longer(sign_in: SignIn) -> None:
    member("bob")
    run_id = ask("Pay it", approversList=["bob", "cara"], requiredApprovals=2)
    let_answer_as(actor("ann"), RefKind.PRINCIPAL, "bob")
    answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    assert row_titles(sign_in("bob").get("/inbox/")) == []


def test_what_has_run_out_of_time_is_not_listed(sign_in: SignIn) -> None:
    ask("Gone", timeoutMs=MINUTE)
    browser = sign_in("ann")
    assert row_titles(browser.get("/inbox/")) == row_titles(browser.get("/inbox/open/")) == []


def test_a_superuser_without_a_reference_has_nothing_waiting(sign_in: SignIn) -> None:
    root = member("root").user
    root.is_superuser = root.is_staff = True
    root.save(update_fields=["is_superuser", "is_staff"])
    ask("By name", approversList=["ann"])
    assert row_titles(sign_in("root").get("/inbox/")) == []


@pytest.fixture
def sixty(sign_in: SignIn) -> Client:
    """A browser of Ann, for whom 60 gates wait: half of them with a deadline, several opened at one instant."""
    owner = actor("owner")
    register(one_gate("timed", title="Timed", timeoutMs=60 * MINUTE))
    register(one_gate("open", title="Open"))
    for number in range(30):
        start(owner, "timed", now=after(seconds=number // 4))
        start(owner, "open", now=after(seconds=number // 4))
    return sign_in("ann")


@pytest.mark.parametrize("path", ["/inbox/", "/inbox/open/"])
def test_paging_reaches_every_row_once_and_the_count_says_so(sixty: Client, path: str) -> None:
    seen: list[str] = []
    url = path
    sizes = []
    while url:
        page = sixty.get(url)
        assert "60 items" in text_of(page)
        found = [link for link in links(page) if link.startswith("/inbox/i-")]
        sizes.append(len(found))
        seen += found
        following = [link for link in links(page) if link.startswith("?after=")]
        url = path + following[0] if following else ""
    assert sizes == [25, 25, 10]
    assert len(set(seen)) == 60


@pytest.mark.parametrize("cursor", ["x", "%00", "bnVsbA", "W10", "WyIiLCIyMDI2IiwgMV0", "W" * 700, '["","a","b"]'])
@pytest.mark.parametrize("path", ["/inbox/", "/inbox/open/", "/inbox/history/"])
def test_a_damaged_cursor_is_told_in_words(sign_in: SignIn, path: str, cursor: str) -> None:
    page = sign_in("ann").get(path, {"after": cursor})
    assert page.status_code == 400
    assert "This page link is damaged" in text_of(page)


def fill(count: int) -> None:
    """Gates that name more and more references and have more and more votes."""
    owner = actor("owner")
    named: dict[str, Any] = {
        "approversList": ["ann", *(f"p{n}" for n in range(count))],
        "approverRoleRefs": [f"r{n}" for n in range(count)],
    }
    register(one_gate(f"flow{count}", requiredApprovals=90, **named))
    for number in range(count):
        let_answer_as(actor("ann"), RefKind.ROLE, f"r{number}")
    for _number in range(count):
        run_id = start(owner, f"flow{count}")
        for number in range(count):
            answer(actor(f"p{number}"), run_id, "accept", now=after(minutes=1))


@pytest.mark.parametrize(("path", "queries"), [("/inbox/", 9), ("/inbox/open/", 9)])
def test_a_page_costs_the_same_queries_whatever_is_on_it(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries, path: str, queries: int
) -> None:
    browser = sign_in("ann")
    browser.get(path)  # Content types are read once a process.
    fill(1)
    with django_assert_num_queries(queries):
        assert len(row_titles(browser.get(path))) == 1
    fill(5)
    with django_assert_num_queries(queries):
        assert len(row_titles(browser.get(path))) == 6


def test_a_full_page_costs_one_query_more_to_count_what_follows(
    sixty: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    sixty.get("/inbox/")
    with django_assert_num_queries(10):
        sixty.get("/inbox/")
