"""Deadlines, delays and the time a run may take (interrupt.md §Rejection; wire contract §15.4, §25 row 32)."""

from __future__ import annotations

import pytest

from approvals.models import Vote
from interrupts import timers
from interrupts.contracts.types import JsonObject
from interrupts.errors import AlreadyResolved
from interrupts.models import Run, Timer
from interrupts.services.expire import fire_due_timers, fire_timer
from interrupts.vocabulary import SuspensionOutcome, TimerPurpose
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    edge,
    gate_node,
    last,
    log_of,
    node,
    one_gate,
    run_of,
    start,
    start_flow,
    status,
    suspension,
    sweep,
    trail,
    workflow,
)


def armed(run_id: str) -> list[tuple[str, str]]:
    return [(timer.purpose, timer.node_id) for timer in Timer.objects.filter(run_id=run_id).order_by("due_at", "id")]


# --- Deadlines of gates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_timeout", [None, "reject", "approve", "escalate"])
def test_a_passed_deadline_rejects_whatever_the_gate_says_of_timeouts(on_timeout: str | None) -> None:
    config = {} if on_timeout is None else {"onTimeout": on_timeout}
    run_id = start_flow(chain(gate_node(timeoutMs=60_000, **config), node("then")))
    assert last(run_id, "interrupt.requested")["timeoutMs"] == 60_000
    assert sweep(now=after(seconds=60)) == 1
    assert trail(run_id)[4:] == ["interrupt.resolved gate", "node.failed gate", "run.failed"]
    assert last(run_id, "interrupt.resolved") == {
        "nodeId": "gate",
        "interruptId": suspension(run_id).pk,
        "kind": "approval",
        "reason": "timeout",
        "decision": "rejected",
        "action": "timeout",
        "x-votes": [],
    }
    error = last(run_id, "node.failed")["error"]
    assert (error["code"], error["retryable"], error["details"]) == (
        "approval_rejected",
        False,
        {"reason": "timeout"},
    )
    assert last(run_id, "run.failed")["failedNodeId"] == "gate"
    assert suspension(run_id).outcome == SuspensionOutcome.TIMED_OUT


def test_a_gate_never_says_that_it_approves_on_timeout() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000, onTimeout="approve"))
    assert last(run_id, "interrupt.requested")["data"]["onTimeout"] == "reject"


def test_escalation_does_not_extend_a_gate() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000, onTimeout="escalate"))
    assert last(run_id, "interrupt.requested")["data"]["onTimeout"] == "escalate"
    sweep(now=after(seconds=60))
    assert status(run_id) == "failed"
    assert armed(run_id) == []


def test_nothing_happens_a_millisecond_before_the_deadline() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    assert sweep(now=after(seconds=59.999)) == 0
    assert status(run_id) == "waiting-approval"
    answer(actor("ann"), run_id, "accept", now=after(seconds=59.999))
    assert status(run_id) == "completed"


@pytest.mark.parametrize("config", [{}, {"timeoutMs": 0}])
def test_a_gate_without_a_deadline_waits_for_years(config: dict[str, int]) -> None:
    run_id = start_flow(one_gate(**config))
    assert armed(run_id) == []
    assert "timeoutMs" not in last(run_id, "interrupt.requested")
    assert sweep(now=after(days=3650)) == 0
    answer(actor("ann"), run_id, "accept", now=after(days=3650))
    assert status(run_id) == "completed"


def test_an_answer_after_the_deadline_but_before_the_sweep_is_too_late() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    with pytest.raises(AlreadyResolved) as refused:
        answer(actor("ann"), run_id, "accept", now=after(seconds=60))
    assert refused.value.message == "The deadline of this interrupt has passed."
    assert status(run_id) == "failed"
    assert last(run_id, "interrupt.resolved")["action"] == "timeout"
    assert not Vote.objects.exists()
    before = trail(run_id)
    assert sweep(now=after(seconds=61)) == 0
    assert trail(run_id) == before


