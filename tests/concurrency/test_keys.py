"""One Idempotency-Key from many clients at once: one execution, and the same outcome for all (wire contract §10)."""

from __future__ import annotations

from collections import Counter

import pytest

from interrupts.contracts.types import JsonValue
from interrupts.models import IdempotencyRecord, Run
from interrupts.services.idempotency import Done, Key
from interrupts.services.runs import BulkCancel, CancelRun, CreateRun, bulk_cancel, cancel_run, create_run
from tests.concurrency.racing import Call, at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import NOW, actor, after, answer, idempotency_key, one_gate, register, start_flow, status, trail

pytestmark = pytest.mark.django_db(transaction=True)


def results(outcomes: list[Done | Exception]) -> list[tuple[str, bool]]:
    return [(repr(outcome.result), outcome.is_replay) for outcome in outcomes if isinstance(outcome, Done)]


def assert_one_execution(outcomes: list[Done | Exception]) -> None:
    assert codes(outcomes) == ["ok"] * len(outcomes)
    assert len({result for result, _ in results(outcomes)}) == 1
    assert Counter(is_replay for _, is_replay in results(outcomes)) == {False: 1, True: len(outcomes) - 1}


def answering(name: str, run_id: str, value: str | JsonValue, key: Key) -> Call[Done]:
    person = actor(name)
    return lambda: answer(person, run_id, value, now=after(seconds=1), key=key)


def test_eight_starts_with_one_key_start_one_run() -> None:
    register(one_gate())
    request = CreateRun(actor=actor("owner"), workflow_id="flow", idempotency_key=idempotency_key(endpoint="createRun"))
    assert_one_execution(at_once(*(lambda: create_run(request=request, now=NOW) for _ in range(8))))
    assert_sound(Run.objects.get().pk)


def test_eight_answers_with_one_key_are_one_answer() -> None:
    run_id = start_flow(one_gate())
    answering_once = answering("ann", run_id, "accept", idempotency_key())
    assert_one_execution(at_once(*[answering_once] * 8))
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert_sound(run_id)


def test_eight_votes_with_one_key_are_one_vote() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    assert_one_execution(at_once(*[answering("ann", run_id, "accept", idempotency_key())] * 8))
    assert status(run_id) == "waiting-approval"


def test_eight_cancels_with_one_key_are_one_cancel() -> None:
    run_id = start_flow(one_gate())
    key = idempotency_key(endpoint="cancelRun")
    request = CancelRun(actor=actor("owner"), run_id=run_id, idempotency_key=key)
    assert_one_execution(at_once(*(lambda: cancel_run(request=request, now=after(seconds=1)) for _ in range(8))))
    assert_sound(run_id)


def test_eight_bulk_cancels_with_one_key_are_one() -> None:
    run_id = start_flow(one_gate())
    key = idempotency_key(endpoint="bulkCancelRuns")
    request = BulkCancel(actor("owner"), (run_id,), idempotency_key=key)
    assert_one_execution(at_once(*(lambda: bulk_cancel(request=request, now=after(seconds=1)) for _ in range(8))))
    assert_sound(run_id)


def test_a_refusal_worth_keeping_is_decided_once_and_given_again() -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, "accept")
    outcomes = at_once(*[answering("bob", run_id, "reject", idempotency_key())] * 8)
    assert Counter(codes(outcomes)) == {"interrupt_already_resolved": 1, "replayed interrupt_already_resolved": 7}
    assert IdempotencyRecord.objects.count() == 1


def test_a_refusal_not_worth_keeping_leaves_the_key_free_for_the_corrected_request() -> None:
    run_id = start_flow(one_gate())
    outcomes = at_once(*[answering("ann", run_id, {"action": "maybe"}, idempotency_key(digest="wrong"))] * 8)
    assert codes(outcomes) == ["validation_error"] * 8
    assert not IdempotencyRecord.objects.exists()
    corrected = answering("ann", run_id, "accept", idempotency_key(digest="right"))()
    assert (corrected.result["status"], corrected.is_replay) == ("completed", False)


def test_two_requests_with_one_key_and_different_bodies_are_one_execution_and_one_mismatch() -> None:
    run_id = start_flow(one_gate())
    outcomes = at_once(
        answering("ann", run_id, "accept", idempotency_key(digest="accept")),
        answering("ann", run_id, "reject", idempotency_key(digest="reject")),
    )
    assert sorted(codes(outcomes)) == ["idempotency_key_mismatch", "ok"]
    assert trail(run_id).count("interrupt.resolved gate") == 1


def test_a_late_answer_with_a_key_settles_the_deadline_once_and_is_given_again() -> None:
    run_id = start_flow(one_gate(timeoutMs=1000))
    outcomes = at_once(*[answering("ann", run_id, "accept", idempotency_key())] * 8)
    assert Counter(codes(outcomes)) == {"interrupt_already_resolved": 1, "replayed interrupt_already_resolved": 7}
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert status(run_id) == "failed"
    assert_sound(run_id)
