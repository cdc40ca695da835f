"""Answers, cancels and deadlines that race for the end of a run: one outcome, and a log that is legal either way."""

from __future__ import annotations

from collections import Counter
from typing import cast

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.services.expire import fire_due_timers
from interrupts.services.idempotency import Done
from interrupts.services.runs import BulkCancel, CancelRun, bulk_cancel, cancel_run
from tests.concurrency.racing import Call, at_once, codes, in_line
from tests.concurrency.soundness import assert_sound
from tests.factories import (
    actor,
    after,
    answer,
    chain,
    gate_node,
    last,
    log_of,
    node,
    one_gate,
    register,
    start,
    start_flow,
    status,
    sweep,
    trail,
)

pytestmark = pytest.mark.django_db(transaction=True)

JUST_BEFORE, DEADLINE = after(milliseconds=999), after(seconds=1)
TIMED_OUT = {"action": "timeout", "decision": "rejected", "reason": "timeout"}


def cancelling(run_id: str) -> Call[object]:
    request = CancelRun(actor=actor("owner"), run_id=run_id, reason="changed my mind")
    return lambda: cancel_run(request=request, now=after(milliseconds=500))


def answering(name: str, run_id: str, action: str = "accept", *, at: object = JUST_BEFORE) -> Call[object]:
    person = actor(name)
    return lambda: answer(person, run_id, action, now=at)  # type: ignore[arg-type]


def sweeping() -> Call[object]:
    return lambda: fire_due_timers(now=DEADLINE)


def how_it_ended(run_id: str) -> JsonObject:
    resolved = last(run_id, "interrupt.resolved")
    return {name: resolved[name] for name in ("action", "decision", "reason") if name in resolved}


# --- Answer and cancel ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer_first", [True, False])
def test_of_an_answer_and_a_cancel_the_first_ends_the_run(*, answer_first: bool) -> None:
    run_id = start_flow(one_gate())
    calls = [answering("ann", run_id), cancelling(run_id)]
    outcomes = in_line(run_id, *(calls if answer_first else reversed(calls)))
    answered, cancelled = codes(outcomes if answer_first else outcomes[::-1])
    if status(run_id) == "completed":
        assert (answered, cancelled) == ("ok", "run_terminal")
        assert trail(run_id)[-1] == "run.completed"
    else:
        assert (answered, cancelled) == ("interrupt_already_resolved", "ok")
        assert trail(run_id)[-2:] == ["node.cancelled gate", "run.cancelled"]
        assert "interrupt.resolved gate" not in trail(run_id)
    assert_sound(run_id)


def test_an_answer_that_beats_the_cancel_stays_in_the_log_of_the_cancelled_run() -> None:
    run_id = start_flow(chain(gate_node(), node("wait", "core.delay", config={"ms": 60_000})))
    outcomes = in_line(run_id, answering("ann", run_id), cancelling(run_id))
    assert codes(outcomes)[1] == "ok"
    assert status(run_id) == "cancelled"
    assert trail(run_id).count("interrupt.resolved gate") == codes(outcomes).count("ok") - 1
    assert_sound(run_id)


def test_eight_answers_and_eight_cancels_at_once_leave_one_end() -> None:
    run_id = start_flow(one_gate())
    calls = [call for n in range(8) for call in (answering(f"p{n}", run_id), cancelling(run_id))]
    assert Counter(codes(at_once(*calls)))["ok"] == 1
    assert status(run_id) in ("completed", "cancelled")
    assert_sound(run_id)


def test_of_eight_cancels_at_once_one_is_told_yes() -> None:
    run_id = start_flow(one_gate())
    assert Counter(codes(at_once(*(cancelling(run_id) for _ in range(8))))) == {"ok": 1, "run_terminal": 7}
    assert trail(run_id).count("run.cancelled") == 1
    assert_sound(run_id)


