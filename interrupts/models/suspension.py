"""What a run waits for: interrupts and timers."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from interrupts.models.fields import JsonText
from interrupts.models.identity import Tenant
from interrupts.models.runs import Run
from interrupts.vocabulary import SuspensionOutcome, TimerPurpose


class Suspension(models.Model):
    """The durable record of one interrupt, as it was asked. Written by ``interrupts.suspensions`` alone."""

    id = models.CharField(primary_key=True, max_length=257)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="suspensions")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="suspensions")
    node_id = models.CharField(max_length=128)
    kind = models.CharField(max_length=32)
    key = models.CharField(max_length=256)
    title = models.CharField(max_length=500, blank=True)
    payload = JsonText(help_text="The InterruptPayload as it stands in interrupt.requested.")
    resume_schema = JsonText(null=True, help_text="The schema an answer must satisfy, as it was at the pause.")
    contract = JsonText(null=True, help_text="How it may be answered, as fixed at the pause; and by which visit.")
    opened_at = models.DateTimeField()
    deadline = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=16, null=True)  # noqa: DJ001 - NULL is "still open"
    resolution = JsonText(null=True)
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "decision"
        constraints: ClassVar = [
            # interrupt.md §Re-entry: a host raises an interrupt with one key at most once in a run.
            models.UniqueConstraint(fields=["run", "key"], name="suspension_key_once"),
            # The run-scoped surface names only the node: two open interrupts there would be ambiguous.
            models.UniqueConstraint(
                fields=["run", "node_id"], condition=Q(outcome__isnull=True), name="suspension_one_open_per_node"
            ),
            models.CheckConstraint(
                name="suspension_ended_iff_outcome",
                condition=Q(outcome__isnull=True, resolution__isnull=True, resolved_at__isnull=True)
                | Q(
                    outcome__isnull=False,
                    outcome__in=[str(o) for o in SuspensionOutcome],
                    resolution__isnull=False,
                    resolved_at__isnull=False,
                ),
            ),
        ]
        indexes: ClassVar = [
            # approvals.selectors.waiting_for: open interrupts of a tenant by deadline, then age.
            models.Index(
                fields=["tenant", "deadline", "opened_at", "id"],
                condition=Q(outcome__isnull=True),
                name="suspension_open_by_deadline",
            ),
            # selectors.open_interrupts: open interrupts of a tenant by age.
            models.Index(
                fields=["tenant", "opened_at", "id"], condition=Q(outcome__isnull=True), name="suspension_open_by_age"
            ),
            # approvals.selectors.history: ended interrupts of a tenant, newest first.
            models.Index(
                fields=["tenant", "-resolved_at", "-id"], condition=Q(outcome__isnull=False), name="suspension_history"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.node_id}"


class Timer(models.Model):
    """A durable promise to look at a run at a given time. Written by ``interrupts.timers`` alone."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="timers")
    node_id = models.CharField(max_length=128, blank=True)
    purpose = models.CharField(max_length=16)
    ordinal = models.IntegerField(default=0, help_text="The visit of the node, so that a loop can arm again.")
    due_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "node_id", "purpose", "ordinal"], name="timer_once"),
            models.CheckConstraint(name="timer_purpose_known", condition=Q(purpose__in=[str(p) for p in TimerPurpose])),
        ]
        indexes: ClassVar = [
            # timers.due: what the sweep has to look at now. Fired and disarmed timers are deleted.
            models.Index(fields=["due_at", "id"], name="timer_due"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} of {self.run_id} at {self.due_at:%Y-%m-%d %H:%M:%S}"
