"""Deliveries to receivers outside: the only writer of Delivery and DeliveryAttempt. At least once, each on its own.

A delivery is written in the transaction that appends its event, and made later by workers. Nothing here touches the
network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.db import connection, transaction
from django.db.models import Count, F, Q, QuerySet

from interrupts.conf import DELIVERY_MAX_ATTEMPTS, DELIVERY_RETENTION
from interrupts.ids import mint_delivery_id
from interrupts.models import Delivery, DeliveryAttempt, Run, RunEvent, Suspension, Webhook
from interrupts.vocabulary import DeliveryOutcome, EventType

# A few at a time, so that a receiver which hangs holds few of a worker's hands.
PER_RECEIVER = 2
LEASE = timedelta(seconds=30)
_CUT_OFF = "The worker ended before the receiver answered."


def publish(run: Run, events: Sequence[RunEvent], *, now: datetime) -> None:
    """Ask for what must be sent about events just appended, in their transaction (wire contract §17, §18)."""
    webhooks = list(Webhook.objects.filter(tenant_id=run.tenant_id, ended_at=None).only("id", "events", "tags"))
    wanted: list[tuple[RunEvent, Webhook | None]] = [
        (event, webhook) for event in events for webhook in webhooks if webhook.wants(event.type, run.tags)
    ]
    if run.callback_url:
        wanted += [(event, None) for event in events if event.type == EventType.INTERRUPT_REQUESTED]
    if wanted:
        Delivery.objects.bulk_create([_new(run, event, webhook, now) for event, webhook in wanted])


def _new(run: Run, event: RunEvent, webhook: Webhook | None, now: datetime) -> Delivery:
    return Delivery(
        id=mint_delivery_id(run.tenant_id),
        run=run,
        event=event,
        webhook=webhook,
        receiver=_callback_receiver(run) if webhook is None else webhook.pk,
        due_at=now,
        created_at=now,
    )


def _callback_receiver(run: Run) -> str:
    return f"{run.tenant_id} {urlsplit(run.callback_url).netloc}"[:512]


# --- Attempts ---------------------------------------------------------------------------------------------------------


def claim(*, now: datetime, limit: int) -> list[DeliveryAttempt]:
    """Start attempts at up to ``limit`` of the deliveries that are due, the one due longest first.

    They are ours for ``LEASE``: a worker that dies holding them delays them by that much. Receivers that have enough
    attempts under way are passed over. What nobody wants any more is ended on the way and never attempted (wire
    contract §18: after an unregistration no attempt may start), and so is what a worker died of at its last attempt.
    """
    started: list[DeliveryAttempt] = []
    with transaction.atomic():
        under_way = _under_way(now)
        while batch := _next_due(now, busy=_full(under_way), limit=limit - len(started)):
            chosen = [delivery for delivery in _to_be_made(batch, now) if _has_turn(delivery, under_way)]
            started += _start(chosen, now)
    return started


def _to_be_made(batch: Sequence[Delivery], now: datetime) -> list[Delivery]:
    """End those of a batch that are not to be made, all at once: there may be thousands. Return the others."""
    unwanted = _unwanted(batch)
    wanted = [delivery for delivery in batch if delivery.pk not in unwanted]
    made = [delivery for delivery in wanted if delivery.attempts_made < last_attempt(delivery)]
    _end(unwanted, DeliveryOutcome.DROPPED, now=now)
    _end({each.pk for each in wanted} - {each.pk for each in made}, DeliveryOutcome.DEAD, now=now, last_error=_CUT_OFF)
    return made


def _has_turn(delivery: Delivery, under_way: Counter[str]) -> bool:
    """Tell whether its receiver can take one more, and count that as under way."""
    if under_way[delivery.receiver] >= PER_RECEIVER:
        return False
    under_way[delivery.receiver] += 1
    return True


def last_attempt(delivery: Delivery) -> int:
    """Return the number of the attempt after which a delivery is given up."""
    return delivery.attempts_before + DELIVERY_MAX_ATTEMPTS


def _unwanted(batch: Sequence[Delivery]) -> set[str]:
    """Return those without a reason to be sent any more: the subscription has ended, or the interrupt has."""
    notices = [delivery for delivery in batch if delivery.webhook is None]
    waiting = Suspension.objects.filter(run_id__in={each.run_id for each in notices}, outcome=None)
    waits_at = set(waiting.values_list("run_id", "key")) if notices else set()
    ended = {each.pk for each in batch if each.webhook is not None and each.webhook.ended_at is not None}
    return ended | {each.pk for each in notices if (each.run_id, each.event.payload["key"]) not in waits_at}


def _next_due(now: datetime, *, busy: list[str], limit: int) -> list[Delivery]:
    free = _waiting().filter(due_at__lte=now).filter(Q(leased_until=None) | Q(leased_until__lte=now))
    due = free.exclude(receiver__in=busy)
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True, of=("self",))
    return list(due.select_related("webhook", "run", "event").order_by("due_at", "event_id")[:limit])


def _under_way(now: datetime) -> Counter[str]:
    """Return how many attempts each receiver has under way."""
    counts = _waiting().filter(leased_until__gt=now).values_list("receiver").annotate(count=Count("id"))
    return Counter(dict(counts))


def _full(under_way: Counter[str]) -> list[str]:
    return [receiver for receiver, count in under_way.items() if count >= PER_RECEIVER]


def _start(chosen: Sequence[Delivery], now: datetime) -> list[DeliveryAttempt]:
    for delivery in chosen:
        delivery.attempts_made += 1
        delivery.leased_until = now + LEASE
    Delivery.objects.bulk_update(chosen, ["attempts_made", "leased_until"])
    attempts = [DeliveryAttempt(delivery=each, number=each.attempts_made, started_at=now) for each in chosen]
    return DeliveryAttempt.objects.bulk_create(attempts)


def succeeded(attempt: DeliveryAttempt, *, status: int, now: datetime) -> None:
    """Record that the receiver has it."""
    with transaction.atomic():
        _finish(attempt, now=now, status=status)
        _end([attempt.delivery_id], DeliveryOutcome.DELIVERED, now=now, last_status=status, last_error="")


def failed(attempt: DeliveryAttempt, *, reason: str, status: int | None, wait: timedelta, now: datetime) -> bool:
    """Record a failed attempt and let the next one come after ``wait``. Returns whether that was the last.

    An attempt that outlived its lease says nothing about the delivery any more: a later one does.
    """
    with transaction.atomic():
        _finish(attempt, now=now, status=status, error=reason)
        if attempt.number >= last_attempt(attempt.delivery):
            return _end([attempt.delivery_id], DeliveryOutcome.DEAD, now=now, last_status=status, last_error=reason)
        current = _waiting().filter(pk=attempt.delivery_id, attempts_made=attempt.number)
        current.update(due_at=now + wait, leased_until=None, last_status=status, last_error=reason)
    return False


def _finish(attempt: DeliveryAttempt, *, now: datetime, status: int | None, error: str = "") -> None:
    DeliveryAttempt.objects.filter(pk=attempt.pk).update(ended_at=now, status=status, error=error)


def _end(delivery_ids: Collection[str], outcome: DeliveryOutcome, *, now: datetime, **members: object) -> bool:
    """End deliveries that have not ended. Of two attempts that come through at once the first one counts."""
    ended = _waiting().filter(pk__in=delivery_ids)
    return bool(delivery_ids) and bool(ended.update(outcome=str(outcome), ended_at=now, leased_until=None, **members))


def _waiting() -> QuerySet[Delivery]:
    return Delivery.objects.filter(outcome=None)


# --- Around them ------------------------------------------------------------------------------------------------------


def drop_all_of(webhook: Webhook, *, now: datetime) -> None:
    """End everything that still waits for a webhook."""
    _waiting().filter(webhook=webhook).update(outcome=str(DeliveryOutcome.DROPPED), ended_at=now, leased_until=None)


def send_again(delivery_ids: Iterable[str], *, now: datetime) -> int:
    """Let ended deliveries be attempted anew, with all attempts before them, and waiting ones at once.

    The delivery keeps its id: a receiver that has it already can tell.
    """
    idle = Q(leased_until=None) | Q(leased_until__lte=now)
    chosen = Delivery.objects.filter(idle, pk__in=list(delivery_ids))
    return chosen.update(outcome=None, ended_at=None, due_at=now, leased_until=None, attempts_before=F("attempts_made"))


def recall(*, now: datetime, longest: timedelta) -> int:
    """Make due what is put off further than anything ever is: a clock stood ahead when it was written."""
    ahead = Q(due_at__gt=now + longest) | Q(leased_until__gt=now + longest)
    return _waiting().filter(ahead).update(due_at=now, leased_until=None)


def purge(*, now: datetime) -> int:
    """Delete ended deliveries past their retention, with their attempts, and return how many."""
    old = Delivery.objects.filter(outcome__isnull=False, ended_at__lt=now - DELIVERY_RETENTION)
    _, deleted = old.delete()
    return deleted.get("interrupts.Delivery", 0)
