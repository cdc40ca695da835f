"""Celery tasks of mail: they read the clock and make one call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from celery import shared_task
from celery.signals import worker_process_shutdown
from django.utils import timezone

from approvals import notices
from approvals.mailing import sending
from interrupts.services.courier import Courier

# One mail server takes them all, and few connections at once keep it friendly.
HANDS: Final = 4
# Comes after the deliveries' farewell, and both together are less than who stops the process waits.
FAREWELL_SECONDS: Final = 5.0


def _send_next(claimed: Callable[[], None]) -> bool:
    return sending.send_next(clock=timezone.now, claimed=claimed)


COURIER: Final = Courier(hands=HANDS, step=_send_next)


@shared_task
def send_mail() -> None:
    """Set a hand of this process to the notices and mails that are due; it wakes others as it finds work."""
    COURIER.wake()


@worker_process_shutdown.connect
def finish_mail(**_: Any) -> None:
    """Let mails under way come to their end: what is cut off is sent a second time."""
    COURIER.finish(seconds=FAREWELL_SECONDS)


@shared_task
def purge_notices() -> int:
    """Forget notices and their mails past their retention."""
    return notices.purge(now=timezone.now())
