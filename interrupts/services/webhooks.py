"""Webhooks: subscriptions to a tenant's run events (wire contract §18)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from interrupts import deliveries
from interrupts.actor import Actor
from interrupts.conf import DELIVERY_RETENTION, WEBHOOK_SECRET_OVERLAP
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.shipped import registered_event_types
from interrupts.contracts.types import JsonObject
from interrupts.errors import NotFound, ValidationFailed, WebhookEndpointUnverified, WebhookUrlRejected
from interrupts.events import isoformat
from interrupts.ids import mint_webhook_id
from interrupts.models import Delivery, Webhook
from interrupts.services import idempotency, signing
from interrupts.services.egress import Door, EgressFailed, EgressRefused
from interrupts.vocabulary import DeliveryOutcome, SignatureAlgorithm

logger = logging.getLogger(__name__)

CHALLENGE = "webhook.challenge"


@dataclass(frozen=True, slots=True)
class RegisterWebhook:
    """What a subscription asks for, its shape already checked."""

    actor: Actor
    url: str
    events: tuple[str, ...]
    tags: tuple[str, ...] = ()
    secret: str | None = None
    algorithms: tuple[str, ...] = (SignatureAlgorithm.V1,)
    idempotency_key: idempotency.Key | None = None


def register_webhook(*, request: RegisterWebhook, door: Door, now: datetime) -> idempotency.Done:
    """Subscribe a URL to the events of the tenant's runs. Returns what is public of the subscription.

    The URL is judged, and an endpoint of standard-webhooks-1 asked to prove that it listens, before any transaction.
    Raises ValidationFailed, WebhookUrlRejected and WebhookEndpointUnverified.
    """
    webhook = _new(request, now)
    if not idempotency.has_outcome(request.idempotency_key):
        _check(request)
        _judge(webhook, door, now)
    done = idempotency.run(lambda: _store(webhook), key=request.idempotency_key, now=now)
    logger.info("webhook registered webhook=%s replay=%s", done.result["webhookId"], done.is_replay)
    return done


def generated_secret(webhook_id: str) -> str | None:
    """Return the secret that this host made for a subscription: it is told to the one request that made it.

    It is not part of the outcome kept for replays, which administrators can look at.
    """
    made = Webhook.objects.filter(pk=webhook_id, is_secret_generated=True).first()
    return None if made is None else made.secret


def _new(request: RegisterWebhook, now: datetime) -> Webhook:
    return Webhook(
        id=mint_webhook_id(request.actor.tenant_id),
        tenant_id=request.actor.tenant_id,
        url=request.url,
        events=list(dict.fromkeys(request.events)),
        tags=list(dict.fromkeys(request.tags)),
        secret=request.secret or signing.new_secret(),
        is_secret_generated=request.secret is None,
        is_standard=SignatureAlgorithm.STANDARD_WEBHOOKS in request.algorithms,
        created_by=request.actor.subject_id,
        created_at=now,
    )


def _check(request: RegisterWebhook) -> None:
    unknown = sorted(set(request.events) - registered_event_types())
    if unknown:
        raise ValidationFailed(f"There is no event type {unknown[0]!r} in the protocol.", details={"field": "events"})
    if SignatureAlgorithm.V1 not in request.algorithms:
        raise ValidationFailed("Every delivery is signed by v1: name it too.", details={"field": "signatureAlgorithms"})
    if SignatureAlgorithm.STANDARD_WEBHOOKS in request.algorithms and request.secret is not None:
        check_standard_secret(request.secret)


def check_standard_secret(secret: str) -> None:
    if signing.standard_key(secret) is None:
        raise ValidationFailed(
            "For standard-webhooks-1 a secret is whsec_ and 24 to 64 bytes in base64.", details={"field": "secret"}
        )


def _judge(webhook: Webhook, door: Door, now: datetime) -> None:
    try:
        door.check(webhook.url)
        if webhook.is_standard:
            _challenge(webhook, door, now)
    except EgressRefused as refusal:
        raise WebhookUrlRejected(refusal.reason, details={"field": "url"}) from refusal


def _challenge(webhook: Webhook, door: Door, now: datetime) -> None:
    """Send one signed message that a willing endpoint answers with a 2xx status."""
    document: JsonObject = {
        "type": CHALLENGE,
        "webhookId": webhook.pk,
        "timestamp": isoformat(now),
        "challenge": secrets.token_urlsafe(24),
    }
    body = dump_json(document).encode()
    message_id = f"{CHALLENGE}-{secrets.token_hex(8)}"
    try:
        reply = door.post(webhook.url, headers=headers_for(webhook, message_id, CHALLENGE, body, now), body=body)
    except EgressFailed as failure:
        raise WebhookEndpointUnverified(details={"reason": failure.reason}) from failure
    if not reply.is_success:
        raise WebhookEndpointUnverified(details={"status": reply.status})


def headers_for(webhook: Webhook, message_id: str, event_type: str, body: bytes, now: datetime) -> Mapping[str, str]:
    """Return all headers of a message to a subscription, signed by every scheme it takes."""
    signed = dict(signing.headers(secret=webhook.secret, body=body, event_type=event_type, at=now))
    signed["OpenWOP-Webhook-Id"] = webhook.pk
    if webhook.is_standard:
        held = _secrets_held(webhook, now)
        signed |= signing.standard_headers(message_id=message_id, secrets_held=held, body=body, at=now)
    return signed


def _secrets_held(webhook: Webhook, now: datetime) -> list[str]:
    expires_at = webhook.previous_secret_expires_at
    if expires_at is None or expires_at <= now:
        return [webhook.secret]
    return [webhook.secret, webhook.previous_secret]


def _store(webhook: Webhook) -> JsonObject:
    webhook.save(force_insert=True)
    algorithms = [SignatureAlgorithm.V1, *([SignatureAlgorithm.STANDARD_WEBHOOKS] if webhook.is_standard else [])]
    return {
        "webhookId": webhook.pk,
        "subscriptionId": webhook.pk,
        "url": webhook.url,
        "eventTypes": webhook.events,
        "signatureAlgorithms": [str(algorithm) for algorithm in algorithms],
        "createdAt": isoformat(webhook.created_at),
    }


# --- Ending, rotating -------------------------------------------------------------------------------------------------


def unregister_webhook(
    *, tenant_id: str, webhook_id: str, key: idempotency.Key | None, now: datetime
) -> idempotency.Done:
    """End a subscription: what still waits for it is dropped, and no attempt starts any more. Raises NotFound."""
    done = idempotency.run(lambda: _end(tenant_id, webhook_id, now), key=key, now=now)
    logger.info("webhook ended webhook=%s replay=%s", webhook_id, done.is_replay)
    return done


def _end(tenant_id: str, webhook_id: str, now: datetime) -> JsonObject:
    webhook = _lock(tenant_id, webhook_id)
    webhook.ended_at = now
    webhook.save(update_fields=["ended_at"])
    deliveries.drop_all_of(webhook, now=now)
    return {}


@dataclass(frozen=True, slots=True)
class RotateSecret:
    """One request to sign a subscription's deliveries with another secret."""

    actor: Actor
    webhook_id: str
    secret: str
    idempotency_key: idempotency.Key | None = None


