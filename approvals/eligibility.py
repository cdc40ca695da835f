"""Who may answer a gate, decided at the moment they answer (interrupt.md §Approver enforcement).

guardian's ``has_perm`` is never asked: it says yes to every superuser. The rows are read instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db.models import BooleanField, CharField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast
from guardian.models import GroupObjectPermission, UserObjectPermission

from approvals.models import ApproverRef, GateApprover
from interrupts.actor import Actor
from interrupts.errors import Forbidden
from interrupts.models import Membership, Workflow
from interrupts.vocabulary import RefKind

OPEN_GATE = "anyone"


@dataclass(frozen=True, slots=True)
class Right:
    """The right by which an actor answers.

    ``via`` is the reference that let them in (``kind:ref``), or "anyone" at an open gate. ``voter`` is the subject the
    vote counts for: somebody else's only when the actor stands in for a named principal.
    """

    via: str
    voter: str
    on_behalf_of: str = ""


@dataclass(frozen=True, slots=True)
class _Ref:
    """One reference of a gate, and in which ways the actor holds it; the fields are the columns read."""

    kind: str
    ref: str
    in_group: bool
    by_user: bool
    by_group: bool
    principal_subject: str | None
    principal_is_active: bool | None


def decide(*, interrupt_id: str, actor: Actor) -> Right:
    """Return the actor's right to answer, or raise Forbidden. At most two queries, whatever the refs.

    The actor's own right comes first, so that a stand-in who is named anyway votes for themselves. A gate is open only
    where a row says so: one whose rows were lost is closed to everybody.
    """
    named = _with_holdings(ApproverRef.objects.filter(gates__suspension_id=interrupt_id), actor)
    refs = [_Ref(*row) for row in named.values_list(*_Ref.__slots__)]
    if not refs and GateApprover.objects.filter(suspension_id=interrupt_id, ref=None).exists():
        return Right(via=OPEN_GATE, voter=actor.subject_id)
    rights = [right for ref in refs if (right := _right(ref, actor)) is not None]
    if not rights:
        raise Forbidden("You are not among the approvers of this gate. Ask an administrator if you should be.")
    return preferred(rights, actor=actor)


def preferred(rights: Iterable[Right], *, actor: Actor) -> Right:
    """Return the one right, of several, that an answer is given by: the actor's own first, then by name."""
    return min(rights, key=lambda right: (right.voter != actor.subject_id, right.via))


def rights_held(*, actor: Actor) -> dict[int, Right]:
    """Return the right that each reference gives the actor, by the reference's primary key. One query."""
    rows = refs_held_by(actor).values_list("pk", *_Ref.__slots__)
    rights = {pk: _right(_Ref(*columns), actor) for pk, *columns in rows}
    return {pk: right for pk, right in rights.items() if right is not None}


def refs_held_by(actor: Actor) -> QuerySet[ApproverRef]:
    """Return the references of the tenant that the actor may answer as, in whatever way."""
    held = _with_holdings(ApproverRef.objects.filter(tenant_id=actor.tenant_id), actor)
    # Unknown principals have no such flag, and NULL is neither true nor false.
    answerable = ~Q(kind=RefKind.PRINCIPAL) | Q(principal_is_active=None) | Q(principal_is_active=True)
    return held.filter(answerable).filter(
        Q(kind=RefKind.PRINCIPAL, ref__in=[actor.username, actor.subject_id])
        | Q(kind=RefKind.GROUP, in_group=True)
        | Q(by_user=True)
        | Q(by_group=True)
    )


def may_override(*, actor: Actor, workflow_id: str) -> bool:
    """Return whether the actor holds ``override_gate`` on any version of the workflow, directly or through a group."""
    versions = Workflow.objects.filter(tenant_id=actor.tenant_id, workflow_id=workflow_id)
    by_user, by_group = _holdings(Workflow, "override_gate", actor)
    return versions.filter(Q(Exists(by_user)) | Q(Exists(by_group))).exists()


def may_link_for_others(actor: Actor) -> bool:
    """Return whether the actor was given ``link_for_others``, directly or by group; no shortcut for superusers."""
    given = Permission.objects.filter(codename="link_for_others", content_type__app_label="approvals")
    person = _person(actor)
    return given.filter(Q(user__id=person) | Q(group__user__id=person)).exists()


def _with_holdings(refs: QuerySet[ApproverRef], actor: Actor) -> QuerySet[ApproverRef]:
    by_user, by_group = _holdings(ApproverRef, "answer_as", actor)
    is_current = ExpressionWrapper(Q(is_active=True, user__is_active=True), output_field=BooleanField())
    absent = Membership.objects.filter(
        Q(user__username=OuterRef("ref")) | Q(subject_id=OuterRef("ref")), tenant_id=OuterRef("tenant_id")
    ).annotate(is_current=is_current)
    return refs.annotate(
        in_group=Exists(Group.objects.filter(name=OuterRef("ref"), user__id=_person(actor))),
        by_user=Exists(by_user),
        by_group=Exists(by_group),
        principal_subject=Subquery(absent.values("subject_id")[:1]),
        principal_is_active=Subquery(absent.values("is_current")[:1]),
    )


def _holdings(
    model: type[ApproverRef] | type[Workflow], codename: str, actor: Actor
) -> tuple[QuerySet[UserObjectPermission], QuerySet[GroupObjectPermission]]:
    """Return guardian's rows of the actor, and of the actor's groups, for one permission on the outer row."""
    content_type = ContentType.objects.get_for_model(model)
    same = {
        "permission__codename": codename,
        "permission__content_type": content_type,
        "content_type": content_type,
        "object_pk": Cast(OuterRef("pk"), CharField()),
    }
    return (
        UserObjectPermission.objects.filter(user_id=_person(actor), **same),
        GroupObjectPermission.objects.filter(group__user__id=_person(actor), **same),
    )


def _person(actor: Actor) -> int:
    """Return the user's id, or one that nobody has: a None would match groups without any member."""
    return actor.user_id if actor.user_id is not None else -1


def _right(ref: _Ref, actor: Actor) -> Right | None:
    via = f"{ref.kind}:{ref.ref}"
    is_principal = ref.kind == RefKind.PRINCIPAL
    if is_principal and ref.ref in (actor.username, actor.subject_id):
        return Right(via=via, voter=actor.subject_id)
    if ref.kind == RefKind.GROUP and ref.in_group:
        return Right(via=via, voter=actor.subject_id)
    if not (ref.by_user or ref.by_group):
        return None
    if is_principal and ref.principal_is_active is False:
        return None  # Nobody stands in for a colleague who has left.
    if is_principal:
        return Right(via=via, voter=ref.principal_subject or actor.subject_id, on_behalf_of=ref.ref)
    return Right(via=via, voter=actor.subject_id)
