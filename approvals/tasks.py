"""Celery tasks of mail: they read the clock and make one call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from celery import shared_task
from django.utils import timezone

from approvals import notices
from approvals.mailing import sending
from interrupts.services.courier import Courier

# One mail server takes them all, and few connections at once keep it friendly.
HANDS: Final = 4


def _send_next(claimed: Callable[[], None]) -> bool:
    return sending.send_next(clock=timezone.now, claimed=claimed)


COURIER: Final = Courier(hands=HANDS, step=_send_next)


@shared_task
def send_mail() -> None:
    """Set a hand of this process to the notices and mails that are due; it wakes others as it finds work."""
    COURIER.wake()


@shared_task
def purge_notices() -> int:
    """Forget notices and their mails past their retention."""
    return notices.purge(now=timezone.now())
