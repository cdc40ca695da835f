"""Celery: the workers that fire timers, relay the outbox and make deliveries, and the beat that reminds them.

The database is the truth and the broker only wakes people up. So no result is kept, a message that nobody fetched in
time expires instead of piling up, and losing the broker's contents delays work by one beat at most.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

from celery import Celery
from celery.signals import beat_init, setup_logging, worker_init
from django.db import connections
from kombu import Queue

from wopsite import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")


@dataclass(frozen=True, slots=True)
class Reminder:
    """A task, the queue of its purpose, and after how many seconds beat asks for it again."""

    task: str
    queue: str
    every: float

    @property
    def schedule(self) -> dict[str, Any]:
        # A stopped worker finds at most a few seconds' worth of reminders when it comes back.
        return {"task": self.task, "schedule": self.every, "options": {"expires": max(self.every, 5.0)}}


MAINTENANCE: Final = "maintenance"
# Everything that workers do. A new queue is a new line here; workers that name no queues take all of them.
REMINDERS: Final = (
    Reminder("interrupts.tasks.fire_timers", "timers", every=1.0),
    Reminder("interrupts.tasks.relay_outbox", "outbox", every=1.0),
    Reminder("interrupts.tasks.deliver_due", "deliveries", every=1.0),
    Reminder("approvals.tasks.send_mail", "mail", every=2.0),
    Reminder("interrupts.tasks.purge_deliveries", MAINTENANCE, every=3600.0),
    Reminder("interrupts.tasks.purge_idempotency_records", MAINTENANCE, every=3600.0),
    Reminder("interrupts.tasks.purge_sightings", MAINTENANCE, every=3600.0),
    Reminder("approvals.tasks.purge_notices", MAINTENANCE, every=3600.0),
)
QUEUES: Final = tuple(dict.fromkeys(reminder.queue for reminder in REMINDERS))

broker.use()
app = Celery("wopsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_queues=[Queue(name) for name in QUEUES],
    task_routes={reminder.task: {"queue": reminder.queue} for reminder in REMINDERS},
    task_default_queue=MAINTENANCE,
    # A name that is misspelt after `--queues` would be a queue that nobody sends to.
    task_create_missing_queues=False,
    # A worker that dies in the middle of a task gives the message back: tasks are safe to run twice.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    # A sweep ends by itself after a few seconds. What takes so long hangs: its process is replaced, its transaction
    # undone. There is no soft limit, because its exception could come anywhere, a commit included.
    task_time_limit=120,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    # Nothing here inspects workers, and the messages for it would gather as files in the filesystem broker.
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    enable_utc=True,
    timezone="UTC",
    beat_schedule={reminder.task.rpartition(".")[2]: reminder.schedule for reminder in REMINDERS},
)
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="processes")


@beat_init.connect
@worker_init.connect
def connect_without_a_pool(**_: Any) -> None:
    """Let each thread of a worker hold a connection of its own; beat needs but one.

    Celery closes the process's pool around every task, and with it the connections of deliveries still under way.
    """
    for connection in connections.all():
        connection.settings_dict.get("OPTIONS", {}).pop("pool", None)


@setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves logging as Django's LOGGING set it up."""
