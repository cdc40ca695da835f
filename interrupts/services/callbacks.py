"""Callbacks: where notice of a run's interrupts goes, and what signs it (interrupt.md §Callback delivery)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed
from interrupts.models import CallbackSecret, Delivery, Suspension, Tenant
from interrupts.services import signing
from interrupts.services.egress import Door, EgressRefused

logger = logging.getLogger(__name__)


def check_callback_url(*, tenant_id: str, url: str, door: Door, now: datetime) -> None:
    """Refuse a callbackUrl that could not be served. Looks names up: never call this inside a transaction.

    Raises ValidationFailed with ``details.field: "callbackUrl"`` (wire contract §17).
    """
    if signing_secret(tenant_id=tenant_id, now=now) is None:
        raise _refused("This host has no secret to sign this tenant's callbacks with: ask its operator for one.")
    try:
        door.check(url)
    except EgressRefused as refusal:
        raise _refused(refusal.reason) from refusal


def _refused(reason: str) -> ValidationFailed:
    return ValidationFailed(f"callbackUrl: {reason}", details={"field": "callbackUrl"})


# --- Secrets ----------------------------------------------------------------------------------------------------------


def signing_secret(*, tenant_id: str, now: datetime) -> str | None:
    """Return the secret that signs a tenant's callbacks now."""
    active = CallbackSecret.objects.filter(tenant_id=tenant_id, active_from__lte=now)
    newest = active.order_by("-active_from", "-id").first()
    return None if newest is None else newest.secret


def rotate_secret(*, tenant: Tenant, overlap: timedelta, now: datetime) -> CallbackSecret:
    """Make a new secret; the one in use signs on for ``overlap``, in which receivers can learn the new one.

    A tenant's first secret signs at once. Secrets that sign no more are forgotten, and so is one that was to follow:
    the newest one always wins.
    """
    with transaction.atomic():
        Tenant.objects.select_for_update().get(pk=tenant.pk)
        held = CallbackSecret.objects.filter(tenant=tenant)
        current = held.filter(active_from__lte=now).order_by("-active_from", "-id").first()
        outdated = held if current is None else held.exclude(pk=current.pk)
        outdated.delete()
        made = CallbackSecret(
            tenant=tenant,
            secret=signing.new_secret(),
            active_from=now + overlap if current else now,
            created_at=now,
        )
        made.save(force_insert=True)
    logger.info("callback secret made tenant=%s active_from=%s", tenant.pk, made.active_from.isoformat())
    return made


# --- The notice -------------------------------------------------------------------------------------------------------


def notice(delivery: Delivery, suspension: Suspension) -> JsonObject:
    """Return what is sent when a run begins to wait (wire contract §17)."""
    return {
        "deliveryId": delivery.pk,
        "runId": suspension.run_id,
        "nodeId": suspension.node_id,
        "interruptId": suspension.pk,
        "kind": suspension.kind,
        "interrupt": suspension.payload,
    }