def test_bulk_cancels_that_overlap_in_opposite_order_do_not_lock_each_other_out() -> None:
    owner = actor("owner")
    register(one_gate())
    run_ids = [start(owner) for _ in range(12)]
    requests = [BulkCancel(owner, tuple(ids)) for ids in (run_ids, run_ids[::-1], run_ids[6:], run_ids[:9])]
    outcomes = at_once(*(_bulk(request) for request in requests))
    assert codes(outcomes) == ["ok"] * 4
    entries = [
        entry for outcome in outcomes for entry in cast("list[JsonObject]", cast("Done", outcome).result["results"])
    ]
    assert Counter(str(entry["runId"]) for entry in entries if entry["ok"]) == dict.fromkeys(run_ids, 1)
    refusals = {cast("JsonObject", entry["error"])["error"] for entry in entries if not entry["ok"]}
    assert refusals == {"run_terminal"}
    for run_id in run_ids:
        assert trail(run_id)[-1] == "run.cancelled"
        assert_sound(run_id)


def test_bulk_cancels_racing_answers_end_each_run_once() -> None:
    owner = actor("owner")
    register(one_gate())
    run_ids = [start(owner) for _ in range(8)]
    bulk = [_bulk(BulkCancel(owner, tuple(ids))) for ids in (run_ids, run_ids[::-1])]
    outcomes = at_once(*bulk, *(answering(f"p{n}", run_id) for n, run_id in enumerate(run_ids)))
    assert set(codes(outcomes)) <= {"ok", "interrupt_already_resolved"}
    for run_id, outcome in zip(run_ids, codes(outcomes[2:]), strict=True):
        assert status(run_id) == ("completed" if outcome == "ok" else "cancelled")
        assert_sound(run_id)


def _bulk(request: BulkCancel) -> Call[object]:
    return lambda: bulk_cancel(request=request, now=after(seconds=1))


# --- Answer and deadline ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer_first", [True, False])
def test_of_an_answer_in_time_and_the_sweep_the_first_decides(*, answer_first: bool) -> None:
    run_id = start_flow(one_gate(timeoutMs=1000))
    calls = [answering("ann", run_id), sweeping()]
    outcomes = in_line(run_id, *(calls if answer_first else reversed(calls)))
    answered = codes(outcomes if answer_first else outcomes[::-1])[0]
    if answered == "ok":
        assert how_it_ended(run_id) == {"action": "accept", "decision": "granted"}
        assert status(run_id) == "completed"
    else:
        assert answered == "interrupt_already_resolved"
        assert how_it_ended(run_id) == TIMED_OUT
        assert status(run_id) == "failed"
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert sweep(now=after(hours=1)) == 0
    assert_sound(run_id)


def test_answers_after_the_deadline_and_two_sweeps_at_once_time_the_gate_out_once() -> None:
    run_id = start_flow(one_gate(timeoutMs=1000))
    late = [answering(f"p{n}", run_id, action, at=DEADLINE) for n, action in enumerate(["accept", "reject"] * 4)]
    outcomes = at_once(*late, sweeping(), sweeping())
    assert codes(outcomes)[:8] == ["interrupt_already_resolved"] * 8
    assert how_it_ended(run_id) == TIMED_OUT
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert status(run_id) == "failed"
    assert_sound(run_id)


def test_a_late_answer_settles_the_deadline_itself_and_the_sweep_finds_nothing() -> None:
    run_id = start_flow(one_gate(timeoutMs=1000))
    outcomes = in_line(run_id, answering("ann", run_id, at=DEADLINE), answering("bob", run_id, at=DEADLINE))
    assert codes(outcomes) == ["interrupt_already_resolved"] * 2
    assert how_it_ended(run_id) == TIMED_OUT
    before = len(log_of(run_id))
    assert sweep(now=after(hours=1)) == 0
    assert len(log_of(run_id)) == before
    assert_sound(run_id)


def test_a_cancel_racing_the_sweep_leaves_one_end() -> None:
    run_id = start_flow(one_gate(timeoutMs=1000))
    outcomes = at_once(cancelling(run_id), sweeping(), sweeping(), cancelling(run_id))
    assert set(codes(outcomes)) <= {"ok", "run_terminal"}
    assert status(run_id) in ("cancelled", "failed")
    assert_sound(run_id)
