"""What people are told of gates, and when: the only writer of Notice.

A notice is written in the transaction that opens its gate, so nobody is asked by mail what was not asked. It says
nothing yet of who is told: that is found out when it is due.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from approvals import mails, recipients
from approvals.models import Mail, Notice, Occasion
from approvals.policy import escalates, refs_to_tell
from interrupts.kinds.base import OpenInterrupt
from interrupts.vocabulary import InterruptKind

logger = logging.getLogger(__name__)

REMIND_AT: Final = 0.8
# Who has less time than this is asked once.
LONG_ENOUGH_FOR_A_REMINDER: Final = timedelta(hours=1)
RETENTION: Final = timedelta(days=30)
# The timer that ends a gate may come a moment after its deadline.
_LOOK_AGAIN_AFTER: Final = timedelta(seconds=5)
_RETRY_AFTER: Final = timedelta(seconds=30)


def announce(interrupt: OpenInterrupt) -> None:
    """Have people told of an approval that opens: now, before its deadline, and when that has passed.

    Only of one that says whom: an open gate, like every other kind, would ask everybody in the tenant.
    """
    if interrupt.kind is not InterruptKind.APPROVAL or not refs_to_tell(interrupt.data):
        return
    Notice.objects.bulk_create(
        Notice(suspension_id=interrupt.id, occasion=str(occasion), due_at=due_at)
        for occasion, due_at in _occasions(interrupt)
    )


def _occasions(interrupt: OpenInterrupt) -> Iterator[tuple[Occasion, datetime]]:
    yield Occasion.ASKED, interrupt.opened_at
    if interrupt.deadline is None:
        return
    time = interrupt.deadline - interrupt.opened_at
    if time >= LONG_ENOUGH_FOR_A_REMINDER:
        yield Occasion.REMINDER, interrupt.opened_at + time * REMIND_AT
    if escalates(interrupt.data):
        yield Occasion.TIMED_OUT, interrupt.deadline


def spread_next(*, now: datetime) -> bool:
    """Turn the notice that is due longest into one mail a person. Returns False when nothing is due."""
    with transaction.atomic():
        notice = _next_due(now)
        if notice is None:
            return False
        try:
            with transaction.atomic():
                _spread(notice, now)
        except Exception:
            # Whatever is wrong with this one, the others must not wait for it.
            logger.exception("notice failed notice=%s interrupt=%s", notice.pk, notice.suspension_id)
            _postpone(notice, until=now + _RETRY_AFTER)
    return True


def _next_due(now: datetime) -> Notice | None:
    due = Notice.objects.filter(spread_at=None, due_at__lte=now)
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True, of=("self",))
    return due.select_related("suspension").order_by("due_at").first()


def _spread(notice: Notice, now: datetime) -> None:
    gate = notice.suspension
    if notice.occasion == Occasion.TIMED_OUT and gate.outcome is None:
        _postpone(notice, until=now + _LOOK_AGAIN_AFTER)
        return
    count = 0
    if recipients.is_wanted(notice, now=now):
        count = mails.address(notice, recipients.people_to_tell(gate), now=now)
    Notice.objects.filter(pk=notice.pk).update(spread_at=now)
    logger.info("notice spread interrupt=%s occasion=%s mails=%s", gate.pk, notice.occasion, count)


def _postpone(notice: Notice, *, until: datetime) -> None:
    Notice.objects.filter(pk=notice.pk).update(due_at=until)


def purge(*, now: datetime) -> int:
    """Delete notices past their retention whose mails have all ended, with those mails, and return how many."""
    unsent = Mail.objects.filter(notice=OuterRef("pk"), outcome=None)
    _, deleted = Notice.objects.filter(~Exists(unsent), spread_at__lt=now - RETENTION).delete()
    return deleted.get("approvals.Notice", 0)
