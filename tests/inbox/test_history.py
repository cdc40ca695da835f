"""*History*: each end has its own word."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from interrupts.services.runs import CancelRun, cancel_run
from tests.factories import actor, after, answer, let_override, member, one_gate, register, start, start_flow, sweep
from tests.inbox.conftest import SignIn
from tests.inbox.pages import links, row_titles, text_of


def gate(title: str, **config: object) -> str:
    return start_flow(one_gate(title.lower().replace(" ", "-"), title=title, **config))


def test_an_empty_history_says_so(sign_in: SignIn) -> None:
    gate("Still open")
    assert "Nothing has ended yet" in text_of(sign_in("ann").get("/inbox/history/"))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("accept", "Granted Approval you approved"),
        ("reject", "Rejected Approval you rejected"),
        ({"action": "edit-accept", "editedArtifactData": 1}, "Granted Approval you approved with changes"),
        (
            {"action": "refine", "refineFeedback": {"scope": "whole"}},
            "Changes asked for Approval you asked for changes",
        ),
    ],
)
def test_an_answer_of_mine_is_told_in_its_own_words(sign_in: SignIn, action: object, words: str) -> None:
    answer(actor("ann"), gate("Pay it"), action, now=after(minutes=1))  # type: ignore[arg-type]
    assert f"Pay it {words}" in text_of(sign_in("ann").get("/inbox/history/"))


def test_what_nobody_answered_in_time_has_timed_out(sign_in: SignIn) -> None:
    gate("Pay it", timeoutMs=60_000)
    sweep(now=after(minutes=2))
    assert "Pay it Timed out Approval" in text_of(sign_in("ann").get("/inbox/history/"))


def test_what_a_cancelled_run_asked_is_cancelled(sign_in: SignIn) -> None:
    run_id = gate("Pay it")
    cancel_run(request=CancelRun(actor("owner"), run_id, "not needed"), now=after(minutes=1))
    assert "Pay it Cancelled Approval" in text_of(sign_in("ann").get("/inbox/history/"))


def test_a_release_by_one_person_alone_is_overridden(sign_in: SignIn) -> None:
    version = register(one_gate(title="Pay it", requiredApprovals=3, overrideBypassesQuorum=True))
    let_override(actor("boss"), version)
    answer(actor("boss"), start(actor("owner")), "accept", now=after(minutes=1))
    assert "Pay it Overridden Approval boss approved" in text_of(sign_in("ann").get("/inbox/history/"))


def test_history_holds_what_i_answered_or_could_have(sign_in: SignIn) -> None:
    for title, named in (("Mine", ["ann"]), ("Not mine", ["bob"]), ("For all", [])):
        run_id = gate(title, approversList=named)
        answer(actor(named[0] if named else "cara"), run_id, "accept", now=after(minutes=1))
    assert sorted(row_titles(sign_in("ann").get("/inbox/history/"))) == ["For all", "Mine"]
    assert sorted(row_titles(sign_in("bob").get("/inbox/history/"))) == ["For all", "Not mine"]


def test_what_i_answered_stays_in_my_history_when_i_lose_the_right(sign_in: SignIn) -> None:
    person = member("ann", groups=["finance"]).user
    for title in ("Mine", "Another"):
        answer(actor("ann"), gate(title, approverGroupRefs=["finance"]), "accept", now=after(minutes=1))
    actor("cara", groups=["finance"])
    answer(actor("cara"), gate("By cara", approverGroupRefs=["finance"]), "accept", now=after(minutes=1))
    person.groups.clear()
    page = sign_in("ann").get("/inbox/history/")
    assert sorted(row_titles(page)) == ["Another", "Mine"]
    assert "2 items" in text_of(page)


def test_the_latest_end_comes_first_and_paging_reaches_all(sign_in: SignIn) -> None:
    register(one_gate())
    for number in range(27):
        answer(actor("cara"), start(actor("owner")), "accept", now=after(seconds=number // 3))
    browser = sign_in("ann")
    first = browser.get("/inbox/history/")
    second = browser.get("/inbox/history/" + next(link for link in links(first) if "after=" in link))
    found = [[link for link in links(page) if link.startswith("/inbox/i-")] for page in (first, second)]
    assert [len(rows) for rows in found] == [25, 2]
    assert len({*found[0], *found[1]}) == 27
    assert "27 items" in text_of(first)


def test_history_costs_the_same_queries_whatever_is_on_it(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = sign_in("ann")
    browser.get("/inbox/history/")
    register(one_gate(approversList=["ann", *(f"p{n}" for n in range(8))], requiredApprovals=4))
    for _number in range(4):
        run_id = start(actor("owner"))
        for number in range(4):
            answer(actor(f"p{number}"), run_id, "accept", now=after(minutes=1))
    with django_assert_num_queries(10):
        assert len(row_titles(browser.get("/inbox/history/"))) == 4
