"""Deliveries to real receivers, one attempt at a time and the clock in our hands (wire contract §17, §18)."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from interrupts import deliveries
from interrupts.conf import DELIVERY_MAX_ATTEMPTS, DELIVERY_RETENTION
from interrupts.contracts.shipped import shipped
from interrupts.contracts.validation import validate
from interrupts.models import Delivery, DeliveryAttempt, Webhook
from interrupts.services import courier, webhooks
from interrupts.services.courier import backoff
from interrupts.services.deliver import purge_deliveries, send_again, take_due
from interrupts.services.egress import Door
from tests.errands import make_next
from tests.factories import NOW, actor, after, log_of, one_gate, start_flow, webhook
from tests.services.lines import Line, Script, parsed, verified

pytestmark = pytest.mark.django_db


# --- Webhooks ---------------------------------------------------------------------------------------------------------


def test_each_event_that_was_asked_for_is_delivered_signed_and_as_it_stands_in_the_log(line: Line) -> None:
    hook = line.subscribe("run.started", "interrupt.requested")
    run_id = start_flow(one_gate())
    assert line.deliver_all() == 2
    received = [parsed(request) for request in line.receiver.requests]
    assert [headers["OpenWOP-Event-Type"] for headers, _ in received] == ["run.started", "interrupt.requested"]
    for headers, body in received:
        assert verified(headers, body, hook.secret)
        assert not verified(headers, body + b" ", hook.secret)
        assert headers["OpenWOP-Webhook-Id"] == hook.pk
        document = json.loads(body)
        assert validate(shipped("webhook-delivery"), document) == []
        assert document["runId"] == run_id
    logged = {event.event_id: event.payload for event in log_of(run_id)}
    for _, body in received:
        event = json.loads(body)["event"]
        assert event["payload"] == logged[event["eventId"]]


def test_a_delivery_carries_nothing_of_the_credential_that_started_the_run(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    line.deliver_all()
    headers, _ = parsed(line.receiver.requests[0])
    assert set(headers) == {
        "Host",
        "User-Agent",
        "Content-Type",
        "Content-Length",
        "Connection",
        "OpenWOP-Webhook-Id",
        "OpenWOP-Event-Type",
        "OpenWOP-Timestamp",
        "OpenWOP-Signature",
        "OpenWOP-Signature-Algorithm",
        "Wopsite-Delivery-Id",
    }


def test_only_runs_of_the_subscriptions_tenant_are_told(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate(), by=actor("sven", of="globex"))
    assert line.deliver_all() == 0


@pytest.mark.parametrize(
    ("wanted", "tags", "count"),
    [((), (), 1), ((), ("a",), 1), (("a", "b"), ("b", "c"), 1), (("a",), ("b",), 0), (("a",), (), 0)],
)
def test_tags_choose_runs_by_overlap(line: Line, wanted: tuple[str, ...], tags: tuple[str, ...], count: int) -> None:
    line.subscribe("run.started", tags=wanted)
    start_flow(one_gate(), tags=tags)
    assert line.deliver_all() == count


def test_what_happened_before_a_subscription_is_not_sent(line: Line) -> None:
    start_flow(one_gate())
    line.subscribe("run.started")
    assert line.deliver_all() == 0


def test_a_transaction_that_is_undone_sends_nothing(line: Line) -> None:
    line.subscribe("run.started")
    with pytest.raises(RuntimeError, match="undone"):
        _start_and_fail()
    assert line.deliver_all() == 0


def _start_and_fail() -> None:
    with transaction.atomic():
        start_flow(one_gate())
        raise RuntimeError("undone")


def test_an_input_that_the_workflow_calls_sensitive_is_not_sent(line: Line) -> None:
    line.subscribe("run.started")
    variables = [{"name": "pin", "type": "string", "sensitive": True}, {"name": "amount", "type": "number"}]
    start_flow({**one_gate(), "variables": variables}, inputs={"pin": "1234", "amount": 3})
    line.deliver_all()
    _, body = parsed(line.receiver.requests[0])
    assert json.loads(body)["event"]["payload"]["inputs"] == {"amount": 3}


# --- Failing, and trying again ----------------------------------------------------------------------------------------


def test_a_failure_is_tried_again_later_under_the_same_id_until_it_is_taken(moody: Line, script: Script) -> None:
    script.statuses = ["500 Trouble", "302 Found", "200 OK"]
    moody.subscribe("run.started")
    start_flow(one_gate())
    assert moody.deliver_all() == 1
    delivery = Delivery.objects.get()
    assert (delivery.outcome, delivery.last_status) == (None, 500)
    assert after(seconds=1) <= delivery.due_at <= after(seconds=2)
    moody.now = after(seconds=0.9)
    assert moody.deliver_all() == 0
    moody.now = after(seconds=2)
    assert moody.deliver_all() == 1
    moody.now = after(seconds=6)
    assert moody.deliver_all() == 1
    delivery.refresh_from_db()
    assert (delivery.outcome, delivery.last_status, delivery.attempts_made) == ("delivered", 200, 3)
    sent = [parsed(request)[0] for request in moody.receiver.requests]
    assert {headers["Wopsite-Delivery-Id"] for headers in sent} == {delivery.pk}
    assert [int(headers["OpenWOP-Timestamp"]) for headers in sent] == [int(NOW.timestamp()) + s for s in (0, 2, 6)]
    tried = DeliveryAttempt.objects.order_by("number").values_list("number", "status", "error")
    assert list(tried) == [
        (1, 500, "The receiver answered with status 500."),
        (2, 302, "The receiver answered with status 302."),
        (3, 200, ""),
    ]


def test_after_the_last_attempt_a_delivery_is_dead_and_says_why(moody: Line) -> None:
    hook = moody.subscribe("run.started")
    run_id = start_flow(one_gate())
    for attempt in range(DELIVERY_MAX_ATTEMPTS):
        moody.now = after(hours=attempt)
        assert moody.deliver_all() == 1
    moody.now = after(days=1)
    assert moody.deliver_all() == 0
    (dead,) = webhooks.dead_letters(tenant_id="acme", webhook_id=hook.pk, after=None, limit=10)
    told = webhooks.dead_letter(dead)
    assert validate(shipped("webhook-dead-letter-page"), {"deliveries": [told]}) == []
    assert (told["runId"], told["eventType"], told["attempts"]) == (run_id, "run.started", DELIVERY_MAX_ATTEMPTS)
    assert (told["reason"], told["lastStatus"]) == ("retries_exhausted", 500)
    assert dead.last_error == "The receiver answered with status 500."


def test_the_waits_double_up_to_an_hour_and_are_never_the_same() -> None:
    for attempt, longest in [(1, 2), (2, 4), (5, 32), (11, 2048), (12, 3600), (40, 3600)]:
        waits = [backoff(attempt).total_seconds() for _ in range(50)]
        assert longest / 2 <= min(waits) < max(waits) <= longest
        assert len(set(waits)) > 1


def test_a_receiver_that_became_private_is_not_called(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    moved = Door(allowance=line.door.allowance, limits=line.door.limits, resolve=lambda _name, _port: ["10.0.0.1"])
    assert make_next(partial(take_due, door=moved, clock=lambda: NOW))
    assert Delivery.objects.get().last_error == "This host is not on the public internet."
    assert line.receiver.connections == 0


def test_a_worker_that_died_while_it_sent_delays_a_delivery_and_loses_nothing(line: Line) -> None:
    """It had sent, and did not get to record it: the receiver gets it twice, under one id."""
    line.subscribe("run.started")
    start_flow(one_gate())
    (lost,) = deliveries.claim(now=NOW, limit=9)
    line.now = after(seconds=29)
    assert line.deliver_all() == 0
    line.now = after(seconds=30)
    assert line.deliver_all() == 1
    delivery = Delivery.objects.get()
    assert (delivery.pk, delivery.outcome, delivery.attempts_made) == (lost.delivery_id, "delivered", 2)
    assert list(DeliveryAttempt.objects.order_by("number").values_list("number", "ended_at")) == [
        (1, None),
        (2, after(seconds=30)),
    ]


def test_an_attempt_that_outlived_its_lease_undoes_nothing(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    (slow,) = deliveries.claim(now=NOW, limit=9)
    line.now = after(seconds=30)
    assert line.deliver_all() == 1
    wait = timedelta(seconds=5)
    assert deliveries.failed(slow, reason="late", status=None, wait=wait, now=after(seconds=31)) is False
    delivery = Delivery.objects.get()
    assert (delivery.outcome, delivery.last_error) == ("delivered", "")


def test_a_worker_that_dies_at_every_attempt_leaves_a_dead_letter(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    for attempt in range(DELIVERY_MAX_ATTEMPTS):
        assert len(deliveries.claim(now=after(minutes=attempt), limit=9)) == 1
    line.now = after(hours=1)
    assert line.deliver_all() == 0
    delivery = Delivery.objects.get()
    assert (delivery.outcome, delivery.last_error) == ("dead", "The worker ended before the receiver answered.")


def test_a_receiver_with_two_attempts_under_way_is_passed_over(line: Line) -> None:
    line.subscribe("run.started")
    other = webhook()
    for number in range(4):
        start_flow(one_gate(f"flow{number}"))
    taken = [attempt.delivery.receiver for attempt in deliveries.claim(now=NOW, limit=9)]
    assert sorted(taken) == sorted([other.pk] * 2 + [Webhook.objects.exclude(pk=other.pk).get().pk] * 2)


# --- Ended subscriptions ----------------------------------------------------------------------------------------------


def test_after_an_unregistration_no_attempt_starts_scheduled_retries_too(moody: Line) -> None:
    hook = moody.subscribe("run.started")
    start_flow(one_gate("first"))
    moody.deliver_all()
    start_flow(one_gate("second"))
    webhooks.unregister_webhook(tenant_id="acme", webhook_id=hook.pk, key=None, now=NOW)
    start_flow(one_gate("third"))
    moody.now = after(days=1)
    assert moody.deliver_all() == 0
    assert list(Delivery.objects.values_list("outcome", flat=True)) == ["dropped", "dropped"]
    assert moody.receiver.connections == 1


def test_a_delivery_written_while_its_subscription_ended_is_dropped(line: Line) -> None:
    hook = line.subscribe("run.started")
    start_flow(one_gate())
    Webhook.objects.filter(pk=hook.pk).update(ended_at=NOW)
    assert line.deliver_all() == 0
    assert Delivery.objects.get().outcome == "dropped"


# --- By hand, and with time -------------------------------------------------------------------------------------------


def test_a_dead_delivery_sent_again_by_hand_has_all_its_attempts_before_it(moody: Line, script: Script) -> None:
    moody.subscribe("run.started")
    start_flow(one_gate())
    for attempt in range(DELIVERY_MAX_ATTEMPTS):
        moody.now = after(hours=attempt)
        moody.deliver_all()
    delivery = Delivery.objects.get()
    assert delivery.outcome == "dead"
    assert send_again(delivery_ids=[delivery.pk], now=after(days=1)) == 1
    moody.now = after(days=1)
    assert moody.deliver_all() == 1
    waiting = Delivery.objects.get()
    assert waiting.outcome is None
    assert after(days=1, seconds=1) <= waiting.due_at <= after(days=1, seconds=2)
    script.statuses = ["200 OK"]
    moody.now = after(days=1, minutes=1)
    assert moody.deliver_all() == 1
    delivery.refresh_from_db()
    assert (delivery.outcome, delivery.attempts_made) == ("delivered", DELIVERY_MAX_ATTEMPTS + 2)


def test_a_delivery_under_way_is_not_sent_again_by_hand(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    (attempt,) = deliveries.claim(now=NOW, limit=9)
    assert send_again(delivery_ids=[attempt.delivery_id], now=NOW) == 0


def test_ended_deliveries_are_forgotten_after_their_retention(line: Line) -> None:
    line.subscribe("run.started")
    start_flow(one_gate())
    line.deliver_all()
    assert purge_deliveries(now=NOW + DELIVERY_RETENTION) == 0
    assert purge_deliveries(now=NOW + DELIVERY_RETENTION + timedelta(seconds=1)) == 1
    assert not DeliveryAttempt.objects.exists()


def test_the_longest_call_ends_before_its_lease(line: Line) -> None:
    assert timedelta(seconds=Door().limits.total + Door().limits.resolve) * 2 < deliveries.LEASE
    assert courier.FIRST_WAIT < courier.LONGEST_WAIT
