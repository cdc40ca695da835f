"""From a pressed button to one call of ``resolve_interrupt``, and from its refusals to pages in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.utils.translation import gettext as _

from approvals import selectors
from approvals.inbox.drafts import Typed
from approvals.inbox.links import interrupt_url, opaque_part
from approvals.inbox.presenters import words
from approvals.inbox.presenters.times import moment
from interrupts.actor import Actor
from interrupts.contracts.types import JsonValue
from interrupts.errors import AlreadyResolved, Forbidden, NotFound, ValidationFailed, WopError
from interrupts.models import Suspension
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.vocabulary import InterruptKind, SuspensionOutcome


class Form(Protocol):
    """What both forms of the inbox, for approvals and for all other kinds, offer here."""

    @property
    def is_for_what_is_shown(self) -> bool: ...

    def is_valid(self) -> bool: ...

    def resume_value(self) -> JsonValue: ...

    def refuse(self, error: ValidationFailed) -> None: ...

    def typed(self) -> list[Typed]: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer was taken."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer was not taken: the page's status, its heading, and what happened in words.

    ``link`` and ``link_text`` lead on from there.
    """

    status: int
    title: str
    text: str
    link: str
    link_text: str

    @property
    def is_invalid(self) -> bool:
        """Whether the form itself shows what is wrong."""
        return self.status == 422


def submit(suspension: Suspension, form: Form, *, actor: Actor, now: datetime) -> Answered | Refusal:
    """Give the answer of a signed-in person's form to the one use case that decides."""

    def give(answer: ResumeValue) -> object:
        request = ResolveRequest(
            actor=actor,
            run_id=suspension.run_id,
            node_id=suspension.node_id,
            answer=answer,
            interrupt_id=suspension.pk,
        )
        return resolve_interrupt(request=request, now=now)

    return give_answer(suspension, form, give, actor=actor, now=now)


def give_answer(
    suspension: Suspension, form: Form, give: Callable[[ResumeValue], object], *, actor: Actor, now: datetime
) -> Answered | Refusal:
    """Give the answer of a form to ``give``, exactly once.

    An answer to a page that showed another question decides nothing. What is invalid is added to the form's errors.
    """
    if not form.is_for_what_is_shown:
        return _changed(suspension)
    if not form.is_valid():
        return _invalid(suspension)
    try:
        give(ResumeValue(form.resume_value()))
    except (Forbidden, AlreadyResolved, NotFound, ValidationFailed) as error:
        return _refusal(error, suspension, form, actor, now)
    return Answered()


def _refusal(error: WopError, suspension: Suspension, form: Form, actor: Actor, now: datetime) -> Refusal:
    match error:
        case ValidationFailed():
            form.refuse(error)
            return _invalid(suspension)
        case Forbidden():
            title = _("You may not answer this")
            return _refused(403, title, _("Nothing was decided. %(reason)s") % {"reason": error.message}, suspension)
        case _:
            return _too_late(suspension, actor, now)


def _too_late(suspension: Suspension, actor: Actor, now: datetime) -> Refusal:
    """Say what happened meanwhile, read again from the record."""
    current = selectors.interrupt_of(tenant_ids=[actor.tenant_id], opaque=opaque_part(suspension.pk)) or suspension
    again = selectors.asked_again(current)
    if again is not None:
        return _changed(again)
    when = moment(current.resolved_at or now, now=now).text
    if current.outcome == SuspensionOutcome.TIMED_OUT:
        text = _("Nobody decided in time, so it was rejected on %(when)s. Your answer was not counted.")
        if current.kind != InterruptKind.APPROVAL:
            text = _("Nobody answered in time, so it was closed on %(when)s. Your answer was not counted.")
        return _refused(410, _("The time was up"), text % {"when": when}, current)
    if current.outcome == SuspensionOutcome.CANCELLED:
        text = _(
            "The run was stopped on %(when)s. Nobody has to answer this any more, and your answer was not counted."
        )
        return _refused(409, _("This is no longer asked"), text % {"when": when}, current)
    return _already_decided(current, actor, when)


def _already_decided(suspension: Suspension, actor: Actor, when: str) -> Refusal:
    decider = words.decider_of(suspension.resolution)
    did = words.done(str((suspension.resolution or {}).get("action", "")))
    if decider == actor.subject_id:
        text = _("You %(did)s on %(when)s, and that decided it. This answer changed nothing.")
        return _refused(409, _("You have already answered this"), text % {"did": did, "when": when}, suspension)
    names = selectors.names_of(tenant_id=actor.tenant_id, subject_ids=[decider])
    name = words.person(decider, names) or _("Somebody")
    text = _("%(name)s %(did)s on %(when)s, and that decided it. Your answer was not counted.")
    return _refused(409, _("Someone was faster"), text % {"name": name, "did": did, "when": when}, suspension)


def _changed(suspension: Suspension) -> Refusal:
    text = _("What you saw is not what is asked now. Nothing was decided. Look at it again before you answer.")
    title = _("The question has changed")
    return Refusal(409, title, text, interrupt_url(suspension), _("See what is asked now"))


def _invalid(suspension: Suspension) -> Refusal:
    return _refused(422, "", "", suspension)


def _refused(status: int, title: str, text: str, suspension: Suspension) -> Refusal:
    return Refusal(status, title, text, interrupt_url(suspension), _("See how it stands"))
