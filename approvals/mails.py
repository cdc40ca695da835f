"""Mails to single people: the only writer of Mail and MailAttempt. At least once, each on its own.

Nothing here touches a mail server, and nothing of a mail's text is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from approvals.models import Mail, MailAttempt, MailOutcome, Notice
from interrupts.models import Membership

MAX_ATTEMPTS: Final = 8
# More than a mail server may take for all its steps: whoever is written to twice is annoyed, and mail has time.
LEASE: Final = timedelta(minutes=5)
_CUT_OFF = "The worker ended before the mail server had answered."


def address(notice: Notice, people: Iterable[Membership], *, now: datetime) -> int:
    """Write one mail for each of the people, to be sent at once, and return how many."""
    mails = [Mail(notice=notice, membership=person, due_at=now, created_at=now) for person in people]
    return len(Mail.objects.bulk_create(mails))


def claim(*, now: datetime, limit: int) -> list[MailAttempt]:
    """Start attempts at up to ``limit`` of the mails that are due, the one due longest first.

    They are ours for ``LEASE``: a worker that dies holding them delays them by that much. What a worker died of at its
    last attempt is ended on the way.
    """
    started: list[MailAttempt] = []
    with transaction.atomic():
        while batch := _next_due(now, limit=limit - len(started)):
            for mail in batch:
                if mail.attempts_made < _last_attempt(mail):
                    started.append(_start(mail, now))
                else:
                    _end(mail.pk, MailOutcome.DEAD, now=now, last_error=_CUT_OFF)
    return started


def sent(attempt: MailAttempt, *, now: datetime) -> None:
    """Record that the mail server took it."""
    _finish(attempt, MailOutcome.SENT, error="", now=now)


def dropped(attempt: MailAttempt, *, reason: str, now: datetime) -> None:
    """Record that it was not sent, because this person need not be told any more."""
    _finish(attempt, MailOutcome.DROPPED, error=reason, now=now)


def failed(attempt: MailAttempt, *, reason: str, wait: timedelta, now: datetime) -> bool:
    """Record a failed attempt and let the next one come after ``wait``. Returns whether that was the last.

    An attempt that outlived its lease says nothing about the mail any more: a later one does.
    """
    if attempt.number >= _last_attempt(attempt.mail):
        _finish(attempt, MailOutcome.DEAD, error=reason, now=now)
        return True
    with transaction.atomic():
        MailAttempt.objects.filter(pk=attempt.pk).update(ended_at=now, error=reason)
        current = _waiting().filter(pk=attempt.mail_id, attempts_made=attempt.number)
        current.update(due_at=now + wait, leased_until=None, last_error=reason)
    return False


def send_again(mail_ids: Iterable[int], *, now: datetime) -> int:
    """Let mails be attempted anew, with all attempts before them, and return how many. One under way is left alone.

    Each keeps its Message-ID. One whose gate is decided is dropped again.
    """
    idle = Q(leased_until=None) | Q(leased_until__lte=now)
    chosen = Mail.objects.filter(idle, pk__in=list(mail_ids))
    return chosen.update(outcome=None, ended_at=None, due_at=now, leased_until=None, attempts_before=F("attempts_made"))


def _next_due(now: datetime, *, limit: int) -> list[Mail]:
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    due = _waiting().filter(free, due_at__lte=now)
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True, of=("self",))
    beside = ("notice__suspension__run__workflow", "notice__suspension__tenant", "membership__user")
    return list(due.select_related(*beside).order_by("due_at", "id")[:limit])


def _last_attempt(mail: Mail) -> int:
    return mail.attempts_before + MAX_ATTEMPTS


def _start(mail: Mail, now: datetime) -> MailAttempt:
    mail.attempts_made += 1
    mail.leased_until = now + LEASE
    mail.save(update_fields=["attempts_made", "leased_until"])
    return MailAttempt.objects.create(mail=mail, number=mail.attempts_made, started_at=now)


def _finish(attempt: MailAttempt, outcome: MailOutcome, *, error: str, now: datetime) -> None:
    with transaction.atomic():
        MailAttempt.objects.filter(pk=attempt.pk).update(ended_at=now, error=error)
        _end(attempt.mail_id, outcome, now=now, last_error=error)


def _end(mail_id: int, outcome: MailOutcome, *, now: datetime, last_error: str) -> None:
    """End a mail that has not ended. Of two attempts that come through at once the first one counts."""
    _waiting().filter(pk=mail_id).update(outcome=str(outcome), ended_at=now, leased_until=None, last_error=last_error)


def _waiting() -> QuerySet[Mail]:
    return Mail.objects.filter(outcome=None)
