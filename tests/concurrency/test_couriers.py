"""Many deliveries at once: a receiver that is slow delays nobody else (wire contract §18)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from interrupts import deliveries
from interrupts.models import Delivery, DeliveryAttempt, Webhook
from interrupts.services.courier import Courier
from interrupts.services.deliver import take_due
from interrupts.services.egress import Door
from interrupts.services.egress.rules import Allowance
from interrupts.services.webhooks import RegisterWebhook, register_webhook
from tests.concurrency.racing import at_once, codes, until
from tests.factories import actor, one_gate, register, start, webhook
from tests.receivers import NAME, Receiver, answering, door_to, receiving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(90)]


def subscribe(receiver: Receiver, door: Door, *events: str) -> Webhook:
    request = RegisterWebhook(actor=actor("hook-owner"), url=receiver.url, events=events or ("run.started",))
    return Webhook.objects.get(pk=register_webhook(request=request, door=door, now=timezone.now()).result["webhookId"])


def door_to_all(receivers: list[Receiver], folder: Path) -> Door:
    rules = [rule for receiver in receivers for rule in ((NAME, receiver.port), ("127.0.0.0/8", receiver.port))]
    return replace(door_to(receivers[0], folder, total=6.0), allowance=Allowance.of(rules))


@contextmanager
def courier(door: Door, *, hands: int = 32) -> Iterator[Courier]:
    working = Courier(hands=hands, take=partial(take_due, door=door, clock=timezone.now))
    try:
        yield working
    finally:
        assert working.finish(seconds=20)


class Held:
    """A receiver that answers nobody before it is let go. ``waiting`` counts who waits."""

    def __init__(self) -> None:
        self.waiting = 0
        self._free = threading.Event()

    def __call__(self, stream: Any, request: bytes) -> None:
        self.waiting += 1
        self._free.wait(10)
        answering("204 No Content")(stream, request)

    def let_go(self) -> None:
        self._free.set()


def test_eight_receivers_that_hang_delay_a_ninth_by_nothing(tmp_path: Path, transactional_db: None) -> None:
    held = [Held() for _ in range(8)]
    with ExitStack() as stack:
        slow = [stack.enter_context(receiving(handler)) for handler in held]
        quick = stack.enter_context(receiving(answering("204 No Content")))
        door = door_to_all([*slow, quick], tmp_path)
        for receiver in slow:
            subscribe(receiver, door)
        register(one_gate(), now=timezone.now())
        for _ in range(3):
            start(actor("owner"), now=timezone.now())
        with courier(door) as working:
            working.wake()
            until(lambda: all(handler.waiting == 2 for handler in held), seconds=5)
            subscribe(quick, door)
            start(actor("owner"), now=timezone.now())
            working.wake()
            assert until(lambda: quick.requests != [], seconds=5) < 1.0
            assert [handler.waiting for handler in held] == [2] * 8
            for handler in held:
                handler.let_go()
            until(lambda: not Delivery.objects.filter(outcome=None).exists(), seconds=20)
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"delivered"}
    assert DeliveryAttempt.objects.count() == Delivery.objects.count() == 33


def test_a_courier_that_is_told_to_finish_starts_nothing_more(tmp_path: Path, transactional_db: None) -> None:
    handler = Held()
    with receiving(handler) as receiver:
        door = door_to_all([receiver], tmp_path)
        subscribe(receiver, door, "run.started", "node.started", "interrupt.requested")
        register(one_gate(), now=timezone.now())
        start(actor("owner"), now=timezone.now())
        working = Courier(hands=8, take=partial(take_due, door=door, clock=timezone.now))
        working.wake()
        until(lambda: handler.waiting == 2, seconds=5)
        threading.Timer(0.3, handler.let_go).start()
        assert working.finish(seconds=10)
        working.wake()
    assert list(Delivery.objects.order_by("event_id").values_list("outcome", flat=True)) == [
        "delivered",
        "delivered",
        None,
    ]


def test_two_workers_that_claim_at_once_never_take_the_same_delivery(transactional_db: None) -> None:
    for _ in range(4):
        webhook(events=["run.started"], now=timezone.now())
    register(one_gate(), now=timezone.now())
    for _ in range(2):
        start(actor("owner"), now=timezone.now())
    now = timezone.now()
    claimed = at_once(*[lambda: deliveries.claim(now=now, limit=2) for _ in range(8)])
    assert codes(claimed) == ["ok"] * 8
    claimed.append(deliveries.claim(now=now, limit=9))
    taken = [attempt.delivery_id for attempts in claimed for attempt in attempts]
    assert len(taken) == len(set(taken)) == 8


def test_an_unregistration_and_a_claim_at_once_leave_no_delivery_to_be_made(transactional_db: None) -> None:
    hook = webhook(events=["run.started"], now=timezone.now())
    register(one_gate(), now=timezone.now())
    start(actor("owner"), now=timezone.now())
    now = timezone.now()
    Webhook.objects.filter(pk=hook.pk).update(ended_at=now)
    assert at_once(*[lambda: deliveries.claim(now=now, limit=9) for _ in range(4)]) == [[]] * 4
    assert Delivery.objects.get().outcome == "dropped"
