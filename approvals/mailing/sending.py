"""Sending what is due: the mail server is never waited for inside a transaction, nor with a connection in hand.

A mail goes out at least once. Should it go twice, because a worker died before it could say so, both have the same
Message-ID.
"""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from functools import partial
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Final

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from approvals import mails, notices, recipients
from approvals.inbox.presenters.text import one_line
from approvals.mailing.letters import letter
from approvals.models import MailAttempt
from interrupts.errors import AlreadyResolved
from interrupts.services.courier import Clock, Errand, Record, backoff, nothing, settled

logger = logging.getLogger(__name__)

FIRST_WAIT: Final = timedelta(seconds=30)
# A mail server that dislikes a mail may quote it.
_TOKEN: Final = re.compile(r"ow2\.\S+")


def take_due(limit: int, *, clock: Clock) -> list[Errand]:
    """Spread notices and start attempts at mails that are due, up to ``limit`` in all; return the errand of each."""
    spread = 0
    while spread < limit and notices.spread_next(now=clock()):
        spread += 1
    attempts = mails.claim(now=clock(), limit=limit - spread)
    return [settled(nothing)] * spread + [_errand(attempt, clock) for attempt in attempts]


def _errand(attempt: MailAttempt, clock: Clock) -> Errand:
    try:
        reason = recipients.why_not(attempt.mail, now=clock())
        if reason:
            return settled(partial(mails.dropped, attempt, reason=reason, now=clock()))
        return partial(_send, attempt, letter(attempt.mail, now=clock()), clock)
    except AlreadyResolved as error:
        return settled(partial(mails.dropped, attempt, reason=error.message, now=clock()))
    except Exception as error:
        # Whatever is wrong with this one, it must come back or be reported dead; the others go on.
        logger.exception("mail could not be made mail=%s", attempt.mail_id)
        return settled(partial(_failed, attempt, _unmade(error), clock()))


def _send(attempt: MailAttempt, message: EmailMessage, clock: Clock) -> Record:
    try:
        message.send()
    except (SMTPException, OSError) as error:
        return partial(_failed, attempt, _trouble(error), clock())
    except Exception as error:
        logger.exception("mail could not be sent mail=%s", attempt.mail_id)
        return partial(_failed, attempt, _unmade(error), clock())
    return partial(_sent, attempt, clock())


def _sent(attempt: MailAttempt, now: datetime) -> None:
    mails.sent(attempt, now=now)
    logger.info("mail sent mail=%s attempt=%s", attempt.mail_id, attempt.number)


def _unmade(error: Exception) -> str:
    return _("The mail could not be made: %(error)s") % {"error": type(error).__name__}


def _failed(attempt: MailAttempt, reason: str, now: datetime) -> None:
    wait = backoff(attempt.number - attempt.mail.attempts_before, first=FIRST_WAIT)
    is_dead = mails.failed(attempt, reason=reason, wait=wait, now=now)
    logger.warning("mail failed mail=%s attempt=%s dead=%s", attempt.mail_id, attempt.number, is_dead)


def _trouble(error: OSError) -> str:
    """Return what went wrong, in words for an operator, on one line and without anything of the link."""
    match error:
        case SMTPRecipientsRefused(recipients=refused):
            code, answer = next(iter(refused.values()))
        case SMTPResponseException(smtp_code=code, smtp_error=answer):
            pass
        case SMTPException():
            return _("The mail server did not keep to the protocol: %(error)s") % {"error": _plain(str(error))}
        case _:
            why = error.strerror or str(error) or type(error).__name__
            return _("The mail server could not be reached: %(error)s") % {"error": _plain(why)}
    text = _plain(answer.decode("utf-8", "replace"))
    return _("The mail server answered %(code)s: %(text)s") % {"code": code, "text": text}


def _plain(text: str) -> str:
    return one_line(_TOKEN.sub("…", text), limit=300)
