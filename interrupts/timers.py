"""Durable timers: the only writer of Timer. A timer wakes a run up; what happens is decided under the run's lock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from interrupts.models import Run, Timer
from interrupts.vocabulary import TimerPurpose


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A timer whose time has come, as read before its run was locked: look again before acting."""

    id: int
    run_id: str
    node_id: str
    purpose: TimerPurpose
    ordinal: int


def arm(*, run: Run, purpose: TimerPurpose, due_at: datetime, node_id: str = "", ordinal: int = 0) -> None:
    Timer.objects.create(run=run, node_id=node_id, purpose=str(purpose), ordinal=ordinal, due_at=due_at)


def disarm(*, run_id: str, node_id: str = "", purpose: TimerPurpose | None = None) -> None:
    """Remove a node's timers, of one purpose or of all."""
    timers = Timer.objects.filter(run_id=run_id, node_id=node_id)
    if purpose is not None:
        timers = timers.filter(purpose=str(purpose))
    timers.delete()


def disarm_run(run_id: str) -> None:
    Timer.objects.filter(run_id=run_id).delete()


def due(*, now: datetime, limit: int) -> list[DueTimer]:
    """Return the timers that are due, oldest first, at most one a run: the others follow in the next sweep."""
    rows = Timer.objects.filter(due_at__lte=now).order_by("due_at", "id")[:limit]
    first: dict[str, DueTimer] = {}
    for row in rows:
        timer = DueTimer(row.pk, row.run_id, row.node_id, TimerPurpose(row.purpose), row.ordinal)
        first.setdefault(row.run_id, timer)
    return list(first.values())


def postpone(timer: DueTimer, *, until: datetime) -> None:
    """Let a timer that failed come again later, so that it does not stand before the others in every sweep."""
    Timer.objects.filter(pk=timer.id).update(due_at=until)


def take(timer: DueTimer) -> bool:
    """Delete the timer and return whether it was still there. Two sweeps at once: one of them gets False."""
    deleted, _ = Timer.objects.filter(pk=timer.id).delete()
    return deleted == 1
