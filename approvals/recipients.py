"""Whom a notice of a gate goes to, and whether it still should."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Q
from django.utils.translation import gettext as _

from approvals import eligibility, selectors
from approvals.models import Mail, Notice, Occasion, Vote
from approvals.policy import audience_refs, refs_to_tell
from interrupts.contracts.types import JsonObject
from interrupts.errors import Forbidden
from interrupts.models import Membership, Suspension
from interrupts.services import identity
from interrupts.vocabulary import SuspensionOutcome


def people_to_tell(suspension: Suspension) -> list[Membership]:
    """Return the active people with an address whom the gate wants told, by user name."""
    named = refs_to_tell(_data(suspension))
    people = selectors.people_behind(((str(kind), ref) for kind, ref in named), tenant_id=suspension.tenant_id)
    return list(people.exclude(user__email="").order_by("user__username"))


def is_wanted(notice: Notice, *, now: datetime) -> bool:
    """Return whether there is still something to tell: the gate can be answered, or it has timed out."""
    gate = notice.suspension
    if notice.occasion == Occasion.TIMED_OUT:
        return gate.outcome == SuspensionOutcome.TIMED_OUT
    return gate.outcome is None and (gate.deadline is None or gate.deadline > now)


def why_not(mail: Mail, *, now: datetime) -> str:
    """Return why a mail must not be sent (any more), in words; nothing when it must.

    People are judged as they are now: by the rule that will judge their answer, not by a rule of our own.
    """
    person = mail.membership
    if not is_wanted(mail.notice, now=now):
        return _("The gate was decided, cancelled or timed out before this could be sent.")
    if not (person.is_active and person.user.is_active):
        return _("This person is no longer active.")
    if not _is_address(person.user.email):
        return _("This person has no mail address that can be used.")
    if mail.notice.occasion == Occasion.TIMED_OUT:
        return _why_not_told_of_the_end(mail)
    return _why_not_asked(mail)


def _why_not_told_of_the_end(mail: Mail) -> str:
    """An audience may hear of the end of a gate that it could not answer: there is nothing left to answer."""
    gate = mail.notice.suspension
    if audience_refs(_data(gate)) or _right(gate, mail.membership) is not None:
        return ""
    return _("This person may not answer the gate.")


def _why_not_asked(mail: Mail) -> str:
    gate, person = mail.notice.suspension, mail.membership
    right = _right(gate, person)
    if right is None:
        return _("This person may not answer the gate.")
    votes = Vote.objects.filter(suspension=gate)
    if votes.filter(Q(actor=person.subject_id) | Q(voter__in=[person.subject_id, right.voter])).exists():
        return _("This person has answered, or somebody has for them.")
    return ""


def _right(gate: Suspension, person: Membership) -> eligibility.Right | None:
    try:
        return eligibility.decide(interrupt_id=gate.pk, actor=identity.approver_actor(person))
    except Forbidden:
        return None


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def _data(suspension: Suspension) -> JsonObject:
    return cast("JsonObject", suspension.payload["data"])
