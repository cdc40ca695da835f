"""What a signed link can do: be minted for somebody, show its interrupt, answer it (interrupt.md §Resolve surfaces)."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from django.db.models import Q, QuerySet

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
from interrupts.services.resolve import ResolveRequest, ResumeValue, apply_answer
from interrupts.services.runs import read_run
from interrupts.services.tokens import Claims, Intent
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN

logger = logging.getLogger(__name__)

RESOLVE_ENDPOINT = "resolveInterruptByToken"
# Who made a link, in the log, when the host mailed it.
MAIL = "mail"


@dataclass(frozen=True, slots=True)
class Link:
    """A token just minted: a right to decide, so it goes to the one it is for and into no log."""

    token: str
    intent: Intent
    expires_at: datetime
    is_replay: bool = False


def mint_link(
    *,
    actor: Actor,
    run_id: str,
    node_id: str,
    intent: Intent,
    approver: str,
    now: datetime,
    idempotency_key: idempotency.Key | None = None,
) -> Link:
    """Mint a link to the interrupt open at a node.

    ``approver`` is the username or subject id of the person it is for, who must be an active member of the tenant; a
    link without one can answer only a gate that names nobody. It grants nothing: whether that person may answer is
    decided when they do. Whoever may mint is trusted to hand it to that person alone. Under a key what the link says is
    kept, and not its signature: the same request is given the same link, and no token is stored. Raises NotFound,
    AlreadyResolved or ValidationFailed.
    """

    def claims() -> JsonObject:
        suspension = _waiting(actor.tenant_id, run_id, node_id)
        _refuse_past_deadline(suspension, now)
        subject_id = _subject_of(actor.tenant_id, approver) if approver else ""
        return _claims(suspension, intent, subject_id, tokens.LIFETIME, by=actor.subject_id, now=now).to_json()

    done = idempotency.run(claims, key=idempotency_key, now=now)
    return replace(_signed(Claims.from_json(done.result)), is_replay=done.is_replay)


def mint_mail_link(*, suspension: Suspension, approver: str, lifetime: timedelta, now: datetime) -> Link:
    """Mint a link for the subject id ``approver``, to be sent to that person alone.

    People do not read their mail within half an hour, so ``lifetime`` is the installation's choice; the link ends with
    the deadline all the same. Raises AlreadyResolved when that has passed.
    """
    _refuse_past_deadline(suspension, now)
    return _signed(_claims(suspension, Intent.RESOLVE, approver, lifetime, by=MAIL, now=now))


def _waiting(tenant_id: str, run_id: str, node_id: str) -> Suspension:
    run = read_run(tenant_id=tenant_id, run_id=run_id)
    suspension = selectors.open_suspension(run.pk, node_id)
    if suspension is None:
        if selectors.was_suspended(run.pk, node_id):
            raise AlreadyResolved
        raise NotFound(f"The node “{node_id}” is not waiting for an answer.")
    return suspension


def _refuse_past_deadline(suspension: Suspension, now: datetime) -> None:
    if suspension.deadline is not None and suspension.deadline <= now:
        raise AlreadyResolved("The deadline of this interrupt has passed.")


def _claims(
    suspension: Suspension, intent: Intent, approver: str, lifetime: timedelta, *, by: str, now: datetime
) -> Claims:
    logger.info("link minted interrupt=%s intent=%s approver=%s by=%s", suspension.pk, intent, approver or "-", by)
    return Claims(
        run_id=suspension.run_id,
        node_id=suspension.node_id,
        interrupt_id=suspension.pk,
        expires_at=tokens.expiry(deadline=suspension.deadline, now=now, lifetime=lifetime),
        intent=intent,
        approver=approver,
    )


def _signed(claims: Claims) -> Link:
    return Link(token=tokens.mint(claims), intent=claims.intent, expires_at=claims.expires_at)


def inspect_by_token(*, token: str, now: datetime) -> JsonObject:
    """Return the InterruptPayload, verbatim; nothing is decided or consumed.

    Raises InterruptTokenInvalid, InterruptExpired, AlreadyResolved or Forbidden, in that order (§25 row 5).
    """
    return cast("JsonObject", open_link(token=token, now=now).suspension.payload)


@dataclass(frozen=True, slots=True)
class Target:
    """What an authentic link leads to: the interrupt, whom the link speaks for, and what it may do until when."""

    suspension: Suspension
    actor: Actor
    intent: Intent
    expires_at: datetime


def open_link(*, token: str, now: datetime) -> Target:
    """Return what a link is about, while it can be used. Raises as ``inspect_by_token`` does."""
    claims = tokens.read(token)
    return _target(claims, _open_interrupt(claims, now))


def trace_link(*, token: str) -> Target | None:
    """Return what an authentic link was about, whatever has become of it; None when nothing of it is left.

    Raises InterruptTokenInvalid or Forbidden.
    """
    claims = tokens.read(token)
    suspension = _interrupt(claims)
    return None if suspension is None else _target(claims, suspension)


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """One answer given by a link. ``key`` and ``digest`` are the caller's Idempotency-Key and a digest of the body."""

    token: str
    answer: ResumeValue | ValidationFailed
    key: str | None = None
    digest: str = ""


