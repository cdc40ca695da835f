"""Starts, ends and cancels of parents and children at once: one child a visit, and none that outlives a cascade."""

from __future__ import annotations

import pytest

from interrupts.models import OutboxMessage, Run
from interrupts.services.children import report_child, start_child
from interrupts.services.relay import relay_outbox
from interrupts.services.runs import CancelRun, cancel_run
from tests.concurrency.racing import Call, at_once, codes, in_line
from tests.concurrency.soundness import assert_sound
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
    start_flow,
    status,
    sub_workflow,
    trail,
    workflow,
)
from tests.invariants import assert_family_holds

pytestmark = pytest.mark.django_db(transaction=True)


def starting(run_id: str) -> Call[object]:
    message = OutboxMessage.objects.get(run_id=run_id, topic="start-child")
    return lambda: start_child(message=message, now=after(seconds=1))


def cancelling(run_id: str) -> Call[object]:
    request = CancelRun(actor("owner"), run_id)
    return lambda: cancel_run(request=request, now=after(seconds=1))


def test_eight_workers_with_one_message_start_one_child() -> None:
    register(one_gate("child"))
    run_id = start_flow(chain(sub_workflow()))
    assert codes(at_once(*(starting(run_id) for _ in range(8)))) == ["ok"] * 8
    assert Run.objects.filter(parent_run=run_id).count() == 1
    assert trail(child_of(run_id)).count("run.started") == 1
    assert_sound(child_of(run_id))


def test_eight_reports_of_one_end_wake_the_parent_once() -> None:
    register(chain(node("a"), workflow_id="child"))
    run_id = start_flow(chain(sub_workflow(), gate_node()))
    starting(run_id)()
    child_id = child_of(run_id)
    assert codes(at_once(*((lambda: report_child(child_run_id=child_id, now=after(seconds=2))),) * 8)) == ["ok"] * 8
    assert trail(run_id).count("node.completed call") == 1
    assert_sound(run_id)


@pytest.mark.parametrize("start_first", [True, False])
@pytest.mark.parametrize("waits", [True, False])
def test_a_child_that_starts_while_its_parent_is_cancelled_does_not_outlive_it(
    *, start_first: bool, waits: bool
) -> None:
    register(one_gate("child"))
    run_id = start_flow(workflow([sub_workflow(waitForCompletion=waits), gate_node()]))
    calls = [starting(run_id), cancelling(run_id)]
    assert codes(in_line(run_id, *(calls if start_first else reversed(calls)))) == ["ok", "ok"]
    finish_handed_on_work(now=after(seconds=60))
    assert status(run_id) == "cancelled"
    assert Run.objects.filter(completed_at=None).count() == 0
    assert_family_holds(run_id)


def test_an_answer_to_the_child_and_a_cancel_of_the_parent_leave_both_ended() -> None:
    register(one_gate("child"))
    run_id = start_flow(chain(sub_workflow()))
    finish_handed_on_work(now=after(seconds=1))
    child_id, person = child_of(run_id), actor("ann")
    relaying: Call[object] = lambda: relay_outbox(now=after(seconds=2))  # noqa: E731 - one of several calls of a race
    at_once(lambda: answer(person, child_id, "accept", now=after(seconds=2)), cancelling(run_id), relaying, relaying)
    finish_handed_on_work(now=after(seconds=120))
    assert Run.objects.filter(completed_at=None).count() == 0
    assert_family_holds(run_id)
