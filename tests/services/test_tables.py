"""What the database itself refuses, whoever writes (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, models, transaction

from approvals import mails, notices
from approvals.models import ApproverRef, GateApprover, Mail, MailAttempt, Notice, Vote
from interrupts import outbox, suspensions, timers
from interrupts.errors import AlreadyResolved
from interrupts.events import RunLog
from interrupts.models import (
    Delivery,
    IdempotencyRecord,
    Membership,
    OutboxMessage,
    Run,
    RunEvent,
    Suspension,
    Tenant,
    Timer,
    Workflow,
)
from interrupts.vocabulary import EventType, SuspensionOutcome, TimerPurpose, Topic
from tests.factories import NOW, actor, after, answer, node, one_gate, run_of, start_flow, suspension, webhook, workflow
from tests.services.mailing import with_address


def refused(write: Callable[[], object], *, by: str) -> None:
    """Fail unless the database refuses the write, naming the constraint or the guard.

    SQLite names what it checks but, of what must be unique, only the columns.
    """
    with pytest.raises(DatabaseError) as refusal, transaction.atomic():
        write()
    told = str(refusal.value)
    assert by in told or (connection.vendor == "sqlite" and "UNIQUE constraint failed" in told), told


def execute(sql: str, *values: str) -> Callable[[], object]:
    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)

    return run


def copy(row: models.Model, **changes: Any) -> Callable[[], object]:
    """Write the row a second time, changed."""
    fields = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    if row._meta.auto_field is not None:
        del fields[row._meta.auto_field.attname]
    return lambda: type(row)(**{**fields, **changes}).save(force_insert=True)


# --- Append-only ------------------------------------------------------------------------------------------------------


def test_an_event_is_never_changed_by_the_orm() -> None:
    run_id = start_flow(one_gate())
    event = RunEvent.objects.filter(run_id=run_id)[0]
    event.payload = {}
    refused(event.save, by="append-only")
    refused(lambda: RunEvent.objects.update(type="run.completed"), by="append-only")
    refused(lambda: RunEvent.objects.bulk_update([event], ["payload"]), by="append-only")


def test_an_event_is_never_deleted_by_the_orm() -> None:
    start_flow(one_gate())
    refused(RunEvent.objects.all().delete, by="append-only")
    refused(RunEvent.objects.all()[0].delete, by="append-only")


def test_an_event_is_never_changed_or_deleted_by_sql() -> None:
    run_id = start_flow(one_gate())
    refused(execute("UPDATE interrupts_runevent SET payload = '{}' WHERE run_id = %s", run_id), by="append-only")
    refused(execute("UPDATE interrupts_runevent SET sequence = sequence + 100"), by="append-only")
    refused(execute("DELETE FROM interrupts_runevent WHERE run_id = %s", run_id), by="append-only")
    assert RunEvent.objects.filter(run_id=run_id).count() == 4


def test_a_workflow_version_never_changes_by_orm_or_sql() -> None:
    start_flow(one_gate())
    version = Workflow.objects.get()
    version.name = "Another"
    refused(version.save, by="never changes")
    refused(lambda: Workflow.objects.update(document="{}"), by="never changes")
    refused(execute("UPDATE interrupts_workflow SET document = '{}'"), by="never changes")


def test_what_a_run_rests_on_cannot_be_deleted() -> None:
    run_id = start_flow(one_gate(approversList=["ann"]))
    for row in (run_of(run_id), Workflow.objects.get(), Tenant.objects.get(), suspension(run_id)):
        with pytest.raises(models.ProtectedError):
            row.delete()


# --- Uniqueness -------------------------------------------------------------------------------------------------------


def test_two_writers_of_one_log_cannot_fork_it() -> None:
    """Both read the same last sequence; a lock that failed to hold would end here."""
    run = run_of(start_flow(workflow([node("wait", "core.delay", config={"ms": 1000})])))
    logs = [RunLog(Run.objects.get(pk=run.pk), now=NOW) for _ in range(2)]
    for log in logs:
        log.append(EventType.NODE_COMPLETED, {"nodeId": "wait", "outputs": {}}, node_id="wait")
    with transaction.atomic():
        logs[0].flush()
        refused(logs[1].flush, by="runevent_sequence_once")
        transaction.set_rollback(True)


def test_event_ids_are_unique_and_sequences_start_at_zero() -> None:
    event = RunEvent.objects.filter(run_id=start_flow(one_gate())).order_by("sequence")[0]
    refused(copy(event, sequence=99), by="interrupts_runevent_event_id")
    refused(copy(event, event_id="e-new"), by="runevent_sequence_once")
    refused(copy(event, event_id="e-new", sequence=-1), by="runevent_sequence_from_zero")


def test_a_key_is_raised_once_in_a_run() -> None:
    run_id = start_flow(one_gate())
    answer(actor("ann"), run_id, "accept")
    row = suspension(run_id)
    refused(copy(row, id="acme/i-other", node_id="other"), by="suspension_key_once")


def test_a_node_has_one_open_interrupt() -> None:
    row = suspension(start_flow(one_gate()))
    refused(copy(row, id="acme/i-other", key="other"), by="suspension_one_open_per_node")


def test_an_interrupt_ends_once() -> None:
    row = suspension(start_flow(one_gate()))
    with transaction.atomic():
        sid = transaction.savepoint()
        suspensions.close(row.pk, outcome=SuspensionOutcome.RESOLVED, resolution={"a": 1}, now=NOW)
        with pytest.raises(AlreadyResolved):
            suspensions.close(row.pk, outcome=SuspensionOutcome.TIMED_OUT, resolution={"a": 2}, now=NOW)
        assert Suspension.objects.get(pk=row.pk).resolution == {"a": 1}
        transaction.savepoint_rollback(sid)


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": "resolved"},
        {"outcome": "resolved", "resolution": {}},
        {"outcome": "resolved", "resolved_at": NOW},
        {"resolution": {}},
        {"resolved_at": NOW},
        {"resolution": {}, "resolved_at": NOW},
        {"outcome": "lost", "resolution": {}, "resolved_at": NOW},
    ],
)
def test_an_interrupt_is_open_or_has_all_of_an_end(changes: dict[str, Any]) -> None:
    row = suspension(start_flow(one_gate()))
    refused(lambda: Suspension.objects.filter(pk=row.pk).update(**changes), by="suspension_ended_iff_outcome")


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": "delivered"},
        {"ended_at": NOW},
        {"outcome": "lost", "ended_at": NOW},
        {"outcome": "dead", "ended_at": NOW, "leased_until": NOW},
    ],
)
def test_a_delivery_is_still_to_be_made_or_has_all_of_an_end(changes: dict[str, Any]) -> None:
    webhook(events=["run.started"])
    start_flow(one_gate())
    refused(lambda: Delivery.objects.update(**changes), by="delivery_ended_iff_outcome")


def test_a_timer_is_armed_once_a_visit() -> None:
    run = run_of(start_flow(one_gate()))
    with transaction.atomic():
        timers.arm(run=run, purpose=TimerPurpose.DELAY, node_id="x", due_at=NOW, ordinal=1)
        refused(
            lambda: timers.arm(run=run, purpose=TimerPurpose.DELAY, node_id="x", due_at=after(days=1), ordinal=1),
            by="timer_once",
        )
        timers.arm(run=run, purpose=TimerPurpose.DELAY, node_id="x", due_at=NOW, ordinal=2)
        refused(copy(Timer.objects.all()[0], purpose="nap", ordinal=3), by="timer_purpose_known")
        timers.disarm(run_id=run.pk, node_id="x")
    assert not Timer.objects.exists()


def test_the_outbox_takes_one_message_a_key() -> None:
    run = run_of(start_flow(one_gate()))
    for _ in range(2):
        outbox.enqueue(topic=Topic.ADVANCE_RUN, run=run, dedupe_key="k", now=NOW)
    message = OutboxMessage.objects.get()
    refused(copy(message), by="interrupts_outboxmessage_dedupe_key")
    refused(copy(message, dedupe_key="l", topic="gossip"), by="outbox_topic_known")


@pytest.mark.parametrize(
    ("changes", "by"), [({"voter": "other"}, "vote_once_per_actor"), ({"actor": "other"}, "vote_once_per_voter")]
)
def test_a_gate_takes_one_vote_a_voter_and_one_an_actor(changes: dict[str, str], by: str) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept")
    vote = Vote.objects.get()
    refused(copy(vote, **changes), by=by)
    copy(vote, voter="other", actor="other")()
    assert Vote.objects.count() == 2


@pytest.mark.parametrize("action", ["ask", "timeout", "approve"])
def test_a_vote_is_one_of_four_actions(action: str) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept")
    refused(copy(Vote.objects.get(), voter="x", actor="x", action=action), by="vote_action_known")


def test_a_reference_is_one_row_of_a_known_kind() -> None:
    run_id = start_flow(one_gate(approversList=["ann"]))
    ref = ApproverRef.objects.get()
    refused(copy(ref), by="approverref_once")
    refused(copy(ref, kind="robot"), by="approverref_kind_known")
    refused(copy(GateApprover.objects.get(suspension__run_id=run_id)), by="gateapprover_once")


def test_a_person_is_in_a_tenant_once_under_a_subject_id_of_their_own() -> None:
    actor("ann")
    elsewhere = actor("ann", of="other")
    row = Membership.objects.get(tenant_id="acme")
    refused(copy(row, subject_id="u-new"), by="membership_once_per_tenant")
    Tenant.objects.create(id="third", created_at=NOW)
    refused(copy(row, tenant_id="third", subject_id=elsewhere.subject_id), by="interrupts_membership_subject_id")


@pytest.mark.parametrize("name", ["", "a/b", "a b", "a~b"])
def test_a_tenants_id_is_half_of_every_run_id_and_must_be_able_to_be(name: str) -> None:
    refused(lambda: Tenant(id=name, created_at=NOW).save(force_insert=True), by="tenant_id_grammar")


def test_a_run_has_a_known_status_and_an_end_exactly_when_it_is_over() -> None:
    run_id = start_flow(one_gate())
    row = Run.objects.filter(pk=run_id)
    refused(lambda: row.update(status="sleeping"), by="run_status_known")
    refused(lambda: row.update(status="completed"), by="run_completed_iff_terminal")
    refused(lambda: row.update(completed_at=NOW), by="run_completed_iff_terminal")


def test_one_run_is_active_in_an_enforced_scope() -> None:
    run = run_of(start_flow(one_gate(), scope_id="s", enforce_dedup=True))
    refused(copy(run, id="acme/r-second"), by="run_one_active_per_scope")


def test_a_key_is_claimed_once() -> None:
    actor("ann")
    row = IdempotencyRecord.objects.create(tenant_id="acme", endpoint="e", key="k" * 22, digest="d", created_at=NOW)
    refused(copy(row, digest="e"), by="idempotency_key_once")


def test_a_version_is_registered_once() -> None:
    start_flow(one_gate())
    refused(copy(Workflow.objects.get(), digest="other"), by="workflow_version_once")


def test_nothing_is_appended_after_the_end() -> None:
    run_id = start_flow(workflow([node("a")]))
    log = RunLog(run_of(run_id), now=NOW)
    with pytest.raises(RuntimeError, match="terminal event is its last"):
        log.append(EventType.NODE_STARTED, {"nodeId": "a", "typeId": "core.noop", "attempt": 0}, node_id="a")


# --- Mail -------------------------------------------------------------------------------------------------------------


def test_a_person_is_written_to_once_on_an_occasion() -> None:
    with_address("ann")
    start_flow(one_gate(approversList=["ann"]))
    refused(copy(Notice.objects.get()), by="notice_once_per_occasion")
    refused(copy(Notice.objects.get(), occasion="party"), by="notice_occasion_known")
    notices.spread_next(now=NOW)
    refused(copy(Mail.objects.get()), by="mail_once_per_person")
    mails.claim(now=NOW, limit=9)
    refused(copy(MailAttempt.objects.get()), by="mail_attempt_number_once")


@pytest.mark.parametrize("members", [{"outcome": "sent"}, {"ended_at": NOW}, {"outcome": "lost", "ended_at": NOW}])
def test_a_mail_has_an_end_exactly_when_it_has_an_outcome(members: dict[str, Any]) -> None:
    with_address("ann")
    start_flow(one_gate(approversList=["ann"]))
    notices.spread_next(now=NOW)
    refused(lambda: Mail.objects.update(**members), by="mail_ended_iff_outcome")
