"""The decision page, as plain values: what, who, by when, and what then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.utils.translation import gettext as _

from approvals import eligibility, selectors
from approvals.eligibility import Right
from approvals.inbox.links import run_url
from approvals.inbox.presenters import words
from approvals.inbox.presenters.artifact import Artifact, present_artifact, present_text
from approvals.inbox.presenters.outlook import outlook, timeout_outlook
from approvals.inbox.presenters.rows import ballots
from approvals.inbox.presenters.text import one_line, visible
from approvals.inbox.presenters.times import Due, Moment, due, moment
from approvals.inbox.presenters.words import State
from approvals.models import Question, Vote
from approvals.policy import GatePolicy, named_refs, read_policy
from approvals.quorum import tally
from approvals.selectors import CastVote
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import Forbidden
from interrupts.models import Suspension
from interrupts.vocabulary import Action, RefKind


@dataclass(frozen=True, slots=True)
class VoteLine:
    """One vote or question: who, what, when, in which words and by which right."""

    name: str
    did: str
    tone: str
    at: Moment
    text: str
    details: tuple[tuple[str, str], ...]
    right: str
    has_left: bool
    is_mine: bool


@dataclass(frozen=True, slots=True)
class Meter:
    """How far the count is, for a bar and in words."""

    accepts: int
    required: int
    rejects: int
    to_stop: int

    @property
    def progress(self) -> str:
        return words.approvals_of(self.accepts, self.required)

    @property
    def in_words(self) -> str:
        return _("%(approvals)s, %(rejections)s to stop it") % {
            "approvals": self.progress,
            "rejections": words.rejections_of(self.rejects, self.to_stop),
        }


@dataclass(frozen=True, slots=True)
class Ended:
    """How an interrupt ended: the state, who decided, when, and what they wrote."""

    state: State
    by: str
    is_mine: bool
    did: str
    at: Moment
    text: str


@dataclass(frozen=True, slots=True)
class Consequence:
    """An action in its own words, and what it leads to."""

    action: str
    label: str
    then: str


@dataclass(frozen=True, slots=True)
class Decision:
    """All that a decision page shows. ``cannot`` says why the reader may not answer, and is empty when they may."""

    title: str
    workflow: str
    artifact_type: str
    started_by: str
    run_url: str
    opened: Moment
    description: Artifact | None
    artifact: Artifact | None
    due: Due | None
    timeout_then: str
    meter: Meter
    votes: tuple[VoteLine, ...]
    questions: tuple[VoteLine, ...]
    named: tuple[str, ...]
    standing: str
    cannot: str
    consequences: tuple[Consequence, ...]
    my_vote: VoteLine | None
    ended: Ended | None

    @property
    def can_answer(self) -> bool:
        return not self.cannot and self.ended is None


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is read of one interrupt, once."""

    suspension: Suspension
    actor: Actor
    now: datetime
    policy: GatePolicy
    votes: Sequence[CastVote]
    questions: Sequence[Question]
    named: Sequence[tuple[RefKind, str]]
    names: Mapping[str, str]

    @property
    def data(self) -> JsonObject:
        return cast("JsonObject", self.suspension.payload["data"])


def present_decision(suspension: Suspension, *, actor: Actor, now: datetime) -> Decision:
    """Return the page of one interrupt for one reader. Three queries, and up to two more for an open one."""
    facts = _read(suspension, actor, now)
    due_at = due(suspension.deadline, now=now) if suspension.outcome is None else None
    right, cannot = _right(facts, due_at)
    data, is_open = facts.data, suspension.outcome is None
    starter = words.subject_of(suspension.run.owner)
    description = str(data.get("description") or "")
    return Decision(
        title=visible(suspension.title),
        workflow=one_line(suspension.run.workflow.name),
        artifact_type=one_line(str(data["artifactType"]), limit=60),
        started_by=facts.names.get(starter, starter),
        run_url=run_url(suspension.run_id),
        opened=moment(suspension.opened_at, now=now),
        description=present_text(description) if description.strip() else None,
        artifact=present_artifact(data),
        due=due_at,
        timeout_then=timeout_outlook(suspension) if due_at else "",
        meter=_meter(facts),
        votes=tuple(_vote_line(facts, cast_vote) for cast_vote in facts.votes),
        questions=tuple(_question_line(facts, question) for question in facts.questions),
        named=tuple(words.ref_words(kind, ref, facts.names) for kind, ref in facts.named),
        standing=words.right_words(right.via, right.on_behalf_of, facts.names) if right else "",
        cannot=cannot,
        consequences=_consequences(facts, right) if is_open else (),
        my_vote=_my_vote(facts, right),
        ended=_ended(facts),
    )


