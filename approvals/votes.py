"""Votes and questions at a gate: the only writer of both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from approvals.eligibility import Right
from approvals.models import Question, Vote
from approvals.quorum import Ballot
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import Forbidden
from interrupts.events import isoformat
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


def cast_vote(*, interrupt_id: str, vote: Cast, now: datetime) -> list[Vote]:
    """Store the vote in place of an earlier one by the same person, and return every vote that counts, oldest first.

    The run's lock is held, so two votes cannot both complete a quorum: the second one reads the first. Votes by or for
    people who have since been deactivated stay on record and do not count. Raises Forbidden for a stand-in where the
    person they stand in for has already answered.
    """
    left = Membership.objects.filter(
        Q(is_active=False) | Q(user__is_active=False), subject_id__in=[OuterRef("actor"), OuterRef("voter")]
    )
    votes = Vote.objects.filter(suspension_id=interrupt_id).annotate(has_left=Exists(left))
    earlier = list(votes.order_by("cast_at", "id"))
    if any(v.voter == v.actor == vote.right.voter != vote.actor for v in earlier):
        raise Forbidden("The person you stand in for has already answered; only they can change that.")
    replaced = [v.pk for v in earlier if v.voter == vote.right.voter or v.actor == vote.actor]
    if replaced:
        Vote.objects.filter(pk__in=replaced).delete()
    stored = _store(interrupt_id, vote, now)
    return [*(v for v in earlier if v.pk not in replaced and not v.has_left), stored]


def ballots(counted: list[Vote]) -> list[Ballot]:
    return [Ballot(Action(vote.action), vote.override) for vote in counted]


def on_record(counted: list[Vote]) -> JsonValue:
    """Return the votes as the log keeps them: who decided, for whom, and by which right."""
    return [
        {
            "voter": vote.voter,
            "actor": vote.actor,
            "action": vote.action,
            "via": vote.via,
            "onBehalfOf": vote.on_behalf_of or None,
            "castAt": isoformat(vote.cast_at),
        }
        for vote in counted
    ]


def standing(interrupt_id: str) -> list[Vote]:
    """Return the votes a gate has so far, oldest first."""
    return list(Vote.objects.filter(suspension_id=interrupt_id).order_by("cast_at", "id"))


def ask(*, interrupt_id: str, actor: str, text: str, answer: JsonObject, now: datetime) -> None:
    Question.objects.create(suspension_id=interrupt_id, actor=actor, text=text, answer=answer, asked_at=now)


def _store(interrupt_id: str, vote: Cast, now: datetime) -> Vote:
    return Vote.objects.create(
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
