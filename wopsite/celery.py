"""Celery: the worker that relays the outbox and fires timers, and the beat that reminds it each second.

The database is the truth and the broker only wakes people up. So no result is kept, a message that nobody fetched in
time expires instead of piling up, and losing the broker's contents delays work by one beat at most.
"""

from __future__ import annotations

import os
from typing import Any, Final

from celery import Celery, Task
from celery.signals import setup_logging, task_postrun, worker_init
from django.db import connections

from wopsite import broker
from wopsite.sweeps import note_sweep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")

FIRE_TIMERS: Final = "interrupts.tasks.fire_timers"
RELAY_OUTBOX: Final = "interrupts.tasks.relay_outbox"
DELIVER_DUE: Final = "interrupts.tasks.deliver_due"
SEND_MAIL: Final = "approvals.tasks.send_mail"
PURGE_NOTICES: Final = "approvals.tasks.purge_notices"
PURGE_DELIVERIES: Final = "interrupts.tasks.purge_deliveries"
PURGE_IDEMPOTENCY_RECORDS: Final = "interrupts.tasks.purge_idempotency_records"
# A stopped worker finds at most this many seconds' worth of reminders when it comes back.
_EXPIRES: Final = 5

broker.use()
app = Celery("wopsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    # A worker that dies in the middle of a task gives the message back: tasks are safe to run twice.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_ignore_result=True,
    task_soft_time_limit=120,
    task_time_limit=150,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    # Nothing here inspects workers, and the messages for it would gather as files in the filesystem broker.
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    enable_utc=True,
    timezone="UTC",
    beat_schedule={
        "fire-timers": {"task": FIRE_TIMERS, "schedule": 1.0, "options": {"expires": _EXPIRES}},
        "relay-outbox": {"task": RELAY_OUTBOX, "schedule": 1.0, "options": {"expires": _EXPIRES}},
        "deliver-due": {"task": DELIVER_DUE, "schedule": 1.0, "options": {"expires": _EXPIRES}},
        "send-mail": {"task": SEND_MAIL, "schedule": 2.0, "options": {"expires": _EXPIRES}},
        "purge-notices": {"task": PURGE_NOTICES, "schedule": 3600.0, "options": {"expires": 3600}},
        "purge-deliveries": {"task": PURGE_DELIVERIES, "schedule": 3600.0, "options": {"expires": 3600}},
        "purge-idempotency-records": {
            "task": PURGE_IDEMPOTENCY_RECORDS,
            "schedule": 3600.0,
            "options": {"expires": 3600},
        },
    },
)
app.autodiscover_tasks()


@worker_init.connect
def connect_without_a_pool(**_: Any) -> None:
    """Let each thread of a worker hold a connection of its own.

    Celery closes the process's pool around every task, and with it the connections of deliveries still under way.
    """
    for connection in connections.all():
        connection.settings_dict.get("OPTIONS", {}).pop("pool", None)


@setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Being connected is enough: Celery then leaves logging as Django's LOGGING set it up."""


@task_postrun.connect
def note_finished_sweep(sender: Task[..., Any] | None = None, state: str | None = None, **_: Any) -> None:
    """Beat's reminder reached a worker and the timers were looked at: `/readyz` tells when that was last so."""
    if sender is not None and sender.name == FIRE_TIMERS and state == "SUCCESS":
        note_sweep()
