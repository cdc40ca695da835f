"""What the reader's latest answer led to, as the record tells it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import selectors
from approvals.eligibility import rights_held
from approvals.inbox.links import interrupt_url, run_url
from approvals.inbox.presenters import words
from approvals.inbox.presenters.given import did_with, outcome_of
from approvals.inbox.presenters.rows import Reader, Row, ballots, present_rows
from approvals.inbox.presenters.text import one_line
from approvals.inbox.presenters.words import State
from approvals.policy import read_policy
from approvals.quorum import tally
from approvals.selectors import CastVote
from interrupts.actor import Actor
from interrupts.models import Suspension
from interrupts.vocabulary import Action, RunStatus


@dataclass(frozen=True, slots=True)
class AnsweredPage:
    """``did`` is what the reader did, ``then`` what it led to, ``upcoming`` the next thing that waits for them."""

    did: str
    title: str
    then: tuple[str, ...]
    state: State | None
    url: str
    run_url: str
    upcoming: Row | None


def present_answered(suspension: Suspension, *, actor: Actor, now: datetime) -> AnsweredPage | None:
    """Return the page of an approval; None when the reader has not answered it."""
    votes = selectors.votes_at([suspension.pk]).get(suspension.pk, [])
    action = _latest(suspension, votes, actor)
    if not action:
        return None
    return AnsweredPage(
        did=words.done(action),
        title=one_line(suspension.title),
        then=tuple(_then(suspension, votes, action)),
        state=words.ending(suspension) if suspension.outcome else None,
        url=interrupt_url(suspension),
        run_url=run_url(suspension.run_id),
        upcoming=_upcoming(suspension, actor, now),
    )


def present_reply(suspension: Suspension) -> AnsweredPage:
    """Return the page of every other kind, for who has just answered it."""
    return AnsweredPage(
        did=did_with(words.done(""), outcome_of(suspension)),
        title=one_line(suspension.title),
        then=tuple(_then(suspension, [], "")),
        state=words.ending(suspension),
        url=interrupt_url(suspension),
        run_url=run_url(suspension.run_id),
        upcoming=None,
    )


def _latest(suspension: Suspension, votes: list[CastVote], actor: Actor) -> str:
    said = [
        (cast_vote.vote.cast_at, cast_vote.vote.action)
        for cast_vote in votes
        if cast_vote.vote.actor == actor.subject_id
    ]
    questions = selectors.questions_at(suspension.pk)
    said += [(q.asked_at, str(Action.ASK)) for q in questions if q.actor == actor.subject_id]
    return max(said)[1] if said else ""


def _then(suspension: Suspension, votes: list[CastVote], action: str) -> list[str]:
    if suspension.outcome is None:
        return _while_open(suspension, votes, action)
    status = suspension.run.status
    sentences = {
        RunStatus.COMPLETED: _("The run is complete."),
        RunStatus.FAILED: _("The run has ended as failed."),
        RunStatus.CANCELLED: _("The run was cancelled."),
        RunStatus.RUNNING: _("The run goes on."),
    }
    return [sentences.get(RunStatus(status), _("The run goes on, and now waits for another answer."))]


def _while_open(suspension: Suspension, votes: list[CastVote], action: str) -> list[str]:
    policy = read_policy(suspension.payload["data"])
    count = tally(policy, ballots(votes))
    if action == Action.REJECT:
        return [_rejections(count.rejects, policy.rejections_to_stop)]
    missing = _missing(policy.required_approvals - count.accepts)
    if action == Action.ASK:
        seen = _("Everyone in %(tenant)s who opens this item sees your question there. Nobody is sent it.")
        return [seen % {"tenant": suspension.tenant}, missing]
    return [missing]


def _rejections(count: int, needed: int) -> str:
    missing = needed - count
    text = ngettext(
        "%(rejections)s; one more stops it. You can change your vote until then.",
        "%(rejections)s; %(missing)d more stop it. You can change your vote until then.",
        missing,
    )
    return text % {"rejections": words.rejections_of(count, needed), "missing": missing}


def _missing(missing: int) -> str:
    return ngettext(
        "It stays open: %(count)d more approval is needed.",
        "It stays open: %(count)d more approvals are needed.",
        missing,
    ) % {"count": missing}


def _upcoming(suspension: Suspension, actor: Actor, now: datetime) -> Row | None:
    """Return what comes next, and never the one just answered: whoever asked a question waits for an answer."""
    reader = Reader(actor, rights_held(actor=actor), now)
    rows = selectors.waiting_for(actor=actor, held=reader.held, now=now).exclude(pk=suspension.pk)
    return next(iter(present_rows(selectors.open_page(rows, after=None, limit=1), reader=reader)), None)
