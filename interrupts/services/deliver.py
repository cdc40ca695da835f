"""Making deliveries: many at once, each on its own, with the network never inside a transaction.

A courier's clerk takes what is due and records what came of it; its hands send. A receiver that hangs holds
``deliveries.PER_RECEIVER`` hands for as long as one call may take, and nobody else waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import DatabaseError

from interrupts import deliveries, outbox
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.types import JsonObject
from interrupts.models import Delivery, DeliveryAttempt, Suspension
from interrupts.services import callbacks, signing, webhooks
from interrupts.services.courier import LONGEST_WAIT, Clock, Errand, Record, backoff, settled
from interrupts.services.egress import Door, EgressFailed, EgressRefused, Reply
from interrupts.services.event_documents import event_document, sensitive_inputs
from interrupts.vocabulary import EventType

logger = logging.getLogger(__name__)


class NotSendable(Exception):
    """There is nothing to sign with, or nothing to send any more."""


@dataclass(frozen=True, slots=True)
class Message:
    """One signed request, ready to go."""

    url: str
    headers: Mapping[str, str]
    body: bytes


def take_due(limit: int, *, door: Door, clock: Clock) -> list[Errand]:
    """Start attempts at up to ``limit`` of the deliveries that are due, and return what a hand has to do for each."""
    return [_errand(attempt, door, clock) for attempt in deliveries.claim(now=clock(), limit=limit)]


def _errand(attempt: DeliveryAttempt, door: Door, clock: Clock) -> Errand:
    try:
        message = _message(attempt.delivery, clock())
    except NotSendable as error:
        return settled(partial(_failed, attempt, str(error), None, clock()))
    except DatabaseError:
        # Says nothing about this delivery: it comes back after its lease.
        raise
    except Exception as error:
        # Whatever is wrong with this one, it must come back or be reported dead; the others go on.
        logger.exception("delivery could not be made delivery=%s", attempt.delivery_id)
        reason = f"The message could not be made: {type(error).__name__}."
        return settled(partial(_failed, attempt, reason, None, clock()))
    return partial(_send, attempt, message, door, clock)


def _send(attempt: DeliveryAttempt, message: Message, door: Door, clock: Clock) -> Record:
    try:
        reply = door.post(message.url, headers=message.headers, body=message.body)
    except (EgressRefused, EgressFailed) as error:
        return partial(_failed, attempt, error.reason, None, clock())
    return partial(_record, attempt, reply, clock())


def _record(attempt: DeliveryAttempt, reply: Reply, now: datetime) -> None:
    if reply.is_success:
        deliveries.succeeded(attempt, status=reply.status, now=now)
        logger.info("delivered delivery=%s attempt=%s status=%s", attempt.delivery_id, attempt.number, reply.status)
        return
    _failed(attempt, f"The receiver answered with status {reply.status}.", reply.status, now)


def _failed(attempt: DeliveryAttempt, reason: str, status: int | None, now: datetime) -> None:
    wait_for = backoff(attempt.number - attempt.delivery.attempts_before)
    is_dead = deliveries.failed(attempt, reason=reason, status=status, wait=wait_for, now=now)
    logger.warning(
        "delivery failed delivery=%s attempt=%s dead=%s reason=%s", attempt.delivery_id, attempt.number, is_dead, reason
    )


def send_again(*, delivery_ids: Iterable[str], now: datetime) -> int:
    """Let deliveries be attempted anew, whatever came of them, and return how many. One under way is left alone."""
    count = deliveries.send_again(delivery_ids, now=now)
    logger.info("deliveries sent again by hand count=%s", count)
    return count


def purge_deliveries(*, now: datetime) -> int:
    """Delete ended deliveries past their retention and return how many.

    Then take up again what a clock that stood ahead put off, deliveries and other work: no wait is that long.
    """
    purged = deliveries.purge(now=now)
    recalled = deliveries.recall(now=now, longest=2 * LONGEST_WAIT) + outbox.recall(now=now)
    if recalled:
        logger.warning("taken up again after a change of the clock count=%s", recalled)
    return purged


# --- What is sent -----------------------------------------------------------------------------------------------------


def _message(delivery: Delivery, now: datetime) -> Message:
    return _webhook_message(delivery, now) if delivery.webhook_id else _callback_message(delivery, now)


def _webhook_message(delivery: Delivery, now: datetime) -> Message:
    webhook = delivery.webhook
    if webhook is None:
        raise NotSendable("This delivery has no webhook.")
    # Only the first entry of a log holds inputs; for the others the workflow need not be read.
    hidden = sensitive_inputs(delivery.run) if delivery.event.type == EventType.RUN_STARTED else frozenset[str]()
    document: JsonObject = {"runId": delivery.run_id, "event": event_document(delivery.event, hidden=hidden)}
    body = dump_json(document).encode()
    headers = webhooks.headers_for(webhook, delivery.pk, delivery.event.type, body, now)
    return Message(webhook.url, {**headers, "Wopsite-Delivery-Id": delivery.pk}, body)


def _callback_message(delivery: Delivery, now: datetime) -> Message:
    secret = callbacks.signing_secret(tenant_id=delivery.run.tenant_id, now=now)
    if secret is None:
        raise NotSendable("The tenant has no secret to sign callbacks with.")
    key = str(delivery.event.payload["key"])
    suspension = Suspension.objects.filter(run_id=delivery.run_id, key=key).first()
    if suspension is None:
        raise NotSendable("The interrupt is gone.")
    body = dump_json(callbacks.notice(delivery, suspension, now=now)).encode()
    event_type = str(EventType.INTERRUPT_REQUESTED)
    headers = signing.headers(secret=secret, body=body, event_type=event_type, at=now)
    return Message(delivery.run.callback_url, {**headers, "Wopsite-Delivery-Id": delivery.pk}, body)
