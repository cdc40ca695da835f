"""Sending what is due: the mail server is never waited for inside a transaction, nor with a connection in hand.

A mail goes out at least once. Should it go twice, because a worker died before it could say so, both have the same
Message-ID.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from typing import Final

from django.utils.translation import gettext as _

from approvals import mails, notices, recipients
from approvals.inbox.presenters.text import one_line
from approvals.mailing.letters import letter
from approvals.models import MailAttempt
from interrupts.errors import AlreadyResolved
from interrupts.services.courier import Clock, backoff, release_connection

logger = logging.getLogger(__name__)

FIRST_WAIT: Final = timedelta(seconds=30)
# A mail server that dislikes a mail may quote it.
_TOKEN: Final = re.compile(r"ow2\.\S+")


def send_next(*, clock: Clock, claimed: Callable[[], None] = lambda: None) -> bool:
    """Spread the notice that is due longest, else make one attempt at a mail. Returns False when nothing is due.

    ``claimed`` is called when something is, before a mail is sent.
    """
    if notices.spread_next(now=clock()):
        claimed()
        return True
    attempt = mails.claim(now=clock())
    if attempt is not None:
        claimed()
        _attempt(attempt, clock)
    release_connection()
    return attempt is not None


def _attempt(attempt: MailAttempt, clock: Clock) -> None:
    try:
        reason = recipients.why_not(attempt.mail, now=clock())
        if reason:
            mails.dropped(attempt, reason=reason, now=clock())
            return
        message = letter(attempt.mail, now=clock())
        release_connection()
        message.send()
    except AlreadyResolved as error:
        mails.dropped(attempt, reason=error.message, now=clock())
    except (SMTPException, OSError) as error:
        _failed(attempt, _trouble(error), clock)
    except Exception as error:
        # Whatever is wrong with this one, it must come back or be reported dead; the others go on.
        logger.exception("mail could not be made mail=%s", attempt.mail_id)
        _failed(attempt, _("The mail could not be made: %(error)s") % {"error": type(error).__name__}, clock)
    else:
        mails.sent(attempt, now=clock())
        logger.info("mail sent mail=%s attempt=%s", attempt.mail_id, attempt.number)


def _failed(attempt: MailAttempt, reason: str, clock: Clock) -> None:
    wait = backoff(attempt.number - attempt.mail.attempts_before, first=FIRST_WAIT)
    is_dead = mails.failed(attempt, reason=reason, wait=wait, now=clock())
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
