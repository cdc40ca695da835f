"""The page of every kind of interrupt but an approval, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.utils.translation import gettext as _

from approvals import selectors
from approvals.inbox.links import run_url
from approvals.inbox.presenters import words
from approvals.inbox.presenters.artifact import Artifact, present_artifact, present_text, to_source
from approvals.inbox.presenters.given import Given, outcome_of, present_given
from approvals.inbox.presenters.outlook import outcome_outlook
from approvals.inbox.presenters.text import one_line, visible
from approvals.inbox.presenters.times import Due, Moment, due, moment
from approvals.inbox.presenters.words import State
from approvals.inbox.renderers import Drawing, drawing_of
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind, Scope, SuspensionOutcome


@dataclass(frozen=True, slots=True)
class Answer:
    """How a question ended: the state, who answered, with which outcome, when, and what, in parts and as it came."""

    state: State
    is_answered: bool
    by: str
    is_mine: bool
    at: Moment
    outcome: str
    given: tuple[Given, ...]
    source: str


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """All that the page shows. ``cannot`` says why the reader may not answer, and is empty when they may.

    ``offered`` is what there was to choose from, once it is no longer in the form; ``leads`` tells where
    each outcome leads to.
    ``connect_url`` leads to the provider of the account that is asked for; it is there for the owner of the run alone.
    """

    title: str
    kind: str
    workflow: str
    started_by: str
    run_url: str
    opened: Moment
    report: Artifact | None
    asked: Artifact | None
    offered: tuple[tuple[str, Artifact | None], ...]
    due: Due | None
    cannot: str
    ended: Answer | None
    connect_url: str
    leads: tuple[str, ...]
    # Whoever may answer in the tenant may answer this; no question names anybody.
    named: tuple[str, ...] = ()

    @property
    def can_answer(self) -> bool:
        return not self.cannot and self.ended is None


def present_question(suspension: Suspension, *, actor: Actor, now: datetime) -> QuestionPage:
    """Return the page of one interrupt for one reader. One query."""
    starter, decider = words.subject_of(suspension.run.owner), _decider(suspension)
    names = selectors.names_of(tenant_id=actor.tenant_id, subject_ids=[starter, decider])
    due_at = due(suspension.deadline, now=now) if suspension.outcome is None else None
    drawing = drawing_of(suspension)
    return QuestionPage(
        title=visible(suspension.title),
        kind=words.kind(suspension.kind),
        workflow=one_line(suspension.run.workflow.name),
        started_by=names.get(starter, starter),
        run_url=run_url(suspension.run_id),
        opened=moment(suspension.opened_at, now=now),
        report=present_text(drawing.text) if drawing else None,
        asked=_rest(drawing) if drawing else _asked(suspension),
        offered=_offered(drawing) if drawing and suspension.outcome is not None else (),
        due=due_at,
        cannot=_cannot(actor, due_at),
        ended=_ended(suspension, drawing, words.person(decider, names), actor, now),
        connect_url=_connect_url(suspension, is_owner=starter == actor.subject_id),
        leads=tuple(outcome_outlook(suspension)) if suspension.outcome is None else (),
    )


def _rest(drawing: Drawing) -> Artifact | None:
    return present_artifact({"artifactType": "", "artifactData": drawing.rest}) if drawing.rest else None


def _offered(drawing: Drawing) -> tuple[tuple[str, Artifact | None], ...]:
    return tuple((one_line(title), present_text(text) if text else None) for title, text in drawing.offered)


def _asked(suspension: Suspension) -> Artifact | None:
    """Show the data of the interrupt; the questions of a clarification stand in its form while it is open."""
    data = cast("JsonObject", suspension.payload["data"])
    if suspension.kind == InterruptKind.CUSTOM and set(data) <= {"customKind", "payload"}:
        return present_artifact({"artifactType": "", "artifactData": data["payload"]}) if "payload" in data else None
    if suspension.kind == InterruptKind.CLARIFICATION and suspension.outcome is None:
        return None
    return present_artifact({"artifactType": "", "artifactData": data})


def _connect_url(suspension: Suspension, *, is_owner: bool) -> str:
    """The account that a run asks for is connected by who started it, and used in their name."""
    is_asked = suspension.kind == InterruptKind.CREDENTIAL and suspension.outcome is None
    return str(suspension.payload["data"]["connectUrl"]) if is_asked and is_owner else ""


def _cannot(actor: Actor, due_at: Due | None) -> str:
    if due_at is not None and due_at.is_over:
        return _("its time is up. It is being closed as timed out.")
    if Scope.APPROVALS_RESPOND not in actor.scopes:
        return _("you may only look at this tenant. Ask an administrator if you should answer here.")
    return ""


def _decider(suspension: Suspension) -> str:
    return words.decider_of(suspension.resolution)


def _ended(suspension: Suspension, drawing: Drawing | None, name: str, actor: Actor, now: datetime) -> Answer | None:
    if suspension.outcome is None or suspension.resolved_at is None:
        return None
    resolution = cast("JsonObject", suspension.resolution)
    return Answer(
        state=words.ending(suspension),
        is_answered=suspension.outcome == SuspensionOutcome.RESOLVED,
        by=name,
        is_mine=_decider(suspension) == actor.subject_id,
        at=moment(suspension.resolved_at, now=now),
        outcome=outcome_of(suspension),
        given=present_given(suspension, drawing),
        source=visible(to_source(resolution["resumeValue"])) if "resumeValue" in resolution else "",
    )
