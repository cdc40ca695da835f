"""Answers by outcome that race each other: through the run, through its parent, and over the old surface."""

from __future__ import annotations

from collections import Counter

import pytest

from interrupts.services.idempotency import Done
from interrupts.services.inspection import ResumeRun, resume_run
from tests.concurrency.racing import Call, at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import (
    NOW,
    actor,
    chain,
    child_of,
    contract_node,
    finish_handed_on_work,
    idempotency_key,
    log_of,
    register,
    reply,
    start_flow,
    status,
    sub_workflow,
    workflow,
)

pytestmark = pytest.mark.django_db(transaction=True)

_TOO_LATE = {"interrupt_already_resolved", "run_terminal", "run_state_conflict"}


def resuming(name: str, run_id: str, outcome: str, *, key: str | None = None) -> Call[Done]:
    person = actor(name)
    found = None if key is None else idempotency_key(key, endpoint="rpc")
    request = ResumeRun(person, run_id, outcome, {}, idempotency_key=found)
    return lambda: resume_run(request=request, now=NOW)


def test_of_answers_through_parent_child_and_wire_one_decides() -> None:
    register({**workflow([contract_node("ask", outcomes=["yes", "no"])]), "id": "child"})
    parent = start_flow(chain(sub_workflow()))
    finish_handed_on_work()
    child, ann = child_of(parent), actor("ann")
    calls = [resuming(f"p{n}", parent if n % 2 else child, "yes" if n % 3 else "no") for n in range(8)]
    calls += [lambda: reply(ann, child, {"outcome": "yes", "payload": {}}) for _ in range(4)]
    counted = Counter(codes(at_once(*calls)))
    assert counted.pop("ok") == 1
    assert set(counted) <= _TOO_LATE
    resolved = [event for event in log_of(child) if event.type == "interrupt.resolved"]
    assert len(resolved) == 1
    finish_handed_on_work()
    assert (status(child), status(parent)) == ("completed", "completed")
    assert_sound(child)


def test_one_key_sent_twice_at_once_is_one_answer_given_twice() -> None:
    run_id = start_flow(workflow([contract_node("ask")]))
    calls = [resuming("ann", run_id, "submitted", key="same") for _ in range(4)]
    outcomes = at_once(*calls)
    assert Counter(codes(outcomes)) == {"ok": 4}
    assert len({str(outcome.result) for outcome in outcomes if isinstance(outcome, Done)}) == 1
    assert_sound(run_id)
