"""A clock that is set forward or back while things wait: nothing is lost, granted, or put off for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interrupts import deliveries
from interrupts.errors import AlreadyResolved, InterruptExpired
from interrupts.models import Delivery, OutboxMessage, Timer
from interrupts.services import tokens
from interrupts.services.deliver import purge_deliveries
from interrupts.services.links import inspect_by_token, mint_link
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Intent
from tests.concurrency.soundness import assert_sound
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    child_of,
    finish_handed_on_work,
    gate_node,
    log_of,
    node,
    one_gate,
    register,
    start_flow,
    status,
    sub_workflow,
    suspension,
    sweep,
)
from tests.receivers import answering
from tests.services.lines import Line, line_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    yield from line_to(answering("204 No Content"), tmp_path)


def test_a_clock_set_forward_ends_what_was_due_once_and_setting_it_back_undoes_nothing() -> None:
    run_id = start_flow(one_gate(timeoutMs=3_600_000))
    assert sweep(now=after(days=1)) == 1
    assert status(run_id) == "failed"
    with pytest.raises(AlreadyResolved):
        answer(actor("ann"), run_id, "accept", now=after(minutes=1))
    assert sweep(now=after(minutes=1)) == 0
    assert_sound(run_id)


def test_a_clock_set_back_makes_a_deadline_wait_and_never_grants() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000), now=after(hours=1))
    assert sweep(now=after(minutes=1)) == 0
    assert status(run_id) == "waiting-approval"
    assert sweep(now=after(hours=1, minutes=1)) == 1
    assert status(run_id) == "failed"
    assert_sound(run_id)


def test_after_an_answer_from_ahead_what_follows_is_counted_from_the_clock() -> None:
    """The log cannot go back, but a deadline, a delay and work to be done must not wait until the clock is there."""
    second = gate_node("second", timeoutMs=60_000)
    run_id = start_flow(
        chain(gate_node("first"), second, node("wait", "core.delay", config={"ms": 1000}), gate_node("third"))
    )
    cancelled_child = chain(sub_workflow(child="child"), workflow_id="parent")
    answer(actor("ann"), run_id, {"action": "ask", "feedback": "?"}, at="first", now=after(days=1))
    register(one_gate("child"))
    parent_id = start_flow(cancelled_child, now=after(days=1))
    answer(actor("ann"), run_id, "accept", at="first", now=after(days=1))
    answer(actor("ann"), run_id, "accept", at="second", now=after(minutes=1))
    assert Timer.objects.get(run_id=run_id).due_at == after(minutes=1, seconds=1)
    sweep(now=after(minutes=2))
    assert suspension(run_id, "third").opened_at == after(minutes=2)
    assert [event.at for event in log_of(run_id)] == sorted(event.at for event in log_of(run_id))
    finish_handed_on_work(now=after(days=1))
    cancel_run(request=CancelRun(actor("owner"), parent_id), now=after(minutes=3))
    finish_handed_on_work(now=after(minutes=3))
    assert status(child_of(parent_id)) == "cancelled"
    assert_sound(run_id)


def test_a_delivery_put_off_by_a_clock_that_stood_ahead_is_taken_up_again(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate(), now=after(days=30))
    assert len(deliveries.claim(now=after(days=30), limit=9)) == 1
    line.now = after(minutes=1)
    assert line.deliver_all() == 0
    purge_deliveries(now=line.now)
    assert line.deliver_all() == 1
    assert Delivery.objects.get().outcome == "delivered"


def test_what_waits_for_its_next_attempt_is_not_hurried(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    assert len(deliveries.claim(now=after(), limit=9)) == 1
    purge_deliveries(now=after(seconds=1))
    assert deliveries.claim(now=after(seconds=2), limit=9) == []


def test_work_put_off_by_a_clock_that_stood_ahead_is_taken_up_again() -> None:
    register(one_gate("child"))
    parent_id = start_flow(chain(sub_workflow(child="child")), now=after(days=30))
    assert finish_handed_on_work(now=after(minutes=1)) == 0
    purge_deliveries(now=after(minutes=1))
    assert finish_handed_on_work(now=after(minutes=1)) == 1
    assert status(child_of(parent_id)) == "waiting-approval"
    assert OutboxMessage.objects.get().delivered_at == after(minutes=1)


def test_a_link_ends_by_the_clock_it_is_read_with_and_its_interrupts_end_holds_whatever_that_says() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate())
    link = mint_link(actor=ann, run_id=run_id, node_id="gate", intent=Intent.RESOLVE, approver="", now=after())
    with pytest.raises(InterruptExpired):
        inspect_by_token(token=link.token, now=after(days=1))
    assert inspect_by_token(token=link.token, now=after(minutes=1))["kind"] == "approval"
    assert tokens.read(link.token).expires_at == after(minutes=30)
    answer(ann, run_id, "accept", now=after(days=1))
    with pytest.raises(AlreadyResolved):
        inspect_by_token(token=link.token, now=after(minutes=1))
