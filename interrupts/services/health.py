"""How the installation is: what waits, what was given up, and whether somebody is there to do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext as _

from interrupts import conf, sightings
from interrupts.models import Delivery, OutboxMessage, Sighting, Timer
from interrupts.sightings import LOST_AFTER
from interrupts.vocabulary import DeliveryOutcome, Sighted


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """``database`` is ok or unreachable; ``migrations`` are ok, pending or unknown."""

    database: str
    migrations: str

    @property
    def is_ready(self) -> bool:
        return (self.database, self.migrations) == ("ok", "ok")


@dataclass(frozen=True, slots=True)
class Processes:
    """Who was seen within ``LOST_AFTER``, and when the timers were last swept, ever.

    ``warnings`` say what is missing and what to do about it; there are none when all is well.
    """

    workers: tuple[Sighting, ...]
    beats: tuple[Sighting, ...]
    last_sweep: datetime | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backlog:
    """Work of one sort: what is due and not done, when the oldest of it was due, and how much was given up.

    ``dead`` is None where nothing is ever given up.
    """

    due: int
    oldest: datetime | None
    dead: int | None = None


def database_state() -> DatabaseState:
    """Ask the database whether it answers and whether its tables are up to date."""
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return DatabaseState("unreachable", "unknown")
    return DatabaseState("ok", "pending" if pending else "ok")


def processes(*, now: datetime) -> Processes:
    """Tell who was seen lately, and what is missing."""
    workers = sightings.seen(Sighted.WORKER, now=now)
    beats = sightings.seen(Sighted.BEAT, now=now)
    swept = sightings.last(Sighted.SWEEP)
    warnings = [*_about_workers(workers), *_about_beats(beats)]
    if not warnings and (swept is None or now - swept > LOST_AFTER):
        told = _("No reminder from beat has reached a worker for a minute. Look at the broker and at the worker's log.")
        warnings.append(told)
    return Processes(tuple(workers), tuple(beats), swept, tuple(warnings))


def _about_workers(workers: Sequence[Sighting]) -> list[str]:
    if not workers:
        return [_("No worker gives a sign of life. Deadlines and deliveries wait until one is started.")]
    served = {queue for worker in workers for queue in worker.queues}
    idle = ", ".join(queue for queue in conf.queues() if queue not in served)
    if not idle:
        return []
    return [_("No worker takes work from these queues: %(queues)s. Start one that does.") % {"queues": idle}]


def _about_beats(beats: Sequence[Sighting]) -> list[str]:
    if not beats:
        return [_("Beat gives no sign of life. Nobody reminds the workers until it is started.")]
    if len(beats) > 1:
        names = ", ".join(beat.name for beat in beats)
        told = _("More than one beat has been seen within a minute: %(names)s. Only one may run.")
        return [told % {"names": names}]
    return []


def backlogs(*, now: datetime) -> dict[str, Backlog]:
    """Tell what waits: ``timers``, the ``outbox`` and ``deliveries``."""
    timers = Timer.objects.filter(due_at__lte=now).aggregate(due=Count("id"), oldest=Min("due_at"))
    return {
        "timers": Backlog(**timers),
        "outbox": _backlog(
            OutboxMessage.objects.filter(delivered_at=None),
            since="available_at",
            is_due=Q(available_at__lte=now, dead_at=None),
            is_dead=Q(dead_at__isnull=False),
        ),
        "deliveries": _backlog(
            Delivery.objects.filter(Q(outcome=None) | Q(outcome=str(DeliveryOutcome.DEAD))),
            since="due_at",
            is_due=Q(outcome=None, due_at__lte=now),
            is_dead=Q(outcome=str(DeliveryOutcome.DEAD)),
        ),
    }


def _backlog(rows: QuerySet[OutboxMessage] | QuerySet[Delivery], *, since: str, is_due: Q, is_dead: Q) -> Backlog:
    found = rows.aggregate(
        due=Count("pk", filter=is_due), oldest=Min(since, filter=is_due), dead=Count("pk", filter=is_dead)
    )
    return Backlog(**found)
