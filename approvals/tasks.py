"""Celery tasks of mail: they read the clock and make one call each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from celery import shared_task
from django.utils import timezone

from approvals import notices
from approvals.mailing import sending
from interrupts.services.courier import Courier, Errand

# One mail server takes them all, and few connections at once keep it friendly.
HANDS: Final = 4


def _take_due(limit: int) -> Sequence[Errand]:
    return sending.take_due(limit, clock=timezone.now)


COURIER: Final = Courier(hands=HANDS, take=_take_due)


@shared_task
def send_mail() -> None:
    """Have this process spread the notices and send the mails that are due."""
    COURIER.wake()


@shared_task
def purge_notices() -> int:
    """Forget notices and their mails past their retention."""
    return notices.purge(now=timezone.now())