def test_a_late_sweep_records_when_it_settled_the_gate() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    sweep(now=after(hours=2))
    assert log_of(run_id)[4].at == after(hours=2)
    assert suspension(run_id).deadline == after(seconds=60)


def test_a_timeout_is_routed_like_any_rejection() -> None:
    run_id = start_flow(workflow([gate_node(timeoutMs=1000), node("tell")], [edge("gate", "tell", "any_failed")]))
    sweep(now=after(seconds=1))
    assert trail(run_id)[4:] == [
        "interrupt.resolved gate",
        "node.failed gate",
        "node.started tell",
        "node.completed tell",
        "run.completed",
    ]


def test_a_timeout_keeps_the_votes_so_far_on_record() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(requiredApprovals=2, timeoutMs=60_000))
    answer(ann, run_id, "accept", now=after(seconds=10))
    sweep(now=after(seconds=60))
    votes = last(run_id, "interrupt.resolved")["x-votes"]
    assert [(vote["voter"], vote["action"]) for vote in votes] == [(ann.subject_id, "accept")]


def test_an_answer_in_time_takes_the_deadline_away() -> None:
    run_id = start_flow(chain(gate_node(timeoutMs=60_000), gate_node("second")))
    assert armed(run_id) == [("deadline", "gate")]
    answer(actor("ann"), run_id, "accept", now=after(seconds=10))
    assert armed(run_id) == []
    assert sweep(now=after(days=1)) == 0
    assert status(run_id) == "waiting-approval"


def test_a_timer_read_before_an_answer_came_does_nothing() -> None:
    """The sweep lists timers, then locks the run: in between an answer may have been faster."""
    run_id = start_flow(chain(gate_node(timeoutMs=60_000), gate_node("second")))
    stale = timers.due(now=after(seconds=60), limit=10)
    answer(actor("ann"), run_id, "accept", now=after(seconds=59))
    assert [fire_timer(timer=timer, now=after(seconds=60)) for timer in stale] == [False]
    assert status(run_id) == "waiting-approval"


def test_a_timer_fires_once_for_two_sweeps() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    (timer,) = timers.due(now=after(seconds=60), limit=10)
    assert fire_timer(timer=timer, now=after(seconds=60)) is True
    assert fire_timer(timer=timer, now=after(seconds=60)) is False
    assert trail(run_id).count("interrupt.resolved gate") == 1


def test_two_deadlines_of_one_run_both_pass() -> None:
    nodes = [gate_node("a", timeoutMs=1000), gate_node("b", timeoutMs=1000), node("then")]
    run_id = start_flow(workflow(nodes, [edge("a", "then", "all_complete"), edge("b", "then", "all_complete")]))
    assert fire_due_timers(now=after(seconds=5)) == 1
    assert fire_due_timers(now=after(seconds=5)) == 1
    assert fire_due_timers(now=after(seconds=5)) == 0
    assert status(run_id) == "completed"
    assert trail(run_id)[-3:] == ["node.started then", "node.completed then", "run.completed"]


# --- Delays -----------------------------------------------------------------------------------------------------------


def test_a_delay_waits_and_then_goes_on() -> None:
    run_id = start_flow(chain(node("wait", "core.delay", config={"ms": 5000}), node("then")))
    assert (status(run_id), run_of(run_id).current_node_id) == ("running", "")
    assert trail(run_id) == ["run.started", "node.started wait"]
    assert armed(run_id) == [("delay", "wait")]
    assert sweep(now=after(seconds=4.999)) == 0
    assert sweep(now=after(seconds=5)) == 1
    assert trail(run_id)[2:] == ["node.completed wait", "node.started then", "node.completed then", "run.completed"]
    assert last(run_id, "run.completed")["durationMs"] == 5000


def test_a_delay_of_nothing_is_over_with_the_next_sweep() -> None:
    run_id = start_flow(chain(node("wait", "core.delay")))
    assert sweep(now=NOW) == 1
    assert status(run_id) == "completed"


