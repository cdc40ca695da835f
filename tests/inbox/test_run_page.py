"""The page of one run."""

from __future__ import annotations

from pytest_django import DjangoAssertNumQueries

from interrupts.services.pausing import PauseRun, pause_run
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    child_of,
    finish_handed_on_work,
    gate_node,
    node,
    one_gate,
    register,
    start,
    start_flow,
    sub_workflow,
    sweep,
    workflow,
)
from tests.inbox.conftest import SignIn
from tests.inbox.pages import links, page_of, text_of, title_of


def address(run_id: str) -> str:
    return f"/inbox/runs/{run_id.partition('/')[2]}/"


def test_it_tells_how_the_run_stands_and_what_happened(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(), inputs={"amount": 5})
    waiting = text_of(sign_in("ann").get(address(run_id)))
    assert "Run of Flow Waiting for an approval at “Gate”" in waiting
    assert "Decisions Release it? Open" in waiting
    answer(actor("cara"), run_id, "accept", now=after(minutes=1))
    page = sign_in("ann").get(address(run_id))
    assert title_of(page) == "Run of Flow | wopsite"
    words = text_of(page)
    assert "Run of Flow Completed" in words
    assert "Decisions Release it? Granted" in words
    assert "Inputs amount 5" in words
    assert "Outputs action accept decision granted" in words
    assert "0 The run started. 2 Mar 2026, 09:00 UTC" in words
    assert "cara approved at “Gate”. 2 Mar 2026, 09:01 UTC" in words
    assert page_of(run_id) in links(page)


def test_a_failed_run_tells_why(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    sweep(now=after(minutes=2))
    words = text_of(sign_in("ann").get(address(run_id)))
    assert "Run of Flow Failed" in words
    assert "Nobody decided in time, so it was rejected. approval_rejected" in words
    assert "Nobody answered “Gate” in time: it was rejected." in words


def test_a_paused_run_says_so_and_one_being_paused_what_it_waits_for(sign_in: SignIn) -> None:
    run_id = start_flow(chain(node("wait", "core.delay", config={"ms": 60_000})))
    pause_run(request=PauseRun(actor("owner"), run_id), now=after(seconds=1))
    assert "Running until what is under way has ended: then it pauses" in text_of(sign_in("ann").get(address(run_id)))
    sweep(now=after(minutes=1))
    words = text_of(sign_in("ann").get(address(run_id)))
    assert "Run of Flow Paused version 1" in words
    assert "The run was paused." in words


def test_a_run_and_the_run_it_started_lead_to_each_other(sign_in: SignIn) -> None:
    register(one_gate("child"))
    run_id = start_flow(chain(sub_workflow()))
    finish_handed_on_work(now=after(seconds=1))
    child_id = child_of(run_id)
    parent_page, child_page = (sign_in("ann").get(address(each)) for each in (run_id, child_id))
    assert "Runs it started child" in text_of(parent_page)
    assert "“Call” started another run." in text_of(parent_page)
    assert address(child_id) in links(parent_page)
    assert "part of another run" in text_of(child_page)
    assert address(run_id) in links(child_page)


def test_a_rejected_run_leads_with_who_rejected_it(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate())
    answer(actor("bob"), run_id, "reject", now=after(minutes=1))
    words = text_of(sign_in("ann").get(address(run_id)))
    assert "Rejected by bob. approval_rejected" in words
    assert "“Gate” asked for a decision." in words
    assert "asked a question" not in words


def test_sensitive_inputs_are_not_shown(sign_in: SignIn) -> None:
    variables = [{"name": "iban", "type": "string", "sensitive": True}, {"name": "amount", "type": "number"}]
    register(workflow([node("first"), gate_node()], variables=variables))
    page = sign_in("ann").get(address(start(actor("owner"), inputs={"iban": "DE0012", "amount": 5})))
    assert "iban (hidden: sensitive) amount 5" in text_of(page)
    assert "DE0012" not in page.content.decode()


def test_a_run_of_another_tenant_is_not_found(sign_in: SignIn) -> None:
    run_id = start_flow(one_gate(), by=actor("other", of="globex"))
    assert sign_in("ann").get(address(run_id)).status_code == 404


def test_it_costs_the_same_queries_however_much_happened(
    sign_in: SignIn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = sign_in("ann")
    for size in (1, 30):
        run_id = start_flow(workflow([gate_node(), *(node(f"n{n}") for n in range(size))], workflow_id=f"flow{size}"))
        with django_assert_num_queries(7):
            assert browser.get(address(run_id)).status_code == 200
