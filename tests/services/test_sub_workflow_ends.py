"""How a family of runs ends, restarts and pauses (wire contract §6.3, §7.4, §7.5)."""

from __future__ import annotations

import pytest

from interrupts import outbox
from interrupts.actor import Actor
from interrupts.errors import AlreadyResolved
from interrupts.models import OutboxMessage, Run
from interrupts.services.children import report_child, start_child
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.relay import LEASE, relay_outbox
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import DrainPolicy, Topic
from tests.factories import (
    NOW,
    after,
    answer,
    chain,
    child_of,
    finish_handed_on_work,
    gate_node,
    last,
    node,
    one_gate,
    register,
    start,
    start_flow,
    status,
    sub_workflow,
    trail,
    workflow,
)
from tests.invariants import assert_family_holds
from tests.services.families import begun, error_of, settle

# --- The end of a parent ----------------------------------------------------------------------------------------------


def test_cancelling_a_parent_cancels_all_below_it(owner: Actor) -> None:
    register(one_gate("leaf"))
    register(chain(sub_workflow(child="leaf"), workflow_id="child"))
    run_id = begun(chain(sub_workflow(propagateCancellation=True)), owner)
    child_id = child_of(run_id)
    leaf_id = child_of(child_id)
    cancel_run(request=CancelRun(owner, run_id, "enough"), now=after(seconds=1))
    assert (status(run_id), status(child_id)) == ("cancelled", "running")
    settle(run_id, seconds=2)
    for below, parent in ((child_id, run_id), (leaf_id, child_id)):
        ended = last(below, "run.cancelled")
        assert (ended["reason"], ended["parentRunId"]) == ("parent-cancelled", parent)
        assert "cancelledBy" not in ended
    with pytest.raises(AlreadyResolved):
        answer(owner, leaf_id, "accept", now=after(seconds=3))


def test_a_parent_that_fails_takes_its_children_along(owner: Actor) -> None:
    register(one_gate("child"))
    run_id = begun(workflow([sub_workflow(), gate_node()]), owner)
    answer(owner, run_id, "reject", now=after(seconds=1))
    settle(run_id, seconds=2)
    ended = last(child_of(run_id), "run.cancelled")
    assert (ended["reason"], ended["parentRunId"]) == ("parent-failed", run_id)


@pytest.mark.parametrize("waits", [True, False])
def test_a_child_that_is_not_to_end_with_its_parent_goes_on(owner: Actor, *, waits: bool) -> None:
    register(one_gate("child"))
    call = sub_workflow(propagateCancellation=False, waitForCompletion=waits)
    run_id = begun(workflow([call, gate_node()]), owner)
    cancel_run(request=CancelRun(owner, run_id), now=after(seconds=1))
    settle(run_id, seconds=2)
    assert status(child_of(run_id)) == "waiting-approval"
    answer(owner, child_of(run_id), "accept", now=after(seconds=3))
    settle(run_id, seconds=4)
    assert (status(child_of(run_id)), status(run_id)) == ("completed", "cancelled")


@pytest.mark.parametrize("waits", [True, False])
def test_a_parent_cancelled_before_its_child_started_has_none(owner: Actor, *, waits: bool) -> None:
    register(one_gate("child"))
    run_id = start_flow(workflow([sub_workflow(waitForCompletion=waits), gate_node()]), by=owner)
    cancel_run(request=CancelRun(owner, run_id), now=after(seconds=1))
    settle(run_id, seconds=2)
    assert not Run.objects.filter(parent_run=run_id).exists()


# --- At least once ----------------------------------------------------------------------------------------------------


def messages(topic: Topic) -> OutboxMessage:
    return OutboxMessage.objects.get(topic=topic)


def test_a_start_relayed_twice_starts_one_child(gated: str) -> None:
    before = trail(child_of(gated))
    start_child(message=messages(Topic.START_CHILD), now=after(seconds=1))
    assert Run.objects.filter(parent_run=gated).count() == 1
    assert trail(child_of(gated)) == before


