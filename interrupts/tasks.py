"""Celery tasks: surfaces that read the clock and make one service call each. All are idempotent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from celery import shared_task
from django.utils import timezone

from interrupts import conf, sightings
from interrupts.services import deliver, egress, expire, idempotency, relay
from interrupts.services.courier import Courier, Errand
from interrupts.services.pulse import Pulse
from interrupts.vocabulary import Sighted

# One sweep ends after this, so that a worker that is told to stop soon does; beat's next reminder goes on.
SWEEP_SECONDS: Final = 5.0
_SWEEP: Final = Pulse(Sighted.SWEEP)


def _take_due(limit: int) -> Sequence[Errand]:
    return deliver.take_due(limit, door=egress.from_settings(), clock=timezone.now)


COURIER: Final = Courier(hands=conf.delivery_threads(), take=_take_due)


def _until_nothing_is_due(sweep: Callable[[datetime], int]) -> int:
    """Repeat a sweep, batch after batch, as long as it finds something and its time lasts."""
    ends_at = time.monotonic() + SWEEP_SECONDS
    done = 0
    while found := sweep(timezone.now()):
        done += found
        if time.monotonic() >= ends_at:
            break
    return done


@shared_task
def fire_timers() -> int:
    """Fire what is due. Beat calls this every second; a lost call only delays."""
    fired = _until_nothing_is_due(lambda now: expire.fire_due_timers(now=now, share=True))
    _SWEEP.beat()
    return fired


@shared_task
def relay_outbox() -> int:
    """Do what transactions left to do after commit, and what that leaves in turn: a child's start, a child's end."""
    return _until_nothing_is_due(lambda now: relay.relay_outbox(now=now))


@shared_task
def deliver_due() -> None:
    """Have this process make what is due for receivers outside."""
    COURIER.wake()


@shared_task
def purge_deliveries() -> int:
    """Forget ended deliveries past their retention."""
    return deliver.purge_deliveries(now=timezone.now())


@shared_task
def purge_idempotency_records() -> int:
    """Forget outcomes past their retention."""
    return idempotency.purge(now=timezone.now())


@shared_task
def purge_sightings() -> int:
    """Forget processes that have been gone for long."""
    return sightings.purge(now=timezone.now())
