"""Who may answer as a reference, and who may override gates: object permissions given and taken back.

Where somebody holds one is decided in ``eligibility``, at every answer: both take effect on the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from guardian.models import GroupObjectPermission, UserObjectPermission
from guardian.shortcuts import assign_perm

from approvals.models import ApproverRef
from interrupts import selectors
from interrupts.errors import NotFound
from interrupts.models import Membership, Tenant, Workflow
from interrupts.services import identity
from interrupts.services.workflows import read_workflow
from interrupts.vocabulary import RefKind

logger = logging.getLogger(__name__)

ANSWER_AS = "answer_as"
OVERRIDE_GATE = "override_gate"


@dataclass(frozen=True, slots=True)
class RefName:
    """What a gate may name: the kind and the opaque text."""

    kind: RefKind
    ref: str


@dataclass(frozen=True, slots=True)
class HolderName:
    """A person, or all people of a group."""

    name: str
    is_group: bool


def grant_answer_as(*, tenant: Tenant, ref: RefName, holder: HolderName) -> ApproverRef:
    """Let the holder answer gates that name the reference, which is made when it is new.

    Raises NotFound for an unknown group and for a person who is not in the tenant. Granting again changes nothing.
    """
    held_by = _holder(tenant, holder)
    known, _ = ApproverRef.objects.get_or_create(tenant=tenant, kind=ref.kind, ref=ref.ref)
    assign_perm(ANSWER_AS, held_by, known)
    logger.info("answer_as granted tenant=%s ref=%s holder=%s", tenant.pk, known, holder.name)
    return known


def revoke_answer_as(*, tenant: Tenant, ref: RefName, holder: HolderName) -> ApproverRef:
    """Take back what ``grant_answer_as`` gave. Raises NotFound when the holder does not have it."""
    held_by = _holder(tenant, holder)
    known = ApproverRef.objects.filter(tenant=tenant, kind=ref.kind, ref=ref.ref).first()
    if known is None:
        raise NotFound(f"There is no reference {ref.kind}:{ref.ref} in the tenant {tenant.pk}.")
    if not _take(ANSWER_AS, held_by, ApproverRef, [known.pk]):
        raise NotFound(f"{holder.name} was never given the right to answer as {known}.")
    logger.info("answer_as revoked tenant=%s ref=%s holder=%s", tenant.pk, known, holder.name)
    return known


def grant_override(*, tenant: Tenant, workflow_id: str, holder: HolderName) -> Workflow:
    """Let the holder release gates of the workflow alone, in any version, where the gate allows it. Raises NotFound."""
    held_by = _holder(tenant, holder)
    workflow = read_workflow(tenant_id=tenant.pk, workflow_id=workflow_id)
    assign_perm(OVERRIDE_GATE, held_by, workflow)
    logger.info("override granted tenant=%s workflow=%s holder=%s", tenant.pk, workflow_id, holder.name)
    return workflow


def revoke_override(*, tenant: Tenant, workflow_id: str, holder: HolderName) -> Workflow:
    """Take the right back on every version of the workflow. Raises NotFound when the holder has it on none."""
    held_by = _holder(tenant, holder)
    workflow = read_workflow(tenant_id=tenant.pk, workflow_id=workflow_id)
    versions = selectors.workflows_of(tenant.pk).filter(workflow_id=workflow_id).values_list("pk", flat=True)
    if not _take(OVERRIDE_GATE, held_by, Workflow, versions):
        raise NotFound(f"{holder.name} was never given the right to override gates of {workflow_id}.")
    logger.info("override revoked tenant=%s workflow=%s holder=%s", tenant.pk, workflow_id, holder.name)
    return workflow


def _holder(tenant: Tenant, holder: HolderName) -> User | Group:
    if holder.is_group:
        return identity.get_group(holder.name)
    user = identity.get_user(holder.name)
    if not Membership.objects.filter(tenant=tenant, user=user).exists():
        raise NotFound(f"There is no user {holder.name} in the tenant {tenant.pk}.")
    return user


def _take(codename: str, holder: User | Group, model: type[Model], pks: Iterable[int]) -> int:
    """Delete guardian's rows and return how many there were. Its own ``remove_perm`` does not tell."""
    if isinstance(holder, User):
        held = UserObjectPermission.objects.filter(user=holder)
    else:
        held = GroupObjectPermission.objects.filter(group=holder)
    content_type = ContentType.objects.get_for_model(model)
    deleted, _ = held.filter(
        permission__codename=codename,
        permission__content_type=content_type,
        object_pk__in=[str(pk) for pk in pks],
    ).delete()
    return int(deleted)
