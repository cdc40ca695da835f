"""What a mail says: as plain text and as HTML, for one person, with a link of their own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr
from typing import Any, Final, cast

from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from approvals.inbox.links import interrupt_url
from approvals.inbox.presenters.decision import Decision, present_decision
from approvals.inbox.presenters.text import one_line, visible
from approvals.inbox.presenters.times import Moment, moment
from approvals.models import Mail, Occasion
from interrupts import conf
from interrupts.contracts.types import JsonObject
from interrupts.models import Suspension
from interrupts.services import identity
from interrupts.services.links import mint_mail_link
from interrupts.surfaces.addresses import link_url, page_url

# A subject that is shown whole nearly everywhere, and as much of a description as tells what it is about.
SUBJECT_LIMIT: Final = 120
DESCRIPTION_LIMIT: Final = 600


@dataclass(frozen=True, slots=True)
class PersonalLink:
    """A link with which one person answers, and when it ends."""

    url: str
    ends: Moment


def letter(mail: Mail, *, now: datetime) -> EmailMultiAlternatives:
    """Return the message, ready to be sent. Its link is minted here, and kept nowhere else.

    Raises AlreadyResolved when the deadline has passed.
    """
    occasion, gate = Occasion(mail.notice.occasion), mail.notice.suspension
    decision = present_decision(gate, actor=identity.approver_actor(mail.membership), now=now)
    context: dict[str, Any] = {
        "decision": decision,
        "is_reminder": occasion is Occasion.REMINDER,
        "title": one_line(gate.title),
        "tenant": one_line(str(gate.tenant)),
        "description": _description(gate),
        "named": decision.named[:5],
        "page_url": page_url(interrupt_url(gate)),
        "link": None if occasion is Occasion.TIMED_OUT else _personal_link(mail, now),
        "subject": _subject(occasion, decision),
    }
    name = "timed_out" if occasion is Occasion.TIMED_OUT else "asked"
    message = EmailMultiAlternatives(
        subject=context["subject"],
        body=render_to_string(f"mail/{name}.txt", context),
        from_email=conf.mail().sender,
        to=[mail.membership.user.email],
        headers={"Message-ID": message_id(mail), "Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string(f"mail/{name}.html", context), "text/html")
    return message


def message_id(mail: Mail) -> str:
    """Return the Message-ID: the same for every attempt, so that a second copy is known for one."""
    what = f"{mail.notice.suspension_id}\n{mail.notice.occasion}\n{mail.membership.subject_id}"
    host = parseaddr(conf.mail().sender)[1].rpartition("@")[2]
    return f"<{hashlib.sha256(what.encode()).hexdigest()[:40]}@{host}>"


def _subject(occasion: Occasion, decision: Decision) -> str:
    match occasion:
        case Occasion.ASKED:
            begin = _("Approval needed")
        case Occasion.REMINDER:
            begin = _("Reminder: approval needed")
        case Occasion.TIMED_OUT:
            begin = _("Timed out and rejected")
    return one_line(f"{begin}: {decision.title}", limit=SUBJECT_LIMIT)


def _description(gate: Suspension) -> list[str]:
    """Return the beginning of the description as lines to be quoted: what is said there is not said by us."""
    text = visible(str(cast("JsonObject", gate.payload["data"]).get("description") or "")).strip()
    if len(text) > DESCRIPTION_LIMIT:
        text = f"{text[:DESCRIPTION_LIMIT].rstrip()}…"
    return [line.rstrip() for line in text.splitlines()]


def _personal_link(mail: Mail, now: datetime) -> PersonalLink:
    made = mint_mail_link(
        suspension=mail.notice.suspension,
        approver=mail.membership.subject_id,
        lifetime=conf.mail().link_lifetime,
        now=now,
    )
    return PersonalLink(link_url(made.token), moment(made.expires_at, now=now))
