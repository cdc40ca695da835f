"""Runs and their append-only log. Both are written by ``interrupts.events`` alone."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from interrupts.models.fields import JsonText
from interrupts.models.identity import Tenant
from interrupts.models.workflow import Workflow
from interrupts.vocabulary import TERMINAL_STATUSES, RunStatus

_TERMINAL = sorted(str(status) for status in TERMINAL_STATUSES)


class Run(models.Model):
    """One execution of a workflow version: the snapshot columns and the cached fold of its log."""

    id = models.CharField(primary_key=True, max_length=257)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="runs")
    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="runs")
    workflow_key = models.CharField(max_length=128, help_text="The workflow's id, for lists.")
    status = models.CharField(max_length=20)
    current_node_id = models.CharField(max_length=128, blank=True)
    last_sequence = models.IntegerField(default=-1)
    owner = JsonText()
    inputs = JsonText(default=dict)
    variables = JsonText(default=dict)
    configurable = JsonText(null=True)
    tags = JsonText(default=list)
    metadata = JsonText(null=True)
    error = JsonText(null=True)
    state = JsonText()
    pause_request = JsonText(
        null=True, help_text="The pause that begins when what runs has ended (wire contract §7.5)."
    )
    scope_id = models.CharField(max_length=256, blank=True)
    dedup_scope = models.CharField(  # noqa: DJ001 - NULL is "not asked for", and never equal to another
        max_length=256, null=True, help_text="Set when the caller asked for one active run."
    )
    callback_url = models.CharField(
        max_length=2048, blank=True, help_text="Where notice of this run's interrupts is sent."
    )
    parent_run = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="children", help_text="Whose node started this run."
    )
    parent_node_id = models.CharField(max_length=128, blank=True)
    ends_with_parent = models.BooleanField(default=False, help_text="Cancelled when its parent is cut short.")
    tree = models.CharField(max_length=257, blank=True, help_text="The run at the root, of a run that has a parent.")
    depth = models.PositiveSmallIntegerField(default=0, help_text="How many parents are above this run.")
    created_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="run_status_known", condition=Q(status__in=[str(s) for s in RunStatus])),
            models.CheckConstraint(
                name="run_completed_iff_terminal",
                condition=Q(status__in=_TERMINAL, completed_at__isnull=False)
                | (~Q(status__in=_TERMINAL) & Q(completed_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="run_pause_asked_only_while_running",
                condition=Q(pause_request__isnull=True) | Q(status=str(RunStatus.RUNNING)),
            ),
            # Two createRun calls with OpenWOP-Dedup: enforce at once: only one active run a scope.
            models.UniqueConstraint(
                fields=["tenant", "dedup_scope"],
                condition=~Q(status__in=_TERMINAL) & Q(dedup_scope__isnull=False),
                name="run_one_active_per_scope",
            ),
        ]
        indexes: ClassVar = [
            # selectors.list_runs: newest first within a tenant, optionally of one workflow or status.
            models.Index(fields=["tenant", "-created_at", "-id"], name="run_list"),
            models.Index(fields=["tenant", "workflow_key", "-created_at", "-id"], name="run_list_by_workflow"),
            models.Index(fields=["tenant", "status", "-created_at", "-id"], name="run_list_by_status"),
            # engine.children: how many runs have come of one.
            models.Index(fields=["tree"], condition=~Q(tree=""), name="run_tree"),
            # services.runs: an active run with the same scopeId.
            models.Index(
                fields=["tenant", "scope_id"],
                condition=~Q(status__in=_TERMINAL) & ~Q(scope_id=""),
                name="run_active_scope",
            ),
        ]

    def __str__(self) -> str:
        return self.id


class RunEvent(models.Model):
    """One entry of a run's log. Triggers refuse UPDATE and DELETE (migration 0002)."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="events")
    sequence = models.IntegerField()
    event_id = models.CharField(max_length=64, unique=True)
    type = models.CharField(max_length=64)
    node_id = models.CharField(max_length=128, blank=True)
    payload = JsonText()
    causation_id = models.CharField(  # noqa: DJ001 - NULL is "not told"; SQLite adds such a column in place
        max_length=64, null=True, help_text="The event that brought this one about."
    )
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["run_id", "sequence"]
        constraints: ClassVar = [
            # Two writers that both read the same last sequence: the later one fails instead of forking the log.
            models.UniqueConstraint(fields=["run", "sequence"], name="runevent_sequence_once"),
            models.CheckConstraint(name="runevent_sequence_from_zero", condition=Q(sequence__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.sequence} {self.type}"
