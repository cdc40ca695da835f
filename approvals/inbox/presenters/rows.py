"""The rows of the inbox, as plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.utils.translation import gettext as _

from approvals import selectors
from approvals.eligibility import Right, preferred
from approvals.inbox.links import interrupt_url
from approvals.inbox.presenters import words
from approvals.inbox.presenters.text import one_line
from approvals.inbox.presenters.times import Due, Moment, due, moment
from approvals.inbox.presenters.words import State
from approvals.models import ApproverRef
from approvals.policy import GatePolicy, read_policy
from approvals.quorum import Ballot, tally
from approvals.selectors import CastVote
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.models import Suspension
from interrupts.vocabulary import Action, InterruptKind


@dataclass(frozen=True, slots=True)
class Row:
    """One interrupt in a list. ``due`` is set for an open one; ``state`` and ``ended`` for one that has ended."""

    url: str
    title: str
    kind: str
    workflow: str
    artifact_type: str
    started_by: str
    opened: Moment
    due: Due | None
    progress: str
    standing: str
    my_vote: str
    state: State | None
    ended: Moment | None
    ended_by: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a list, the right that each reference gives them (``eligibility.rights_held``), and when."""

    actor: Actor
    held: Mapping[int, Right]
    now: datetime


@dataclass(frozen=True, slots=True)
class _Facts:
    """What all rows of a page need, read once for all of them."""

    reader: Reader
    refs: Mapping[str, Sequence[ApproverRef]]
    votes: Mapping[str, Sequence[CastVote]]
    asked: Collection[str]
    names: Mapping[str, str]

    @property
    def me(self) -> str:
        return self.reader.actor.subject_id


def present_rows(suspensions: Sequence[Suspension], *, reader: Reader) -> list[Row]:
    """Return a page of rows. Four queries, however many rows, references and votes there are."""
    if not suspensions:
        return []
    ids = [suspension.pk for suspension in suspensions]
    names = _names(suspensions, reader)
    asked = selectors.asked_by(subject_id=reader.actor.subject_id, interrupt_ids=ids)
    facts = _Facts(reader, selectors.refs_named_at(ids), selectors.votes_at(ids), asked, names)
    return [_row(suspension, facts) for suspension in suspensions]


def _names(suspensions: Iterable[Suspension], reader: Reader) -> dict[str, str]:
    subjects = [subject for s in suspensions for subject in (words.subject_of(s.run.owner), _decider(s)) if subject]
    behalf = [right.on_behalf_of for right in reader.held.values() if right.on_behalf_of]
    return selectors.names_of(tenant_id=reader.actor.tenant_id, subject_ids=[*subjects, *behalf], usernames=behalf)


def _decider(suspension: Suspension) -> str:
    return words.decider_of(suspension.resolution)


def _row(suspension: Suspension, facts: _Facts) -> Row:
    data = cast("JsonObject", suspension.payload["data"])
    votes = facts.votes.get(suspension.pk, ())
    is_open, is_approval = suspension.outcome is None, suspension.kind == InterruptKind.APPROVAL
    starter = words.subject_of(suspension.run.owner)
    return Row(
        url=interrupt_url(suspension),
        title=one_line(suspension.title),
        kind=words.kind(suspension.kind),
        workflow=one_line(suspension.run.workflow.name),
        artifact_type=one_line(str(data["artifactType"]), limit=60) if is_approval else "",
        started_by=facts.names.get(starter, starter),
        opened=moment(suspension.opened_at, now=facts.reader.now),
        due=due(suspension.deadline, now=facts.reader.now) if is_open else None,
        progress=progress(read_policy(data), votes) if is_open and is_approval else "",
        standing=_standing(suspension, facts) if is_open else "",
        my_vote=_my_vote(votes, facts.me) or (_("you asked") if suspension.pk in facts.asked else ""),
        state=None if is_open else words.ending(suspension),
        ended=moment(suspension.resolved_at, now=facts.reader.now) if suspension.resolved_at else None,
        ended_by=_ended_by(suspension, facts),
    )


def progress(policy: GatePolicy, votes: Iterable[CastVote]) -> str:
    """Return how far the vote is: "1 of 2 approvals", with the rejections when there are any."""
    count = tally(policy, ballots(votes))
    text = words.approvals_of(count.accepts, policy.required_approvals)
    if not count.rejects:
        return text
    return f"{text}, {words.rejections_of(count.rejects, policy.rejections_to_stop)}"


def ballots(votes: Iterable[CastVote]) -> list[Ballot]:
    """Return the votes that count: not those of people who have left."""
    return [
        Ballot(Action(cast_vote.vote.action), cast_vote.vote.override) for cast_vote in votes if not cast_vote.has_left
    ]


def _standing(suspension: Suspension, facts: _Facts) -> str:
    named = facts.refs.get(suspension.pk, ())
    rights = [facts.reader.held[ref.pk] for ref in named if ref.pk in facts.reader.held]
    if not rights:
        return "" if not named else _("not yours to answer")
    right = preferred(rights, actor=facts.reader.actor)
    by = words.right_words(right.via, right.on_behalf_of, facts.names)
    return _("you answer %(right)s") % {"right": by} if by else ""


def _my_vote(votes: Iterable[CastVote], me: str) -> str:
    mine = next((cast_vote.vote for cast_vote in votes if me in (cast_vote.vote.actor, cast_vote.vote.voter)), None)
    if mine is None:
        return ""
    if mine.actor == me:
        return _("you %(did)s") % {"did": words.done(mine.action)}
    return _("somebody %(did)s for you") % {"did": words.done(mine.action)}


def _ended_by(suspension: Suspension, facts: _Facts) -> str:
    """Return who gave the deciding answer, and what it was when the state's word does not say it."""
    decider = _decider(suspension)
    if not decider:
        return ""
    name = _("you") if decider == facts.me else words.person(decider, facts.names)
    action = str((suspension.resolution or {}).get("action", ""))
    return _("%(name)s %(did)s") % {"name": name, "did": words.done(action)}
