"""Work that must leave a transaction: the only writer of OutboxMessage. Delivery is at least once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction

from interrupts.conf import OUTBOX_MAX_ATTEMPTS
from interrupts.contracts.types import JsonObject
from interrupts.models import OutboxMessage, Run
from interrupts.vocabulary import Topic

_LONGEST_WAIT: Final = timedelta(minutes=10)


def enqueue(*, topic: Topic, run: Run, dedupe_key: str, now: datetime, payload: JsonObject | None = None) -> None:
    """Ask for work on ``run`` after commit. The same ``dedupe_key`` asks only once; its last 128 characters count."""
    message = OutboxMessage(
        topic=str(topic),
        run=run,
        dedupe_key=dedupe_key[-128:],
        payload=payload or {},
        created_at=now,
        available_at=now,
    )
    OutboxMessage.objects.bulk_create([message], ignore_conflicts=True)


def claim(*, now: datetime, limit: int, lease: timedelta) -> list[OutboxMessage]:
    """Take due messages for ``lease``: a worker that dies holding one only delays it by that much."""
    with transaction.atomic():
        due = OutboxMessage.objects.filter(available_at__lte=now, delivered_at=None, dead_at=None)
        if connection.features.has_select_for_update_skip_locked:
            due = due.select_for_update(skip_locked=True)
        messages = list(due.order_by("available_at", "id")[:limit])
        for message in messages:
            message.attempts += 1
            message.available_at = now + lease
        OutboxMessage.objects.bulk_update(messages, ["attempts", "available_at"])
    return messages


def recall(*, now: datetime) -> int:
    """Make due what is put off further than anything ever is: a clock stood ahead when it was written."""
    ahead = OutboxMessage.objects.filter(available_at__gt=now + 2 * _LONGEST_WAIT, delivered_at=None, dead_at=None)
    return ahead.update(available_at=now)


def delivered(message: OutboxMessage, *, now: datetime) -> None:
    OutboxMessage.objects.filter(pk=message.pk).update(delivered_at=now)


def failed(message: OutboxMessage, *, reason: str, now: datetime) -> bool:
    """Try again later, each time twice as late. Returns whether that was the last attempt: the message is then dead."""
    wait = min(timedelta(seconds=2**message.attempts), _LONGEST_WAIT)
    dead = message.attempts >= OUTBOX_MAX_ATTEMPTS
    OutboxMessage.objects.filter(pk=message.pk).update(
        available_at=now + wait, last_error=reason[:2000], dead_at=now if dead else None
    )
    return dead