def rotate_secret(*, request: RotateSecret, now: datetime) -> idempotency.Done:
    """Sign with the new secret from now on, and with the old one as well for ``WEBHOOK_SECRET_OVERLAP``.

    Raises NotFound, and ValidationFailed for a subscription that did not opt into standard-webhooks-1: a v1 header
    holds one signature, so there is nothing to overlap.
    """
    done = idempotency.run(lambda: _rotate(request, now), key=request.idempotency_key, now=now)
    logger.info("webhook secret rotated webhook=%s replay=%s", request.webhook_id, done.is_replay)
    return done


def _rotate(request: RotateSecret, now: datetime) -> JsonObject:
    webhook = _lock(request.actor.tenant_id, request.webhook_id)
    if not webhook.is_standard:
        raise ValidationFailed("Only a subscription of standard-webhooks-1 has a secret that can be rotated.")
    check_standard_secret(request.secret)
    webhook.previous_secret, webhook.secret = webhook.secret, request.secret
    webhook.previous_secret_expires_at = now + WEBHOOK_SECRET_OVERLAP
    webhook.is_secret_generated = False
    webhook.save(update_fields=["secret", "previous_secret", "previous_secret_expires_at", "is_secret_generated"])
    return {"rotatedAt": isoformat(now), "previousSecretExpiresAt": isoformat(webhook.previous_secret_expires_at)}


def _lock(tenant_id: str, webhook_id: str) -> Webhook:
    live = Webhook.objects.select_for_update().filter(pk=webhook_id, tenant_id=tenant_id, ended_at=None)
    webhook = live.first()
    if webhook is None:
        raise NotFound(f"There is no webhook {webhook_id}.")
    return webhook


# --- Dead letters -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeadLetterPosition:
    """Where a page of dead letters ended: the key of its last row."""

    ended_at: datetime
    delivery_id: str


def dead_letters(*, tenant_id: str, webhook_id: str, after: DeadLetterPosition | None, limit: int) -> list[Delivery]:
    """Return a subscription's deliveries that were given up, newest first, with their events. Raises NotFound."""
    live = Webhook.objects.filter(pk=webhook_id, tenant_id=tenant_id, ended_at=None)
    if not live.exists():
        raise NotFound(f"There is no webhook {webhook_id}.")
    dead = Delivery.objects.filter(webhook_id=webhook_id, outcome=str(DeliveryOutcome.DEAD)).select_related("event")
    if after is not None:
        dead = dead.filter(Q(ended_at__lt=after.ended_at) | Q(ended_at=after.ended_at, pk__lt=after.delivery_id))
    return list(dead.order_by("-ended_at", "-id")[:limit])


def dead_letter(delivery: Delivery) -> JsonObject:
    """Return what is told of a delivery that was given up: never what it carried."""
    if delivery.ended_at is None:
        raise ValueError(f"{delivery.pk} has not ended")
    told: JsonObject = {
        "deliveryId": delivery.pk,
        "webhookId": delivery.webhook_id,
        "runId": delivery.run_id,
        "eventId": delivery.event.event_id,
        "eventType": delivery.event.type,
        "attempts": delivery.attempts_made,
        "deadLetteredAt": isoformat(delivery.ended_at),
        "expiresAt": isoformat(delivery.ended_at + DELIVERY_RETENTION),
        "reason": "retries_exhausted",
    }
    return told if delivery.last_status is None else told | {"lastStatus": delivery.last_status}
