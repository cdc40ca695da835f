"""A post office for tests: people with addresses, a clock in the test's hands, and what was written to whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.core import mail as box

from approvals import notices
from approvals.mailing.sending import take_due
from approvals.models import Mail
from interrupts.actor import Actor
from tests.errands import make_next
from tests.factories import NOW, actor, one_gate, start_flow

_TOKEN = re.compile(r"/interrupts/(ow2\.[\w.-]+)")


def with_address(username: str, **person: Any) -> Actor:
    """Somebody in the tenant who can be written to."""
    found = actor(username, **person)
    User.objects.filter(username=username).update(email=f"{username}@example.org")
    return found


@dataclass
class Post:
    """All that is due is sent when asked for; the clock stands still until it is set."""

    now: datetime = NOW

    def send_all(self) -> list[str]:
        """Send what is due; to whom, by name."""
        before = len(box.outbox)
        while make_next(partial(take_due, clock=lambda: self.now)):
            pass
        return sorted(message.to[0].partition("@")[0] for message in box.outbox[before:])

    @property
    def last(self) -> EmailMessage:
        """The last mail, as it would travel."""
        return as_sent(box.outbox[-1])


def as_sent(message: Any) -> EmailMessage:
    raw = message.message().as_bytes()
    return BytesParser(policy=default).parsebytes(raw)


def text_of(message: EmailMessage) -> str:
    return _part(message, "plain")


def html_of(message: EmailMessage) -> str:
    return _part(message, "html")


def _part(message: EmailMessage, sort: str) -> str:
    part = message.get_body((sort,))
    assert part is not None
    # Times keep their number and unit together.
    return str(part.get_content()).replace("\xa0", " ")


def subject_of(message: EmailMessage) -> str:
    """The subject as it is shown: an encoded one begins on a line of its own."""
    return str(message["Subject"]).lstrip(" ")


def token_in(message: EmailMessage) -> str:
    """The one token of a mail: both forms have the same."""
    (token,) = {str(found) for body in (text_of(message), html_of(message)) for found in _TOKEN.findall(body)}
    return token


def outcomes() -> list[tuple[str, str | None]]:
    """Who was to be written to, and what came of it."""
    found = Mail.objects.order_by("membership__user__username", "id")
    return list(found.values_list("membership__user__username", "outcome"))


def spread(**gate: Any) -> str:
    """A gate whose mails to ann and ben are written and not sent."""
    for name in ("ann", "ben"):
        with_address(name, groups=["legal"])
    run_id = start_flow(one_gate(**{"approverGroupRefs": ["legal"], "requiredApprovals": 2, **gate}))
    assert notices.spread_next(now=NOW)
    assert outcomes() == [("ann", None), ("ben", None)]
    return run_id
