"""Reads shared by services and surfaces. Every query starts from the tenant: another's rows are out of reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from interrupts.models import Run, RunEvent, Suspension, Workflow
from interrupts.vocabulary import TERMINAL_STATUSES


def runs_of(tenant_id: str) -> QuerySet[Run]:
    return Run.objects.filter(tenant_id=tenant_id)


def run_of(tenant_id: str, run_id: str) -> Run | None:
    return runs_of(tenant_id).select_related("workflow").filter(pk=run_id).first()


def runs_of_tree(root_run_id: str) -> int:
    """Return how many runs have come of one, at whatever depth."""
    return Run.objects.filter(tree=root_run_id).count()


def children_to_end(parent_run_id: str) -> list[str]:
    """Return the ids of the active children that end with their parent."""
    children = Run.objects.filter(parent_run_id=parent_run_id, ends_with_parent=True)
    return list(children.exclude(status__in=TERMINAL_STATUSES).values_list("pk", flat=True))


def workflows_of(tenant_id: str) -> QuerySet[Workflow]:
    return Workflow.objects.filter(tenant_id=tenant_id)


def latest_workflow(tenant_id: str, workflow_id: str) -> Workflow | None:
    """Return the version of a workflow that was registered last."""
    return workflows_of(tenant_id).filter(workflow_id=workflow_id).order_by("-id").first()


def open_suspension(run_id: str, node_id: str) -> Suspension | None:
    return Suspension.objects.filter(run_id=run_id, node_id=node_id, outcome=None).first()


def open_in_runs(run_ids: Iterable[str]) -> list[Suspension]:
    """Return the open interrupts of some runs, oldest first, each with its run."""
    rows = Suspension.objects.filter(run_id__in=list(run_ids), outcome=None).select_related("run")
    return list(rows.order_by("opened_at", "pk"))


def open_interrupts(
    tenant_id: str, *, now: datetime, after: tuple[datetime, str] | None, limit: int
) -> list[Suspension]:
    """Return open interrupts of a tenant that still take an answer, oldest first, ``limit`` at most after a position.

    A position is when an interrupt was opened, and its id.
    """
    in_time = Q(deadline__isnull=True) | Q(deadline__gt=now)
    rows = Suspension.objects.filter(in_time, tenant_id=tenant_id, outcome=None).select_related("run")
    if after is not None:
        opened_at, pk = after
        rows = rows.filter(Q(opened_at__gt=opened_at) | Q(opened_at=opened_at, pk__gt=pk), opened_at__gte=opened_at)
    return list(rows.order_by("opened_at", "pk")[:limit])


def suspension_of(run_id: str, interrupt_id: str | None = None) -> Suspension | None:
    """Return the interrupt of a run with that id, or the one it raised last."""
    raised = Suspension.objects.filter(run_id=run_id)
    if interrupt_id is not None:
        raised = raised.filter(pk=interrupt_id)
    return raised.order_by("-opened_at", "-pk").first()


def was_suspended(run_id: str, node_id: str) -> bool:
    return Suspension.objects.filter(run_id=run_id, node_id=node_id).exists()


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page of the run list ended: the key of its last row."""

    created_at: datetime
    run_id: str


def list_runs(
    tenant_id: str, *, after: Position | None, limit: int, workflow_id: str | None = None, status: str | None = None
) -> list[Run]:
    """Return runs newest first, ``limit`` at most, starting after ``after``."""
    runs = runs_of(tenant_id).select_related("workflow")
    if workflow_id is not None:
        runs = runs.filter(workflow_key=workflow_id)
    if status is not None:
        runs = runs.filter(status=status)
    if after is not None:
        runs = runs.filter(Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, pk__lt=after.run_id))
    return list(runs.order_by("-created_at", "-id")[:limit])


def events_after(run_id: str, sequence: int) -> list[RunEvent]:
    return list(RunEvent.objects.filter(run_id=run_id, sequence__gt=sequence).order_by("sequence"))
