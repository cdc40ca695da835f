"""Celery tasks: surfaces that read the clock and make one service call each. All are idempotent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from celery import shared_task
from celery.signals import worker_process_shutdown
from django.utils import timezone

from interrupts import conf
from interrupts.services import deliver, egress, expire, idempotency, relay
from interrupts.services.courier import Courier

# A call takes at most 10 seconds, and who stops the process waits longer than this.
FAREWELL_SECONDS: Final = 12.0


def _deliver_next(claimed: Callable[[], None]) -> bool:
    return deliver.deliver_next(door=egress.from_settings(), clock=timezone.now, claimed=claimed)


COURIER: Final = Courier(hands=conf.delivery_threads(), step=_deliver_next)


@shared_task
def fire_timers() -> int:
    """Fire what is due, batch after batch. Beat calls this every second; a lost call only delays."""
    fired = 0
    while batch := expire.fire_due_timers(now=timezone.now()):
        fired += batch
    return fired


@shared_task
def relay_outbox() -> int:
    """Do what transactions left to do after commit, and what that leaves in turn: a child's start, a child's end."""
    done = 0
    while delivered := relay.relay_outbox(now=timezone.now()):
        done += delivered
    return done


@shared_task
def deliver_due() -> None:
    """Set a hand of this process to what is due for receivers outside; it wakes others as it finds work."""
    COURIER.wake()


@worker_process_shutdown.connect
def finish_deliveries(**_: Any) -> None:
    """Let calls under way come to their end: what is cut off is sent again, but only after its lease."""
    COURIER.finish(seconds=FAREWELL_SECONDS)


@shared_task
def purge_deliveries() -> int:
    """Forget ended deliveries past their retention."""
    return deliver.purge_deliveries(now=timezone.now())


@shared_task
def purge_idempotency_records() -> int:
    """Forget outcomes past their retention."""
    return idempotency.purge(now=timezone.now())
