"""Celery tasks: surfaces that read the clock and make one service call each. All are idempotent."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from interrupts.services import expire, idempotency, relay


@shared_task
def fire_timers() -> int:
    """Fire what is due. Beat calls this every second; the table decides, so a lost call only delays."""
    return expire.fire_due_timers(now=timezone.now())


@shared_task
def relay_outbox() -> int:
    """Do what transactions left to do after commit."""
    return relay.relay_outbox(now=timezone.now())


@shared_task
def purge_idempotency_records() -> int:
    """Forget outcomes past their retention."""
    return idempotency.purge(now=timezone.now())
