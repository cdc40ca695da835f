"""Pausing runs and letting them go on (wire contract §7.5; §25 rows 14, 15, 34)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import AlreadyResolved, NotFound, RunStateConflict, RunTerminal
from interrupts.models import Timer
from interrupts.services.idempotency import Done
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.runs import CancelRun, advance_run, cancel_run
from interrupts.vocabulary import DrainPolicy
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    edge,
    finish_handed_on_work,
    gate_node,
    idempotency_key,
    last,
    log_of,
    node,
    run_of,
    start_flow,
    status,
    sweep,
    trail,
    workflow,
)
from tests.invariants import assert_payloads_fit, assert_run_holds

IMMEDIATE = DrainPolicy.IMMEDIATE


@pytest.fixture
def owner(db: None) -> Actor:
    return actor("owner")


def pause(by: Actor, run_id: str, policy: DrainPolicy = DrainPolicy.DRAIN_CURRENT_NODE, **more: Any) -> Done:
    return pause_run(request=PauseRun(by, run_id, policy, more.pop("reason", None), more.pop("key", None)), **more)


def resume(by: Actor, run_id: str, now: datetime, reason: str | None = None) -> Done:
    done = resume_run(request=ResumeRun(by, run_id, reason), now=now)
    assert_run_holds(run_id)
    assert_payloads_fit(run_id)
    return done


def sleep(node_id: str = "wait", ms: int = 60_000) -> JsonObject:
    return node(node_id, "core.delay", config={"ms": ms})


def two_sleeps() -> JsonObject:
    """Two delays side by side, a step after the shorter one."""
    return workflow([sleep("short", 60_000), sleep("long", 120_000), node("then")], [edge("short", "then")])


# --- drain-current-node -----------------------------------------------------------------------------------------------


def test_a_draining_pause_begins_when_the_delay_under_way_has_ended(owner: Actor) -> None:
    run_id = start_flow(chain(sleep(), node("then")), by=owner)
    done = pause(owner, run_id, reason="month end", now=after(seconds=1))
    assert done.result == {"runId": run_id, "status": "paused"}
    assert (status(run_id), trail(run_id)) == ("running", ["run.started", "node.started wait"])
    assert_run_holds(run_id)
    assert sweep(now=after(seconds=60)) == 1
    assert trail(run_id)[2:] == ["node.completed wait", "run.paused"]
    assert last(run_id, "run.paused") == {
        "drainPolicy": "drain-current-node",
        "reason": "month end",
        "x-paused-by": owner.subject_id,
    }
    assert (status(run_id), run_of(run_id).pause_request) == ("paused", None)
    assert_run_holds(run_id)
    assert sweep(now=after(days=1)) == 0
    resume(owner, run_id, after(days=1), "done")
    assert trail(run_id)[4:] == ["run.resumed", "node.started then", "node.completed then", "run.completed"]
    assert last(run_id, "run.resumed") == {"reason": "done", "x-resumed-by": owner.subject_id}


def test_every_attempt_under_way_is_drained_and_nothing_new_starts(owner: Actor) -> None:
    run_id = start_flow(two_sleeps(), by=owner)
    pause(owner, run_id, now=after(seconds=1))
    sweep(now=after(seconds=60))
    assert (status(run_id), trail(run_id)[-1]) == ("running", "node.completed short")
    sweep(now=after(seconds=120))
    assert (status(run_id), trail(run_id)[-2:]) == ("paused", ["node.completed long", "run.paused"])
    resume(owner, run_id, after(seconds=130))
    assert status(run_id) == "completed"


def test_a_run_between_two_shares_is_paused_at_once_and_its_handed_on_work_waits(owner: Actor, settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 2
    run_id = start_flow(chain(*(node(f"n{index}") for index in range(5))), by=owner)
    assert pause(owner, run_id, now=after(seconds=1)).result["pausedAt"] == "2026-03-02T09:00:01.000Z"
    paused = trail(run_id)
    assert paused[-1] == "run.paused"
    finish_handed_on_work(now=after(seconds=2))
    advance_run(run_id=run_id, now=after(seconds=3))
    assert trail(run_id) == paused
    resume(owner, run_id, after(seconds=4))
    finish_handed_on_work(now=after(seconds=5))
    assert status(run_id) == "completed"


def test_a_run_that_fails_while_it_is_drained_has_failed_and_is_not_paused(owner: Actor) -> None:
    document = chain(sleep(), node("then"), settings={"timeout": 30_000})
    run_id = start_flow(document, by=owner)
    pause(owner, run_id, now=after(seconds=1))
    sweep(now=after(seconds=30))
    assert (status(run_id), run_of(run_id).pause_request) == ("failed", None)
    assert_run_holds(run_id)


def test_a_pause_that_has_not_begun_can_be_taken_back(owner: Actor) -> None:
    run_id = start_flow(two_sleeps(), by=owner)
    pause(owner, run_id, now=after(seconds=1))
    sweep(now=after(seconds=60))
    assert "node.started then" not in trail(run_id)
    assert resume(owner, run_id, after(seconds=61)).result["status"] == "running"
    assert trail(run_id)[-3:] == ["run.resumed", "node.started then", "node.completed then"]
    assert last(run_id, "run.resumed")["x-pause-withdrawn"] is True
    sweep(now=after(seconds=120))
    assert status(run_id) == "completed"
    assert "run.paused" not in trail(run_id)


def test_an_immediate_pause_overtakes_one_that_still_drains(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    pause(owner, run_id, now=after(seconds=1))
    assert "pausedAt" in pause(owner, run_id, IMMEDIATE, now=after(seconds=2)).result
    assert (status(run_id), run_of(run_id).pause_request) == ("paused", None)
    assert last(run_id, "run.paused")["drainPolicy"] == "immediate"


# --- immediate --------------------------------------------------------------------------------------------------------


def test_an_immediate_pause_cuts_the_attempt_and_a_fresh_one_starts_afterwards(owner: Actor) -> None:
    run_id = start_flow(chain(sleep(), node("then")), by=owner)
    done = pause(owner, run_id, IMMEDIATE, now=after(seconds=20))
    assert done.result == {"runId": run_id, "status": "paused", "pausedAt": "2026-03-02T09:00:20.000Z"}
    assert trail(run_id)[2:] == ["run.paused"]
    cut = last(run_id, "run.paused")
    assert (cut["interruptedNodeId"], cut["interruptedAttempt"]) == ("wait", 1)
    assert_run_holds(run_id)
    assert sweep(now=after(hours=1)) == 0
    resume(owner, run_id, after(hours=1))
    assert last(run_id, "node.started") == {"nodeId": "wait", "typeId": "core.delay", "attempt": 1}
    assert Timer.objects.get(run_id=run_id).due_at == after(hours=1, seconds=60)
    sweep(now=after(hours=1, seconds=60))
    assert status(run_id) == "completed"
    assert run_of(run_id).state["nodes"]["wait"]["visits"] == 1
    assert_run_holds(run_id)


def test_an_attempt_can_be_cut_again_and_again(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    for times in range(1, 4):
        pause(owner, run_id, IMMEDIATE, now=after(minutes=times))
        assert last(run_id, "run.paused")["interruptedAttempt"] == times
        resume(owner, run_id, after(minutes=times, seconds=1))
    assert last(run_id, "node.started")["attempt"] == 3


def test_a_visit_over_a_back_edge_is_cut_and_entered_again_over_the_same_edge(owner: Actor) -> None:
    nodes = [node("first", "core.fail"), sleep("wait", 1000), gate_node()]
    edges = [edge("first", "wait", "any_failed"), edge("wait", "gate"), edge("gate", "wait", "any_failed")]
    document = workflow(nodes, edges)
    run_id = start_flow(document, by=owner)
    sweep(now=after(seconds=1))
    answer(owner, run_id, "reject", now=after(seconds=2))
    assert last(run_id, "node.started", at="wait")["x-reopened"] is True
    pause(owner, run_id, IMMEDIATE, now=after(seconds=2))
    resume(owner, run_id, after(seconds=3))
    assert last(run_id, "node.started", at="wait") == {
        "nodeId": "wait",
        "typeId": "core.delay",
        "attempt": 1,
        "x-reopened": True,
    }
    sweep(now=after(seconds=10))
    assert status(run_id) == "waiting-approval"


def test_a_timer_read_before_the_cut_does_nothing_after_it(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    pause(owner, run_id, IMMEDIATE, now=after(seconds=59))
    resume(owner, run_id, after(seconds=59))
    assert sweep(now=after(seconds=60)) == 0
    assert status(run_id) == "running"


def test_a_cut_attempt_counts_towards_the_limit_of_executions(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner, configurable={"version": 1, "run": {"recursionLimit": 1}})
    pause(owner, run_id, IMMEDIATE, now=after(seconds=1))
    resume(owner, run_id, after(seconds=2))
    assert run_of(run_id).error["code"] == "recursion_limit_exceeded"


# --- What a paused run is ---------------------------------------------------------------------------------------------


def test_time_spent_paused_does_not_count_towards_the_runs_own_limit(owner: Actor) -> None:
    run_id = start_flow(chain(sleep(), settings={"timeout": 100_000}), by=owner)
    pause(owner, run_id, IMMEDIATE, now=after(seconds=50))
    assert sweep(now=after(hours=1)) == 0
    resume(owner, run_id, after(hours=1))
    assert sweep(now=after(hours=1, seconds=49)) == 0
    assert sweep(now=after(hours=1, seconds=50)) == 1
    assert run_of(run_id).error["code"] == "run_timeout"


def test_a_paused_run_can_be_cancelled(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    pause(owner, run_id, IMMEDIATE, now=after(seconds=1))
    cancel_run(request=CancelRun(owner, run_id), now=after(seconds=2))
    assert trail(run_id)[-2:] == ["run.paused", "run.cancelled"]
    assert_run_holds(run_id)
    with pytest.raises(RunTerminal):
        resume(owner, run_id, after(seconds=3))


def test_a_run_being_drained_can_be_cancelled(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    pause(owner, run_id, now=after(seconds=1))
    cancel_run(request=CancelRun(owner, run_id), now=after(seconds=2))
    assert trail(run_id)[-2:] == ["node.cancelled wait", "run.cancelled"]
    assert run_of(run_id).pause_request is None
    assert_run_holds(run_id)


def test_a_paused_run_has_no_open_interrupt_to_answer(owner: Actor) -> None:
    document = chain(gate_node("first"), sleep(), gate_node("second"))
    run_id = start_flow(document, by=owner)
    answer(owner, run_id, "accept", at="first")
    pause(owner, run_id, IMMEDIATE, now=after(seconds=1))
    with pytest.raises(AlreadyResolved):
        answer(owner, run_id, "accept", at="first")
    with pytest.raises(NotFound):
        answer(owner, run_id, "accept", at="second")


# --- Refusals ---------------------------------------------------------------------------------------------------------


def test_a_run_that_waits_for_an_answer_is_neither_paused_nor_resumed(owner: Actor) -> None:
    run_id = start_flow(workflow([gate_node(), sleep()]), by=owner)
    for policy in DrainPolicy:
        with pytest.raises(RunStateConflict) as refused:
            pause(owner, run_id, policy, now=NOW)
        assert refused.value.details == {"runStatus": "waiting-approval"}
    with pytest.raises(RunStateConflict) as refused:
        resume(owner, run_id, NOW)
    assert refused.value.details == {"runStatus": "waiting-approval"}


def test_a_paused_run_is_not_paused_again_and_a_running_one_not_resumed(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    with pytest.raises(RunStateConflict) as refused:
        resume(owner, run_id, NOW)
    assert refused.value.details == {"runStatus": "running"}
    pause(owner, run_id, IMMEDIATE, now=NOW)
    for policy in DrainPolicy:
        with pytest.raises(RunStateConflict) as refused:
            pause(owner, run_id, policy, now=NOW)
        assert refused.value.details == {"runStatus": "paused"}


def test_a_run_being_drained_is_not_drained_again(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    pause(owner, run_id, now=NOW)
    with pytest.raises(RunStateConflict) as refused:
        pause(owner, run_id, now=NOW)
    assert refused.value.details == {"runStatus": "running"}


def test_a_run_that_is_over_is_neither_paused_nor_resumed(owner: Actor) -> None:
    run_id = start_flow(chain(node("a")), by=owner)
    before = len(log_of(run_id))
    with pytest.raises(RunTerminal):
        pause(owner, run_id, now=NOW)
    with pytest.raises(RunTerminal):
        resume(owner, run_id, NOW)
    assert len(log_of(run_id)) == before


def test_a_pause_sent_again_with_its_key_is_told_as_the_first_time(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    first = pause(owner, run_id, IMMEDIATE, now=NOW, key=idempotency_key())
    again = pause(owner, run_id, IMMEDIATE, now=after(seconds=5), key=idempotency_key())
    assert (again.result, again.is_replay) == (first.result, True)
    assert trail(run_id).count("run.paused") == 1


def test_another_tenants_run_is_not_there(owner: Actor) -> None:
    run_id = start_flow(chain(sleep()), by=owner)
    with pytest.raises(NotFound):
        pause(actor("spy", of="globex"), run_id, now=NOW)
