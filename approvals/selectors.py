"""What the inbox reads. Every query starts from the actor's tenant, so that another's rows cannot be reached.

Display follows the same rights as the answer does (``eligibility``), but only the answer itself decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from guardian.models import GroupObjectPermission, UserObjectPermission

from approvals.models import ApproverRef, GateApprover, Question, Vote
from interrupts.actor import Actor
from interrupts.models import Membership, Suspension
from interrupts.vocabulary import RefKind

COUNT_LIMIT: Final = 1000
# More people than anybody picks from in a list.
MAX_NAMED: Final = 200

# Everything a row or a page shows, and none of the wide columns it does not.
_COLUMNS: Final = (
    *("id", "tenant_id", "node_id", "kind", "title", "payload", "opened_at", "deadline"),
    *("outcome", "resolution", "resolved_at"),
    *("run__tenant_id", "run__workflow_key", "run__owner", "run__status", "run__workflow__name"),
)


@dataclass(frozen=True, slots=True)
class OpenPosition:
    """Where a page of open interrupts ended: the sort key of its last row."""

    deadline: datetime | None
    opened_at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class EndedPosition:
    """Where a page of ended interrupts ended."""

    resolved_at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class CastVote:
    """A vote with what the count needs to know: a person who has left no longer counts."""

    vote: Vote
    has_left: bool


def waiting_for(*, actor: Actor, held: Collection[int], now: datetime) -> QuerySet[Suspension]:
    """Return the open interrupts that the actor may answer and has no vote at yet.

    ``held`` are the references the actor may answer as (``eligibility.rights_held``). A vote that somebody else gave on
    the actor's behalf is a vote.
    """
    mine = Vote.objects.filter(suspension_id=OuterRef("pk")).filter(_by(actor))
    return open_in(tenant_id=actor.tenant_id, now=now).filter(_answerable(held)).exclude(Exists(mine))


def open_in(*, tenant_id: str, now: datetime) -> QuerySet[Suspension]:
    """Return the open interrupts of a tenant, without those whose deadline has passed: they take no answer."""
    in_time = Q(deadline__isnull=True) | Q(deadline__gt=now)
    return _interrupts(tenant_id).filter(in_time, outcome=None)


def ended_for(*, actor: Actor, held: Collection[int]) -> list[QuerySet[Suspension]]:
    """Return the ended interrupts that the actor could have answered, and those they answered by a right since lost.

    Two disjoint sets, to be read with ``ended_page``: for "the one or the other", PostgreSQL would look at all of the
    history.
    """
    ended = _interrupts(actor.tenant_id).filter(outcome__isnull=False)
    answered = Vote.objects.filter(_by(actor)).values("suspension_id")
    return [ended.filter(_answerable(held)), ended.filter(~_answerable(held), pk__in=answered)]


def open_page(rows: QuerySet[Suspension], *, after: OpenPosition | None, limit: int) -> list[Suspension]:
    """Return ``limit`` rows at most: by deadline (none comes last), then oldest first."""
    if after is not None:
        rows = rows.filter(_later_than(after))
    return list(rows.order_by(F("deadline").asc(nulls_last=True), "opened_at", "id")[:limit])


def ended_page(parts: Iterable[QuerySet[Suspension]], *, after: EndedPosition | None, limit: int) -> list[Suspension]:
    """Return ``limit`` rows at most of disjoint sets, the latest end first. One query a set."""
    found: list[Suspension] = []
    for rows in parts:
        if after is not None:
            earlier = Q(resolved_at__lt=after.resolved_at) | Q(resolved_at=after.resolved_at, pk__lt=after.id)
            rows = rows.filter(earlier, resolved_at__lte=after.resolved_at)  # noqa: PLW2901
        found += rows.order_by("-resolved_at", "-id")[:limit]
    return sorted(found, key=lambda row: (row.resolved_at, row.pk), reverse=True)[:limit]


def count_up_to(*parts: QuerySet[Suspension], limit: int = COUNT_LIMIT) -> int:
    """Return how many rows disjoint sets have; more than ``limit`` stands for all beyond, which take long to count."""
    return sum(rows.order_by().values("pk")[: limit + 1].count() for rows in parts)


def interrupt_of(*, tenant_ids: Iterable[str], opaque: str) -> Suspension | None:
    """Return the interrupt with this opaque id in one of the tenants, with its run and workflow version."""
    ids = [f"{tenant_id}/{opaque}" for tenant_id in tenant_ids]
    return Suspension.objects.select_related("run__workflow").filter(pk__in=ids).first()


def asked_again(suspension: Suspension) -> Suspension | None:
    """Return the interrupt that is open now at the place where this one was."""
    here = Suspension.objects.filter(run_id=suspension.run_id, node_id=suspension.node_id, outcome=None)
    return here.exclude(pk=suspension.pk).first()


def interrupts_of_run(run_id: str) -> list[Suspension]:
    return list(
        Suspension.objects.filter(run_id=run_id)
        .only("id", "title", "outcome", "resolution", "opened_at")
        .order_by("opened_at", "id")
    )


def votes_at(interrupt_ids: Iterable[str]) -> dict[str, list[CastVote]]:
    """Return the votes at each interrupt, oldest first. One query."""
    left = Membership.objects.filter(subject_id=OuterRef("actor")).filter(Q(is_active=False) | Q(user__is_active=False))
    votes = Vote.objects.filter(suspension_id__in=list(interrupt_ids)).annotate(has_left=Exists(left))
    found: dict[str, list[CastVote]] = defaultdict(list)
    for vote in votes.order_by("cast_at", "id"):
        found[vote.suspension_id].append(CastVote(vote, vote.has_left))
    return found


def refs_named_at(interrupt_ids: Iterable[str]) -> dict[str, list[ApproverRef]]:
    """Return whom each interrupt names, in the order recorded. One query. Nobody named is an open gate."""
    gates = GateApprover.objects.filter(suspension_id__in=list(interrupt_ids)).select_related("ref")
    found: dict[str, list[ApproverRef]] = defaultdict(list)
    for gate in gates.order_by("id"):
        if gate.ref is not None:
            found[gate.suspension_id].append(gate.ref)
    return found


def people_named_at(suspension: Suspension) -> list[Membership]:
    """Return the active members who may answer a gate that names somebody, as themselves, by user name.

    By name, by group, or as holders of ``answer_as`` on what the gate names. Stand-ins for a named principal are among
    them. Nobody, where the gate names nobody.
    """
    refs = list(ApproverRef.objects.filter(gates__suspension=suspension))
    named = [(RefKind(ref.kind), ref.ref) for ref in refs]
    return list(_people(suspension.tenant_id, named, refs).order_by("user__username")[:MAX_NAMED])


def count_people(*, tenant_id: str, named: Collection[tuple[RefKind, str]]) -> int:
    """Return how many active members of a tenant may answer a gate that names these; nobody named is everybody."""
    wanted = Q(ref__in={ref for _, ref in named}, tenant_id=tenant_id)
    refs = [row for row in ApproverRef.objects.filter(wanted) if (RefKind(row.kind), row.ref) in set(named)]
    return (_people(tenant_id, named, refs) if named else _active_members(tenant_id)).count()


def _people(
    tenant_id: str, named: Collection[tuple[RefKind, str]], refs: Collection[ApproverRef]
) -> QuerySet[Membership]:
    """Return the active members who may answer as one of the references; ``refs`` are the rows that those have."""
    keys = [str(ref.pk) for ref in refs]
    right = {"permission__codename": "answer_as", "content_type": ContentType.objects.get_for_model(ApproverRef)}
    holders = UserObjectPermission.objects.filter(object_pk__in=keys, **right)
    groups = GroupObjectPermission.objects.filter(object_pk__in=keys, **right)
    principals = [ref for kind, ref in named if kind is RefKind.PRINCIPAL]
    may_answer = (
        Q(user__username__in=principals)
        | Q(subject_id__in=principals)
        | Q(user__groups__name__in=[ref for kind, ref in named if kind is RefKind.GROUP])
        | Q(user__in=holders.values("user"))
        | Q(user__groups__in=groups.values("group"))
    )
    return _active_members(tenant_id).filter(may_answer).select_related("user").distinct()


def _active_members(tenant_id: str) -> QuerySet[Membership]:
    return Membership.objects.filter(tenant_id=tenant_id, is_active=True, user__is_active=True)


def questions_at(interrupt_id: str) -> list[Question]:
    return list(Question.objects.filter(suspension_id=interrupt_id).order_by("asked_at", "id"))


def asked_by(*, subject_id: str, interrupt_ids: Collection[str]) -> set[str]:
    """Return at which of the interrupts somebody has asked a question. One query."""
    asked = Question.objects.filter(actor=subject_id, suspension_id__in=interrupt_ids)
    return set(asked.values_list("suspension_id", flat=True))


def names_of(*, tenant_id: str, subject_ids: Iterable[str], usernames: Iterable[str] = ()) -> dict[str, str]:
    """Return the names people go by in the tenant, by subject id and by username. One query; strangers are left out."""
    wanted = Q(subject_id__in=set(subject_ids)) | Q(user__username__in=set(usernames))
    members = Membership.objects.filter(wanted, tenant_id=tenant_id).select_related("user")
    names: dict[str, str] = {}
    for member in members:
        names[member.user.username] = names[member.subject_id] = name_of(member.user)
    return names


def name_of(user: User) -> str:
    return user.get_full_name() or user.username


def _interrupts(tenant_id: str) -> QuerySet[Suspension]:
    """Return those of every kind: only approvals name approvers, so the others are open gates."""
    rows = Suspension.objects.filter(tenant_id=tenant_id)
    return rows.select_related("run__workflow").only(*_COLUMNS)


def _answerable(held: Collection[int]) -> Q:
    return Q(Exists(GateApprover.objects.filter(_names_one_of(held), suspension_id=OuterRef("pk"))))


def _names_one_of(held: Collection[int]) -> Q:
    """A gate must name a reference that the actor holds, or nobody at all: then its one row has no reference."""
    return Q(ref_id__in=list(held)) | Q(ref__isnull=True)


def _by(actor: Actor) -> Q:
    return Q(actor=actor.subject_id) | Q(voter=actor.subject_id)


def _later_than(position: OpenPosition) -> Q:
    """The rows after a position, in the order of ``open_page``: without a deadline comes last."""
    younger = Q(opened_at__gt=position.opened_at) | Q(opened_at=position.opened_at, pk__gt=position.id)
    if position.deadline is None:
        return Q(deadline__isnull=True) & younger
    return Q(deadline__gt=position.deadline) | (Q(deadline=position.deadline) & younger) | Q(deadline__isnull=True)
