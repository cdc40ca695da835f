"""Doing what the outbox asks for, after commit and at least once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from interrupts import outbox
from interrupts.models import OutboxMessage
from interrupts.services.children import cancel_children, give_up_child, report_child, start_child
from interrupts.services.runs import advance_run, give_up_run
from interrupts.vocabulary import Topic

logger = logging.getLogger(__name__)

LEASE: Final = timedelta(seconds=30)

_HANDLERS: Final[dict[Topic, Callable[[OutboxMessage, datetime], None]]] = {
    Topic.ADVANCE_RUN: lambda message, now: advance_run(run_id=message.run_id, now=now),
    Topic.START_CHILD: lambda message, now: start_child(message=message, now=now),
    Topic.CHILD_ENDED: lambda message, now: report_child(child_run_id=message.run_id, now=now),
    Topic.CANCEL_CHILDREN: lambda message, now: cancel_children(
        parent_run_id=message.run_id, reason=message.payload["reason"], now=now
    ),
}
# What becomes of work that nobody can do. Children that cannot be cancelled go on: that is told in the admin alone.
_LAST_RESORTS: Final[dict[Topic, Callable[[OutboxMessage, datetime], None]]] = {
    Topic.ADVANCE_RUN: lambda message, now: give_up_run(run_id=message.run_id, now=now),
    Topic.START_CHILD: lambda message, now: give_up_child(message=message, now=now),
    Topic.CHILD_ENDED: lambda message, now: give_up_run(run_id=str(message.run.parent_run_id), now=now),
    Topic.CANCEL_CHILDREN: lambda message, now: None,
}


def relay_outbox(*, now: datetime, limit: int = 100) -> int:
    """Deliver due messages and return how many were delivered. One that fails is tried again later."""
    messages = outbox.claim(now=now, limit=limit, lease=LEASE)
    return sum(_deliver(message, now) for message in messages)


def _deliver(message: OutboxMessage, now: datetime) -> bool:
    try:
        _HANDLERS[Topic(message.topic)](message, now)
    except Exception as error:
        # Whatever went wrong, the message must come back or be reported dead; the others go on.
        logger.exception("outbox message failed id=%s topic=%s run=%s", message.pk, message.topic, message.run_id)
        if outbox.failed(message, reason=repr(error), now=now):
            _give_up(message, now)
        return False
    outbox.delivered(message, now=now)
    return True


def _give_up(message: OutboxMessage, now: datetime) -> None:
    try:
        _LAST_RESORTS[Topic(message.topic)](message, now)
    except Exception:
        # What kept the run from going on may keep it from being ended; the messages behind it must not wait for that.
        logger.exception("run could not be ended run=%s", message.run_id)
