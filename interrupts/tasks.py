"""Celery tasks: surfaces that read the clock and make one service call each. All are idempotent."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from interrupts.services import expire, idempotency, relay


@shared_task
def fire_timers() -> int:
    """Fire what is due, batch after batch. Beat calls this every second; a lost call only delays."""
    fired = 0
    while batch := expire.fire_due_timers(now=timezone.now()):
        fired += batch
    return fired


@shared_task
def relay_outbox() -> int:
    """Do what transactions left to do after commit."""
    return relay.relay_outbox(now=timezone.now())


@shared_task
def purge_idempotency_records() -> int:
    """Forget outcomes past their retention."""
    return idempotency.purge(now=timezone.now())
