"""A link that takes no answer: what happened, and what to do now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from approvals import selectors
from approvals.inbox.presenters import words
from approvals.inbox.presenters.given import did_with, outcome_of
from approvals.inbox.presenters.text import one_line
from approvals.inbox.presenters.times import moment
from approvals.inbox.presenters.words import State
from interrupts.actor import Actor
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind, SuspensionOutcome


@dataclass(frozen=True, slots=True)
class Closed:
    """One page. ``question`` is the title of what was asked; the two flags say which ways on the page offers."""

    status: int
    title: str
    text: str
    todo: str
    question: str = ""
    state: State | None = None
    open_again: bool = False
    sign_in: bool = False


def not_valid() -> Closed:
    return Closed(
        404,
        _("This link does not work"),
        _("It was not made here, or it was changed or cut off on its way. Some programs break long links."),
        _("Copy the whole link into the address bar. If it still does not work, ask whoever sent it for a new one."),
    )


def expired(at: datetime, *, now: datetime) -> Closed:
    text = _("It could be used until %(when)s. A link ends after half an hour, or when the time to answer is up.")
    todo = _("If the question is still open, ask whoever sent the link for a new one, or sign in and answer it there.")
    when = moment(at, now=now).text
    return Closed(410, _("This link has expired"), text % {"when": when}, todo, sign_in=True)


def left() -> Closed:
    return Closed(
        403,
        _("This link can no longer be used"),
        _("The person it was made for is no longer active here."),
        _("Nothing was decided. If you should answer, ask whoever sent it for a link of your own."),
    )


def ended(suspension: Suspension, *, actor: Actor, now: datetime) -> Closed:
    """Say how the question ended."""
    when = moment(suspension.resolved_at or now, now=now).text
    question, state = one_line(suspension.title), words.ending(suspension)
    nothing = _("There is nothing left for you to do. You can close this page.")
    match suspension.outcome:
        case SuspensionOutcome.CANCELLED:
            text = _("The run was stopped on %(when)s. Nobody has to answer this any more.") % {"when": when}
            return Closed(409, _("This is no longer asked"), text, nothing, question, state)
        case SuspensionOutcome.TIMED_OUT:
            text = _("Nobody decided in time, so it was rejected on %(when)s.")
            if suspension.kind != InterruptKind.APPROVAL:
                text = _("Nobody answered in time, so it was closed on %(when)s.")
            text %= {"when": when}
            return Closed(409, _("The time was up"), text, nothing, question, state)
        case _:
            title, text = _answer_given(suspension, actor, when)
            return Closed(409, title, text, nothing, question, state)


def _answer_given(suspension: Suspension, actor: Actor, when: str) -> tuple[str, str]:
    """Return the heading and the sentence. A link that names nobody cannot tell whether its holder was the one."""
    decider = words.decider_of(suspension.resolution)
    did = did_with(words.done(str((suspension.resolution or {}).get("action", ""))), outcome_of(suspension))
    if decider == actor.subject_id and actor.user_id is not None:
        text = _("You %(did)s on %(when)s, and that decided it.")
        return _("You have already answered this"), text % {"did": did, "when": when}
    if not decider:
        outcome = outcome_of(suspension)
        text = _("It was answered on %(when)s with “%(outcome)s”.") if outcome else _("It was answered on %(when)s.")
        return _("This is already answered"), text % {"when": when, "outcome": outcome}
    names = selectors.names_of(tenant_id=actor.tenant_id, subject_ids=[decider])
    name = words.person(decider, names)
    text = _("%(name)s %(did)s on %(when)s, and that decided it.")
    return _("This is already answered"), text % {"name": name, "did": did, "when": when}
