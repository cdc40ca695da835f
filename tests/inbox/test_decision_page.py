"""The decision page: what, who, by when, and then."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.vocabulary import RefKind
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    edge,
    gate_node,
    let_answer_as,
    let_override,
    member,
    node,
    one_gate,
    register,
    start,
    start_flow,
    workflow,
)
from tests.inbox.conftest import SignIn
from tests.inbox.pages import buttons, page_of, read, text_of, title_of

EXPENSE: JsonValue = {
    "payee": "Olga",
    "total": 612.5,
    "paid": False,
    "note": None,
    "lines": [{"what": "Train", "amount": 122.5}, {"what": "Hotel", "amount": 490}],
}


def shown(sign_in: SignIn, run_id: str, who: str = "ann") -> Any:
    return sign_in(who).get(page_of(run_id))


def test_it_shows_what_is_asked(sign_in: SignIn) -> None:
    description = "Please **look** at\n\n- the [policy](https://example.org/p)"
    page = shown(sign_in, start_flow(one_gate(description=description, artifactData=EXPENSE, artifactType="expense")))
    assert title_of(page) == "Release it? | wopsite"
    words = text_of(page)
    assert "What is asked Please look at the policy" in words
    assert "payee Olga total 612.5 paid no (false) note nothing (null)" in words
    assert "lines 2 items what amount Train 122.5 Hotel 490" in words


def test_it_shows_who_decides_and_who_has(sign_in: SignIn) -> None:
    actor("cara", groups=["finance"])
    member("bob")
    run_id = start_flow(one_gate(requiredApprovals=2, approverGroupRefs=["finance"], approversList=["bob", "ann"]))
    answer(actor("cara"), run_id, {"action": "accept", "feedback": "Looks right."}, now=after(minutes=1))
    words = text_of(shown(sign_in, run_id))
    assert "1 of 2 approvals, 0 of 1 rejection to stop it" in words
    assert "May answer: bob , ann , group finance" in words
    assert "cara approved as group finance 2 Mar 2026, 09:01 UTC Looks right." in words


def test_an_open_gate_says_that_everyone_may_answer(sign_in: SignIn) -> None:
    assert "May answer: everyone in acme Nobody has answered yet." in text_of(shown(sign_in, start_flow(one_gate())))


def test_it_shows_the_deadline_with_its_zone_and_what_it_does(sign_in: SignIn) -> None:
    words = text_of(shown(sign_in, start_flow(one_gate(timeoutMs=3_600_000))))
    assert "due in 55 minutes" in words
    assert "Open until 2 Mar 2026, 10:00 UTC If nobody decides by then, it is rejected, never approved." in words


def test_it_tells_what_each_answer_leads_to(sign_in: SignIn) -> None:
    nodes = [gate_node(), node("pay"), node("tell"), node("redo")]
    edges = [
        edge("gate", "pay", condition={"type": "notEquals", "left": "action", "right": "refine"}),
        edge("gate", "redo", condition={"type": "equals", "left": "action", "right": "refine"}),
        edge("gate", "tell", "any_failed"),
    ]
    words = text_of(shown(sign_in, start_flow(workflow(nodes, edges))))
    assert "This decides it and cannot be undone. The run goes on to “Pay”. Approve" in words
    assert "This decides it and cannot be undone. The run goes on to “Redo”. Ask for these changes" in words
    assert "This decides it and cannot be undone. The run goes on to “Tell”. Reject" in words


def test_it_tells_of_the_end_of_the_run_and_of_the_way_back(sign_in: SignIn) -> None:
    words = text_of(shown(sign_in, start_flow(one_gate())))
    assert "This decides it and cannot be undone. The run is complete. Approve" in words
    assert "This decides it and cannot be undone. The run ends as failed. Reject" in words
    again: JsonObject = {"type": "equals", "left": "action", "right": "refine"}
    nodes = [node("begin"), node("draft"), gate_node()]
    edges = [edge("begin", "draft"), edge("draft", "gate"), edge("gate", "draft", condition=again)]
    loop = workflow(nodes, edges, workflow_id="loop")
    assert "This decides it and cannot be undone. The run goes back to “Draft”. Ask for these changes" in text_of(
        shown(sign_in, start_flow(loop))
    )


def test_it_tells_when_an_answer_does_not_decide_yet(sign_in: SignIn) -> None:
    words = text_of(shown(sign_in, start_flow(one_gate(requiredApprovals=3, rejectionPolicy="majority"))))
    assert "Counts as one approval; 2 more are needed. Approve" in words
    assert "Counts as rejection 1 of the 2 that stop it. Reject" in words


def test_what_cannot_be_foreseen_is_said_so(sign_in: SignIn) -> None:
    condition: JsonObject = {"type": "expression", "expression": "output.resumeValue.score > 3"}
    definition = workflow([gate_node(), node("pay")], [edge("gate", "pay", condition=condition)])
    assert "This decides it and cannot be undone. What follows depends on the answer. Approve" in text_of(
        shown(sign_in, start_flow(definition))
    )


def test_an_override_is_foretold_to_who_holds_it(sign_in: SignIn) -> None:
    let_override(actor("ann"), register(one_gate(requiredApprovals=3, overrideBypassesQuorum=True)))
    run_id = start(actor("owner"))
    assert "This decides it and cannot be undone. The run is complete. Approve" in text_of(shown(sign_in, run_id))
    assert "Counts as one approval; 2 more are needed. Approve" in text_of(shown(sign_in, run_id, "bob"))


def test_only_the_actions_of_the_gate_are_offered(sign_in: SignIn) -> None:
    assert buttons(shown(sign_in, start_flow(one_gate()))) == ["accept", "edit-accept", "refine", "ask", "reject"]
    assert buttons(shown(sign_in, start_flow(one_gate("short", actions=["reject", "ask"])))) == ["ask", "reject"]


def test_the_first_button_of_the_form_sends_nothing(sign_in: SignIn) -> None:
    tags = read(shown(sign_in, start_flow(one_gate()))).tags
    pressed = [attrs for tag, attrs in tags if tag == "button" and attrs.get("name") == "action"]
    assert (pressed[0]["value"], pressed[0]["tabindex"]) == ("check", "-1")


def test_it_says_by_which_right_i_may_answer(sign_in: SignIn) -> None:
    member("bob")
    run_id = start_flow(one_gate(approversList=["bob"]))
    let_answer_as(actor("ann"), RefKind.PRINCIPAL, "bob")
    assert "You may answer for bob" in text_of(shown(sign_in, run_id))
    assert "You may answer as yourself." in text_of(shown(sign_in, run_id, "bob"))


def test_it_says_why_i_may_not_answer(sign_in: SignIn) -> None:
    page = shown(sign_in, start_flow(one_gate(approversList=["bob"])))
    assert "You cannot answer, because you are not among those it names." in text_of(page)
    assert buttons(page) == []
    late = shown(sign_in, start_flow(one_gate("late", timeoutMs=60_000)))
    assert "You cannot answer, because its time is up." in text_of(late)
    assert buttons(late) == []


def test_a_superuser_without_a_reference_may_not_answer(sign_in: SignIn) -> None:
    root = member("root").user
    root.is_superuser = True
    root.save(update_fields=["is_superuser"])
    page = shown(sign_in, start_flow(one_gate(approversList=["bob"])), "root")
    assert "You cannot answer, because you are not among those it names." in text_of(page)


def test_it_shows_my_vote_and_that_it_can_be_changed(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    page = shown(sign_in, run_id)
    assert "Your vote so far. You can change it until it is decided. ann (you) approved" in text_of(page)
    assert "Counts as one approval; 1 more is needed." in text_of(page)
    assert buttons(page) == ["accept", "edit-accept", "refine", "ask", "reject"]


def test_the_vote_of_somebody_who_has_left_is_shown_and_not_counted(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("cara"), run_id, "accept", now=after(minutes=1))
    found = member("dora")
    answer(actor("dora"), run_id, "ask", now=after(minutes=1))
    assert "1 of 2 approvals" in text_of(shown(sign_in, run_id))
    cara = found.user.__class__.objects.get(username="cara")
    cara.is_active = False
    cara.save(update_fields=["is_active"])
    words = text_of(shown(sign_in, run_id))
    assert "0 of 2 approvals" in words
    assert "No longer active, so this does not count." in words


def test_questions_are_shown_with_who_asked(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    answer(actor("cara"), run_id, {"action": "ask", "feedback": "Which budget?"}, now=after(minutes=2))
    assert "Questions asked cara asked a question 2 Mar 2026, 09:02 UTC Which budget?" in text_of(
        shown(sign_in, run_id)
    )


def test_an_ended_one_tells_how_it_ended_and_takes_no_answer(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    answer(actor("cara"), run_id, {"action": "reject", "feedback": "No receipt."}, now=after(minutes=2))
    page = shown(sign_in, run_id)
    assert "Rejected cara rejected, and that decided it. 2 Mar 2026, 09:02 UTC No receipt." in text_of(page)
    assert buttons(page) == []


def test_an_artifact_that_is_long_is_not_edited_here(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate("long"), by=actor("owner"))
    assert "edit-accept" in buttons(shown(sign_in, run_id))
    big = chain(gate_node(artifactData="x" * 150_000), workflow_id="big")
    page = shown(sign_in, start_flow(big))
    assert "edit-accept" not in buttons(page)
    assert "This is too long to be changed here." in text_of(page)


@pytest.mark.parametrize("people", [1, 6])
def test_the_page_costs_the_same_queries_whatever_is_on_it(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries, people: int
) -> None:
    browser = sign_in("ann")
    browser.get("/inbox/")
    names = [f"p{number}" for number in range(people)]
    run_id = start_flow(one_gate(approversList=["ann", "bob", *names], requiredApprovals=people + 2))
    for name in names:
        answer(actor(name), run_id, "ask", now=after(minutes=1))
        answer(actor(name), run_id, "accept", now=after(minutes=1))
    with django_assert_num_queries(10):
        assert browser.get(page_of(run_id)).status_code == 200


def test_what_is_approved_keeps_the_order_in_which_it_was_written(sign_in: SignIn) -> None:
    artifact = {"reference": "EX-1", "amount": 5, "lines": [{"what": "Train", "cost": 3}, {"what": "Bus", "cost": 2}]}
    gate = gate_node()
    gate["inputs"] = {"artifactData": {"type": "variable", "variableName": "claim"}}
    register(workflow([gate], variables=[{"name": "claim", "type": "object"}]))
    run_id = start(actor("owner"), inputs={"claim": artifact})
    words = text_of(shown(sign_in, run_id))
    assert "reference EX-1 amount 5 lines 2 items what cost Train 3 Bus 2" in words
