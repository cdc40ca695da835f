"""What a signed link can do: be minted for somebody, show its interrupt, answer it (interrupt.md §Resolve surfaces)."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Q

from interrupts import selectors
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import (
    AlreadyResolved,
    Forbidden,
    IdempotencyKeyInvalid,
    InterruptExpired,
    NotFound,
    ValidationFailed,
)
from interrupts.ids import tenant_of
from interrupts.models import Membership, Suspension
from interrupts.services import idempotency, identity, tokens
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.services.runs import read_run
from interrupts.services.tokens import Claims, Intent
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN

logger = logging.getLogger(__name__)

RESOLVE_ENDPOINT = "resolveInterruptByToken"


@dataclass(frozen=True, slots=True)
class Link:
    """A token just minted: a right to decide, so it goes to the one it is for and into no log."""

    token: str
    intent: Intent
    expires_at: datetime


def mint_link(*, actor: Actor, run_id: str, node_id: str, intent: Intent, approver: str, now: datetime) -> Link:
    """Mint a link to the interrupt open at a node.

    ``approver`` is the username or subject id of the person it is for, who must be an active member of the tenant; a
    link without one can answer only a gate that names nobody. It grants nothing: whether that person may answer is
    decided when they do. Raises NotFound, AlreadyResolved or ValidationFailed.
    """
    run = read_run(tenant_id=actor.tenant_id, run_id=run_id)
    suspension = selectors.open_suspension(run.pk, node_id)
    if suspension is None:
        if selectors.was_suspended(run.pk, node_id):
            raise AlreadyResolved
        raise NotFound(f"The node “{node_id}” is not waiting for an answer.")
    if suspension.deadline is not None and suspension.deadline <= now:
        raise AlreadyResolved("The deadline of this interrupt has passed.")
    if approver and _approver(actor.tenant_id, approver) is None:
        raise ValidationFailed(f"There is no active member {approver} in this tenant.", details={"field": "approver"})
    claims = Claims(
        run_id=run.pk,
        node_id=node_id,
        interrupt_id=suspension.pk,
        expires_at=tokens.expiry(deadline=suspension.deadline, now=now),
        intent=intent,
        approver=approver,
    )
    logger.info("link minted interrupt=%s intent=%s by=%s", suspension.pk, intent, actor.subject_id)
    return Link(token=tokens.mint(claims), intent=intent, expires_at=claims.expires_at)


def inspect_by_token(*, token: str, now: datetime) -> JsonObject:
    """Return the InterruptPayload, verbatim; nothing is decided or consumed.

    Raises InterruptTokenInvalid, InterruptExpired or AlreadyResolved, in that order (§25 row 5).
    """
    return cast("JsonObject", _open_suspension(_current(tokens.read(token), now)).payload)


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """One answer given by a link. ``key`` and ``digest`` are the caller's Idempotency-Key and a digest of the body."""

    token: str
    answer: ResumeValue | ValidationFailed
    key: str | None = None
    digest: str = ""


def resolve_by_token(*, request: TokenAnswer, now: datetime) -> idempotency.Done:
    """Answer by a link, through the same use case as every other answer.

    The check order is wire contract §13: MAC, idempotency record, expiry, state, intent, body, eligibility, value.
    """
    claims = tokens.read(request.token)
    key = _idempotency_key(claims, request)
    earlier = idempotency.find(key) if key is not None else None
    if earlier is None:
        _open_suspension(_current(claims, now))
        if claims.intent is not Intent.RESOLVE:
            raise Forbidden("This link only shows the question. Ask for one that may answer it.")
    command = ResolveRequest(
        actor=_actor(claims),
        run_id=claims.run_id,
        node_id=claims.node_id,
        answer=request.answer,
        idempotency_key=key,
        interrupt_id=claims.interrupt_id,
    )
    return resolve_interrupt(request=command, now=now)


def _idempotency_key(claims: Claims, request: TokenAnswer) -> idempotency.Key | None:
    """The record belongs to the interrupt, not to the token: a re-minted link repeats the same request (§25 row 47)."""
    if request.key is None:
        return None
    if not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, request.key):
        raise IdempotencyKeyInvalid
    digest = hashlib.sha256(f"{claims.interrupt_id}\n{request.digest}".encode()).hexdigest()
    return idempotency.Key(tenant_of(claims.interrupt_id), RESOLVE_ENDPOINT, request.key, digest)


def _current(claims: Claims, now: datetime) -> Claims:
    if claims.expires_at <= now:
        raise InterruptExpired
    return claims


def _open_suspension(claims: Claims) -> Suspension:
    """Return what the token is about. An authentic token of an interrupt that is gone or closed is a dead one (409)."""
    suspension = Suspension.objects.filter(
        pk=claims.interrupt_id, run_id=claims.run_id, node_id=claims.node_id, outcome=None
    ).first()
    if suspension is None:
        raise AlreadyResolved
    return suspension


def _actor(claims: Claims) -> Actor:
    """Return whom the token speaks for: its approver as they are now, or nobody in particular."""
    tenant_id = tenant_of(claims.interrupt_id)
    if not claims.approver:
        return identity.link_actor(tenant_id=tenant_id, interrupt_id=claims.interrupt_id)
    membership = _approver(tenant_id, claims.approver)
    if membership is None:
        raise Forbidden("The person this link was made for is no longer active here.")
    return identity.approver_actor(membership)


def _approver(tenant_id: str, approver: str) -> Membership | None:
    active = Membership.objects.filter(tenant_id=tenant_id, is_active=True, user__is_active=True)
    return active.select_related("user").filter(Q(user__username=approver) | Q(subject_id=approver)).first()