def test_an_end_told_twice_wakes_the_parent_once(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child"))
    run_id = begun(chain(sub_workflow(), gate_node()), owner)
    before = trail(run_id)
    report_child(child_run_id=child_of(run_id), now=after(seconds=1))
    start_child(message=messages(Topic.START_CHILD), now=after(seconds=1))
    assert trail(run_id) == before


def test_a_worker_that_dies_between_commit_and_start_only_delays(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child"))
    run_id = start_flow(chain(sub_workflow()), by=owner)
    (held,) = outbox.claim(now=NOW, limit=10, lease=LEASE)
    assert relay_outbox(now=NOW + LEASE / 2) == 0
    assert not Run.objects.filter(parent_run=run_id).exists()
    finish_handed_on_work(now=NOW + LEASE)
    assert_family_holds(run_id)
    assert (held.topic, status(run_id)) == (Topic.START_CHILD, "completed")


def test_a_child_that_can_never_start_fails_its_node(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child"))
    run_id = start_flow(chain(sub_workflow()), by=owner)
    message = messages(Topic.START_CHILD)
    OutboxMessage.objects.filter(pk=message.pk).update(attempts=9, payload={**message.payload, "version": 0})
    assert relay_outbox(now=after(seconds=1)) == 0
    assert error_of(run_id)["code"] == "internal_error"
    assert messages(Topic.START_CHILD).dead_at == after(seconds=1)


# --- Pauses -----------------------------------------------------------------------------------------------------------


def pause(by: Actor, run_id: str, policy: DrainPolicy) -> None:
    pause_run(request=PauseRun(by, run_id, policy), now=after(seconds=1))


def test_a_parent_drains_until_its_child_has_ended(gated: str, owner: Actor) -> None:
    pause(owner, gated, DrainPolicy.DRAIN_CURRENT_NODE)
    answer(owner, child_of(gated), "accept", now=after(seconds=2))
    settle(gated, seconds=3)
    assert (status(gated), trail(gated)[-2:]) == ("paused", ["node.completed call", "run.paused"])
    resume_run(request=ResumeRun(owner, gated), now=after(seconds=4))
    settle(gated, seconds=5)
    assert status(gated) == "completed"


@pytest.mark.parametrize("answered_while_paused", [True, False])
def test_a_parent_cut_by_a_pause_finds_the_same_child_again(
    gated: str, owner: Actor, *, answered_while_paused: bool
) -> None:
    child_id = child_of(gated)
    pause(owner, gated, DrainPolicy.IMMEDIATE)
    assert (status(gated), status(child_id)) == ("paused", "waiting-approval")
    if answered_while_paused:
        answer(owner, child_id, "accept", now=after(seconds=2))
        settle(gated, seconds=3)
        assert trail(gated)[-1] == "run.paused"
    resume_run(request=ResumeRun(owner, gated), now=after(seconds=4))
    settle(gated, seconds=5)
    assert child_of(gated) == child_id
    if not answered_while_paused:
        assert last(gated, "node.dispatched")["childStatus"] == "waiting-approval"
        answer(owner, child_id, "accept", now=after(seconds=6))
        settle(gated, seconds=7)
    assert status(gated) == "completed"
    assert Run.objects.filter(parent_run=gated).count() == 1


def test_a_parent_cut_before_its_child_started_starts_it_after_the_pause(owner: Actor) -> None:
    register(chain(node("a"), workflow_id="child"))
    run_id = start_flow(chain(sub_workflow()), by=owner)
    pause(owner, run_id, DrainPolicy.IMMEDIATE)
    settle(run_id, seconds=2)
    assert not Run.objects.filter(parent_run=run_id).exists()
    resume_run(request=ResumeRun(owner, run_id), now=after(seconds=3))
    settle(run_id, seconds=4)
    assert status(run_id) == "completed"


def test_a_parent_cancelled_while_paused_takes_the_child_of_its_cut_attempt_along(gated: str, owner: Actor) -> None:
    pause(owner, gated, DrainPolicy.IMMEDIATE)
    cancel_run(request=CancelRun(owner, gated), now=after(seconds=2))
    settle(gated, seconds=3)
    assert status(child_of(gated)) == "cancelled"


def test_a_child_is_paused_by_itself(gated: str, owner: Actor) -> None:
    register(chain(node("nap", "core.delay", config={"ms": 1000}), workflow_id="child", version="2"))
    run_id = start(owner, now=NOW)
    settle(run_id)
    child_id = child_of(run_id)
    pause(owner, child_id, DrainPolicy.IMMEDIATE)
    assert (status(child_id), status(run_id)) == ("paused", "running")