def resolve_by_token(*, request: TokenAnswer, now: datetime) -> idempotency.Done:
    """Answer by a link, through the same use case as every other answer.

    The check order is wire contract §13: MAC, idempotency record, expiry, state, intent, body, eligibility, value. All
    but the first stand inside the key's claim, so that of two requests with one key the second repeats the first one's
    outcome whenever it arrives.
    """
    claims = tokens.read(request.token)
    key = _idempotency_key(claims, request)
    done = idempotency.run(lambda: _resolve(claims, request.answer, now), key=key, now=now)
    logger.info(
        "interrupt answered by link interrupt=%s approver=%s status=%s replay=%s",
        claims.interrupt_id,
        claims.approver or "-",
        done.result["status"],
        done.is_replay,
    )
    return done


def _open_interrupt(claims: Claims, now: datetime) -> Suspension:
    """An authentic token of an interrupt that is gone or closed is a dead one (409)."""
    if claims.expires_at <= now:
        raise InterruptExpired
    suspension = _interrupt(claims)
    if suspension is None or suspension.outcome is not None:
        raise AlreadyResolved
    return suspension


def _interrupt(claims: Claims) -> Suspension | None:
    found = Suspension.objects.select_related("run__workflow", "tenant")
    return found.filter(pk=claims.interrupt_id, run_id=claims.run_id, node_id=claims.node_id).first()


def _target(claims: Claims, suspension: Suspension) -> Target:
    return Target(suspension, _holder(claims), claims.intent, claims.expires_at)


def _holder(claims: Claims) -> Actor:
    """Return whom a link speaks for: its approver as they are now, or nobody in particular.

    Raises Forbidden when that person has left: a link ends with the access of the one it was made for.
    """
    tenant_id = tenant_of(claims.interrupt_id)
    if not claims.approver:
        return identity.link_actor(tenant_id=tenant_id, interrupt_id=claims.interrupt_id)
    membership = _active_members(tenant_id).filter(subject_id=claims.approver).first()
    if membership is None:
        raise Forbidden("The person this link was made for is no longer active here.")
    return identity.approver_actor(membership)


def _resolve(claims: Claims, answer: ResumeValue | ValidationFailed, now: datetime) -> JsonObject | idempotency.Refused:
    _open_interrupt(claims, now)
    if claims.intent is not Intent.RESOLVE:
        raise Forbidden("This link only shows the question. Ask for one that may answer it.")
    if isinstance(answer, ValidationFailed):
        raise answer
    command = ResolveRequest(
        actor=_holder(claims),
        run_id=claims.run_id,
        node_id=claims.node_id,
        answer=answer,
        interrupt_id=claims.interrupt_id,
    )
    return apply_answer(command, now)


def _idempotency_key(claims: Claims, request: TokenAnswer) -> idempotency.Key | None:
    """The record belongs to the interrupt and the approver, not to the token (§25 row 47).

    A re-minted link repeats the same request; another approver's answer is another request, even under the same key.
    """
    if request.key is None:
        return None
    if not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, request.key):
        raise IdempotencyKeyInvalid
    if _interrupt(claims) is None:
        # There is nothing to keep a record of, and perhaps no such tenant.
        return None
    preimage = f"{claims.interrupt_id}\n{claims.approver}\n{request.digest}"
    digest = hashlib.sha256(preimage.encode()).hexdigest()
    return idempotency.Key(tenant_of(claims.interrupt_id), RESOLVE_ENDPOINT, request.key, digest)


def _subject_of(tenant_id: str, approver: str) -> str:
    """Return the subject id of a member named by it or by username. The link keeps the id: a name may change hands."""
    named = _active_members(tenant_id).filter(Q(subject_id=approver) | Q(user__username=approver))
    subjects = [membership.subject_id for membership in named]
    if not subjects:
        raise ValidationFailed(f"There is no active member {approver} in this tenant.", details={"field": "approver"})
    return approver if approver in subjects else subjects[0]


def _active_members(tenant_id: str) -> QuerySet[Membership]:
    return Membership.objects.filter(tenant_id=tenant_id, is_active=True, user__is_active=True).select_related("user")