def _read(suspension: Suspension, actor: Actor, now: datetime) -> _Facts:
    votes = selectors.votes_at([suspension.pk]).get(suspension.pk, [])
    questions = selectors.questions_at(suspension.pk)
    data = cast("JsonObject", suspension.payload["data"])
    named = named_refs(data)
    principals = [ref for kind, ref in named if kind is RefKind.PRINCIPAL]
    subjects = [words.subject_of(suspension.run.owner), _decider(suspension), *principals]
    for cast_vote in votes:
        subjects += [cast_vote.vote.actor, cast_vote.vote.voter]
    subjects += [question.actor for question in questions]
    absent = [cast_vote.vote.on_behalf_of for cast_vote in votes]
    names = selectors.names_of(tenant_id=actor.tenant_id, subject_ids=subjects, usernames=[*principals, *absent])
    return _Facts(suspension, actor, now, read_policy(data), votes, questions, named, names)


def _right(facts: _Facts, due_at: Due | None) -> tuple[Right | None, str]:
    """Return the reader's right to answer, or why they have none."""
    if facts.suspension.outcome is not None:
        return None, ""
    if due_at is not None and due_at.is_over:
        return None, _("its time is up. It is being closed as timed out.")
    try:
        return eligibility.decide(interrupt_id=facts.suspension.pk, actor=facts.actor), ""
    except Forbidden:
        return None, _("you are not among those it names. Ask an administrator if you should be.")


def _meter(facts: _Facts) -> Meter:
    count = tally(facts.policy, ballots(facts.votes))
    return Meter(count.accepts, facts.policy.required_approvals, count.rejects, facts.policy.rejections_to_stop)


def _consequences(facts: _Facts, right: Right | None) -> tuple[Consequence, ...]:
    """What each action leads to, the reader's own earlier vote taken back first, as an answer would do."""
    mine = {facts.actor.subject_id} | ({right.voter} if right else set())
    others = [cast_vote for cast_vote in facts.votes if not {cast_vote.vote.actor, cast_vote.vote.voter} & mine]
    overrides = (
        right is not None
        and facts.policy.override_bypasses_quorum
        and eligibility.may_override(actor=facts.actor, workflow_id=facts.suspension.run.workflow_key)
    )
    then = outlook(facts.suspension, facts.policy, ballots(others), overrides=overrides)
    return tuple(Consequence(str(a), str(label), then[a]) for a, label in words.ACTIONS.items() if a in then)


def _my_vote(facts: _Facts, right: Right | None) -> VoteLine | None:
    mine = {facts.actor.subject_id} | ({right.voter} if right else set())
    found = (cast_vote for cast_vote in facts.votes if {cast_vote.vote.actor, cast_vote.vote.voter} & mine)
    return next((_vote_line(facts, cast_vote) for cast_vote in found), None)


def _vote_line(facts: _Facts, cast_vote: CastVote) -> VoteLine:
    vote = cast_vote.vote
    return VoteLine(
        name=words.person(vote.actor, facts.names),
        did=words.done(vote.action),
        tone="bad" if vote.action == Action.REJECT else "good",
        at=moment(vote.cast_at, now=facts.now),
        text=_feedback(vote.answer),
        details=tuple(_refinement(vote)),
        right=words.right_words(vote.via, vote.on_behalf_of, facts.names),
        has_left=cast_vote.has_left,
        is_mine=vote.actor == facts.actor.subject_id,
    )


def _question_line(facts: _Facts, question: Question) -> VoteLine:
    return VoteLine(
        name=words.person(question.actor, facts.names),
        did=words.done(Action.ASK),
        tone="open",
        at=moment(question.asked_at, now=facts.now),
        text=visible(question.text),
        details=(),
        right="",
        has_left=False,
        is_mine=question.actor == facts.actor.subject_id,
    )


def _refinement(vote: Vote) -> Iterable[tuple[str, str]]:
    """Yield what a vote asked to be changed, a label and a text each."""
    feedback = vote.answer.get("refineFeedback")
    if not isinstance(feedback, dict):
        return
    yield _("Scope"), str(words.SCOPES.get(str(feedback.get("scope")), feedback.get("scope")))
    labels = {"sectionPath": _("Section"), "itemIds": _("Items"), "tags": _("Tags"), "text": _("Changes")}
    for name, label in labels.items():
        value = feedback.get(name)
        if value:
            yield label, visible(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _feedback(answer: object) -> str:
    text = answer.get("feedback") if isinstance(answer, dict) else None
    return visible(text) if isinstance(text, str) else ""


def _decider(suspension: Suspension) -> str:
    return words.decider_of(suspension.resolution)


def _ended(facts: _Facts) -> Ended | None:
    suspension = facts.suspension
    if suspension.outcome is None or suspension.resolved_at is None:
        return None
    decider = _decider(suspension)
    resolution = cast("JsonObject", suspension.resolution)
    return Ended(
        state=words.ending(suspension),
        by=words.person(decider, facts.names),
        is_mine=decider == facts.actor.subject_id,
        did=words.done(str(resolution.get("action", ""))) if decider else "",
        at=moment(suspension.resolved_at, now=facts.now),
        text=_feedback(resolution.get("resumeValue")),
    )
