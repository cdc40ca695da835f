"""One outcome a key (wire contract §10, layer 1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from approvals.models import Vote
from interrupts.errors import (
    AlreadyResolved,
    Forbidden,
    IdempotencyKeyMismatch,
    NotFound,
    RunTerminal,
    ValidationFailed,
)
from interrupts.models import IdempotencyRecord, Run
from interrupts.services import idempotency
from interrupts.services.idempotency import ReplayedError
from interrupts.services.runs import BulkCancel, CancelRun, CreateRun, bulk_cancel, cancel_run, create_run
from tests.factories import NOW, actor, after, answer, idempotency_key, one_gate, register, start_flow, status, trail


def test_the_same_request_again_is_given_the_same_outcome_and_does_nothing() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate())
    first = answer(ann, run_id, "accept", key=key)
    before = trail(run_id)
    again = answer(ann, run_id, "accept", key=key, now=after(hours=1))
    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.result == first.result == {"runId": run_id, "nodeId": "gate", "status": "completed"}
    assert trail(run_id) == before
    assert IdempotencyRecord.objects.count() == 1


def test_a_recorded_success_wins_over_the_state_of_things_now() -> None:
    """The gate is long decided, and without the key this would be refused."""
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(ann, run_id, "accept", key=key)
    answer(actor("ben"), run_id, "accept")
    assert answer(ann, run_id, "accept", key=key).result["status"] == "waiting-approval"
    with pytest.raises(AlreadyResolved):
        answer(ann, run_id, "accept")


def test_a_run_is_created_once_a_key() -> None:
    register(one_gate())
    request = CreateRun(actor=actor("owner"), workflow_id="flow", idempotency_key=idempotency_key())
    first, again = create_run(request=request, now=NOW), create_run(request=request, now=after(hours=1))
    assert again.is_replay
    assert again.result == first.result
    assert Run.objects.count() == 1


def test_cancel_and_bulk_cancel_replay_too() -> None:
    owner = actor("owner")
    run_id = start_flow(one_gate(), by=owner)
    one = CancelRun(owner, run_id, idempotency_key=idempotency_key("one"))
    many = BulkCancel(owner, (run_id,), idempotency_key=idempotency_key("many"))
    assert cancel_run(request=one, now=NOW).result == cancel_run(request=one, now=NOW).result
    first, again = bulk_cancel(request=many, now=NOW), bulk_cancel(request=many, now=NOW)
    assert (again.result, again.is_replay) == (first.result, True)


def test_the_same_key_with_another_request_is_a_mismatch() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(ann, run_id, "accept", key=key)
    with pytest.raises(IdempotencyKeyMismatch):
        answer(ann, run_id, "reject", key=replace(key, digest="another"))
    assert status(run_id) == "waiting-approval"
    assert [vote.action for vote in Vote.objects.all()] == ["accept"]


@pytest.mark.parametrize("change", [{"tenant_id": "other"}, {"endpoint": "cancelRun"}, {"key": "k" * 30}])
def test_a_key_is_one_tenants_for_one_endpoint(change: dict[str, str]) -> None:
    actor("eve", of="other")
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(ann, run_id, "accept", key=key)
    assert not answer(ann, run_id, "accept", key=replace(key, **change)).is_replay
    assert IdempotencyRecord.objects.count() == 2


def test_a_request_without_a_key_leaves_no_record() -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, "accept")
    assert not IdempotencyRecord.objects.exists()


def test_a_refusal_for_good_is_kept_and_given_again() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate())
    answer(actor("ben"), run_id, "accept")
    with pytest.raises(AlreadyResolved) as first:
        answer(ann, run_id, "accept", key=key)
    with pytest.raises(ReplayedError) as again:
        answer(ann, run_id, "accept", key=key)
    assert (again.value.error.code, again.value.error.message) == (first.value.code, first.value.message)
    assert again.value.error.details == first.value.details


def test_something_not_found_is_not_found_again_although_it_was_made_meanwhile() -> None:
    request = CreateRun(actor=actor("owner"), workflow_id="flow", idempotency_key=idempotency_key())
    with pytest.raises(NotFound):
        create_run(request=request, now=NOW)
    register(one_gate())
    with pytest.raises(ReplayedError) as again:
        create_run(request=request, now=NOW)
    assert again.value.error.code == "not_found"
    assert not Run.objects.exists()


def test_a_kept_refusal_names_the_same_conflict() -> None:
    owner = actor("owner")
    run_id = start_flow(one_gate(), by=owner)
    cancel_run(request=CancelRun(owner, run_id), now=NOW)
    request = CancelRun(owner, run_id, idempotency_key=idempotency_key())
    with pytest.raises(RunTerminal):
        cancel_run(request=request, now=NOW)
    with pytest.raises(ReplayedError) as again:
        cancel_run(request=request, now=NOW)
    assert again.value.error.code == "run_terminal"


def test_an_invalid_answer_is_not_kept_so_that_it_can_be_corrected() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate())
    with pytest.raises(ValidationFailed):
        answer(ann, run_id, "nonsense", key=key)
    assert not IdempotencyRecord.objects.exists()
    assert not answer(ann, run_id, "accept", key=replace(key, digest="corrected")).is_replay
    assert status(run_id) == "completed"


def test_a_refused_person_is_not_kept_refused() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate(approverGroupRefs=["legal"]))
    with pytest.raises(Forbidden):
        answer(ann, run_id, "accept", key=key)
    assert not IdempotencyRecord.objects.exists()


def test_an_answer_after_the_deadline_is_kept_with_what_it_settled() -> None:
    ann, key = actor("ann"), idempotency_key()
    run_id = start_flow(one_gate(timeoutMs=1000))
    with pytest.raises(AlreadyResolved):
        answer(ann, run_id, "accept", key=key, now=after(seconds=2))
    assert status(run_id) == "failed"
    with pytest.raises(ReplayedError) as again:
        answer(ann, run_id, "accept", key=key, now=after(seconds=3))
    assert again.value.error.message == "The deadline of this interrupt has passed."


def test_a_fault_of_the_host_leaves_no_record_and_no_trace() -> None:
    def fails() -> idempotency.Refused:
        Run.objects.update(status="paused")
        raise RuntimeError("a fault")

    start_flow(one_gate())
    with pytest.raises(RuntimeError, match="a fault"):
        idempotency.run(fails, key=idempotency_key(), now=NOW)
    assert not IdempotencyRecord.objects.exists()
    assert Run.objects.get().status == "waiting-approval"


def test_a_refusal_that_is_kept_undoes_what_was_written_before_it() -> None:
    def refuses() -> idempotency.Refused:
        Run.objects.update(status="paused")
        raise NotFound

    start_flow(one_gate())
    with pytest.raises(NotFound):
        idempotency.run(refuses, key=idempotency_key(), now=NOW)
    assert IdempotencyRecord.objects.count() == 1
    assert Run.objects.get().status == "waiting-approval"


def test_records_are_forgotten_after_two_days_and_not_before() -> None:
    ann = actor("ann")
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(ann, run_id, "accept", key=idempotency_key("old"), now=NOW)
    answer(ann, run_id, "accept", key=idempotency_key("new"), now=NOW + timedelta(seconds=1))
    assert idempotency.purge(now=NOW + timedelta(hours=48)) == 0
    assert idempotency.purge(now=NOW + timedelta(hours=48, milliseconds=500)) == 1
    assert IdempotencyRecord.objects.get().key == idempotency_key("new").key
