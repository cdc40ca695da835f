"""Votes and questions at a gate: the only writer of both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from approvals.eligibility import Right
from approvals.models import Question, Vote
from approvals.quorum import Ballot
from interrupts.contracts.types import JsonObject
from interrupts.models import Membership
from interrupts.vocabulary import Action


@dataclass(frozen=True, slots=True)
class Cast:
    """A vote to be cast: whose, by whom, by which right."""

    right: Right
    actor: str
    action: Action
    answer: JsonObject
    override: bool


def cast_vote(*, interrupt_id: str, vote: Cast, now: datetime) -> list[Ballot]:
    """Store the vote in place of an earlier one by the same person, and return every ballot that counts.

    The run's lock is held, so two votes cannot both complete a quorum: the second one reads the first. Votes of people
    who have since been deactivated stay on record and do not count.
    """
    left = Membership.objects.filter(subject_id=OuterRef("actor")).filter(Q(is_active=False) | Q(user__is_active=False))
    earlier = list(Vote.objects.filter(suspension_id=interrupt_id).annotate(has_left=Exists(left)))
    replaced = [v.pk for v in earlier if v.voter == vote.right.voter or v.actor == vote.actor]
    if replaced:
        Vote.objects.filter(pk__in=replaced).delete()
    _store(interrupt_id, vote, now)
    kept = [v for v in earlier if v.pk not in replaced and not v.has_left]
    return [*(Ballot(Action(v.action), v.override) for v in kept), Ballot(vote.action, vote.override)]


def ask(*, interrupt_id: str, actor: str, text: str, answer: JsonObject, now: datetime) -> None:
    Question.objects.create(suspension_id=interrupt_id, actor=actor, text=text, answer=answer, asked_at=now)


def _store(interrupt_id: str, vote: Cast, now: datetime) -> None:
    Vote.objects.create(
        suspension_id=interrupt_id,
        voter=vote.right.voter,
        actor=vote.actor,
        action=str(vote.action),
        answer=vote.answer,
        via=vote.right.via,
        on_behalf_of=vote.right.on_behalf_of,
        override=vote.override,
        cast_at=now,
    )