def test_a_delay_in_a_loop_waits_each_time() -> None:
    again: JsonObject = {"type": "expression", "expression": "nodes.gate.outputs.action == 'refine'"}
    nodes = [node("start"), node("wait", "core.delay", config={"ms": 1000}), gate_node()]
    edges = [edge("start", "wait"), edge("wait", "gate"), edge("gate", "wait", condition=again)]
    run_id = start_flow(workflow(nodes, edges))
    for second in (1, 2):
        assert sweep(now=after(seconds=second)) == 1
        answer(
            actor("ann"), run_id, {"action": "refine", "refineFeedback": {"scope": "whole"}}, now=after(seconds=second)
        )
    assert armed(run_id) == [("delay", "wait")]
    assert Timer.objects.get().due_at == after(seconds=3)


# --- How long a run may take ------------------------------------------------------------------------------------------


def test_a_run_that_takes_too_long_is_ended_with_what_it_waits_for() -> None:
    options = {"version": 1, "run": {"runTimeoutMs": 60_000}}
    run_id = start_flow(one_gate(timeoutMs=120_000), configurable=options)
    assert armed(run_id) == [("run-timeout", ""), ("deadline", "gate")]
    assert sweep(now=after(seconds=61)) == 1
    assert trail(run_id)[4:] == ["cap.breached", "node.cancelled gate", "run.failed"]
    assert last(run_id, "cap.breached") == {"kind": "run-duration", "limit": 60_000, "observed": 61_000}
    error = last(run_id, "run.failed")["error"]
    assert (error["code"], error["details"]) == ("run_timeout", {"limit": 60_000})
    assert "failedNodeId" not in last(run_id, "run.failed")
    assert suspension(run_id).outcome == SuspensionOutcome.CANCELLED
    with pytest.raises(AlreadyResolved):
        answer(actor("ann"), run_id, "accept", now=after(seconds=62))


def test_the_shorter_of_the_workflows_limit_and_the_callers_holds() -> None:
    document: JsonObject = {**one_gate(), "settings": {"timeout": 30_000}}
    owner = actor("owner")
    by_workflow = start_flow(document, by=owner, configurable={"version": 1, "run": {"runTimeoutMs": 60_000}})
    by_caller = start(owner, configurable={"version": 1, "run": {"runTimeoutMs": 10_000}})
    due = {timer.run_id: timer.due_at for timer in Timer.objects.filter(purpose=TimerPurpose.RUN_TIMEOUT)}
    assert due == {by_workflow: after(seconds=30), by_caller: after(seconds=10)}


def test_a_run_that_ends_in_time_forgets_its_limit() -> None:
    run_id = start_flow(one_gate(), configurable={"version": 1, "run": {"runTimeoutMs": 60_000}})
    answer(actor("ann"), run_id, "accept", now=after(seconds=1))
    assert armed(run_id) == []


def test_a_workflow_timeout_of_zero_is_none() -> None:
    run_id = start_flow({**one_gate(), "settings": {"timeout": 0}})
    assert armed(run_id) == []


# --- The sweep itself -------------------------------------------------------------------------------------------------


def test_a_timer_that_cannot_be_handled_steps_behind_the_others() -> None:
    """A run row that cannot be read stands for whatever may go wrong in one run."""
    broken = start_flow(one_gate("broken", timeoutMs=1000))
    sound = start_flow(one_gate("sound", timeoutMs=2000))
    cache = run_of(broken).state
    Run.objects.filter(pk=broken).update(state={"unreadable": True})
    assert fire_due_timers(now=after(seconds=5)) == 2
    assert (status(broken), status(sound)) == ("waiting-approval", "failed")
    assert fire_due_timers(now=after(seconds=6)) == 0
    assert Timer.objects.get(run_id=broken).due_at == after(seconds=35)
    Run.objects.filter(pk=broken).update(state=cache)
    sweep(now=after(seconds=35))
    assert status(broken) == "failed"


def test_a_clock_that_is_behind_does_not_take_the_log_back() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(), by=ann, now=after(minutes=5))
    answer(ann, run_id, "accept", now=after(minutes=4))
    times = [event.at for event in log_of(run_id)]
    assert len(times) > 4
    assert set(times) == {after(minutes=5)}
