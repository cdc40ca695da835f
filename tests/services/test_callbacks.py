"""Callbacks and their secrets, and webhooks signed by two schemes (wire contract §17, §18)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest

from interrupts.contracts.shipped import shipped
from interrupts.contracts.validation import validate
from interrupts.models import Delivery
from interrupts.services import callbacks, webhooks
from tests.factories import NOW, actor, after, answer, log_of, one_gate, register, start, start_flow, tenant
from tests.receivers import NAME
from tests.services.lines import Line, parsed, verified

pytestmark = pytest.mark.django_db


# --- Callbacks --------------------------------------------------------------------------------------------------------


@pytest.fixture
def secret(db: None) -> str:
    return callbacks.rotate_secret(tenant=tenant(), overlap=timedelta(hours=1), now=NOW).secret


def start_with_callback(line: Line, settings: Any) -> str:
    """Its name has no address yet when the run is created; the line's door knows one when it is called."""
    settings.WOP_EGRESS_ALLOW = [(NAME, line.receiver.port)]
    register(one_gate())
    return start(actor("owner"), callback_url=line.receiver.url)


@pytest.fixture
def waiting(line: Line, secret: str, settings: Any) -> str:
    return start_with_callback(line, settings)


def test_a_callback_tells_what_a_run_waits_for_signed_by_the_tenants_secret(
    line: Line, secret: str, waiting: str
) -> None:
    assert line.deliver_all() == 1
    headers, body = parsed(line.receiver.requests[0])
    assert verified(headers, body, secret)
    assert headers["OpenWOP-Event-Type"] == "interrupt.requested"
    assert "OpenWOP-Webhook-Id" not in headers
    requested = next(event for event in log_of(waiting) if event.type == "interrupt.requested")
    delivery = Delivery.objects.get()
    told = json.loads(body)
    interrupt_id = told.pop("interruptId")
    assert told == {
        "deliveryId": delivery.pk,
        "runId": waiting,
        "nodeId": "gate",
        "kind": "approval",
        "interrupt": requested.payload,
    }
    assert validate(shipped("suspend-request"), told["interrupt"]) == []
    answer(actor("owner"), waiting, "accept")
    resolved = next(event for event in log_of(waiting) if event.type == "interrupt.resolved")
    assert resolved.payload["interruptId"] == interrupt_id


def test_a_callback_stops_once_the_interrupt_is_answered(line: Line, waiting: str) -> None:
    answer(actor("owner"), waiting, "accept")
    assert line.deliver_all() == 0
    assert Delivery.objects.get().outcome == "dropped"


def test_a_callback_stops_once_its_run_is_over(moody: Line, secret: str, settings: Any) -> None:
    run_id = start_with_callback(moody, settings)
    assert moody.deliver_all() == 1
    answer(actor("owner"), run_id, "reject")
    moody.now = after(days=1)
    assert moody.deliver_all() == 0


def test_while_a_secret_is_rotated_the_old_one_signs_on(line: Line, secret: str, waiting: str) -> None:
    made = callbacks.rotate_secret(tenant=tenant(), overlap=timedelta(hours=1), now=NOW)
    assert made.secret != secret
    assert callbacks.signing_secret(tenant_id="acme", now=after(minutes=59)) == secret
    assert callbacks.signing_secret(tenant_id="acme", now=after(hours=1)) == made.secret
    line.now = after(hours=1)
    line.deliver_all()
    headers, body = parsed(line.receiver.requests[0])
    assert verified(headers, body, made.secret, at=after(hours=1))


def test_a_secret_that_was_to_follow_is_replaced_by_a_newer_one(secret: str) -> None:
    leaked = callbacks.rotate_secret(tenant=tenant(), overlap=timedelta(hours=1), now=NOW).secret
    newest = callbacks.rotate_secret(tenant=tenant(), overlap=timedelta(0), now=after(minutes=1)).secret
    assert callbacks.signing_secret(tenant_id="acme", now=after(minutes=1)) == newest
    assert callbacks.signing_secret(tenant_id="acme", now=after(hours=2)) == newest
    assert leaked not in {newest, secret}


# --- standard-webhooks-1 ----------------------------------------------------------------------------------------------


def test_both_schemes_sign_a_delivery_and_both_secrets_during_a_rotation(line: Line) -> None:
    hook = line.subscribe("run.started", algorithms=("v1", "standard-webhooks-1"))
    first = hook.secret
    second = "whsec_" + base64.b64encode(b"s" * 24).decode()
    request = webhooks.RotateSecret(actor=actor("hook-owner"), webhook_id=hook.pk, secret=second)
    done = webhooks.rotate_secret(request=request, now=NOW).result
    assert done == {"rotatedAt": "2026-03-02T09:00:00.000Z", "previousSecretExpiresAt": "2026-03-03T09:00:00.000Z"}
    start_flow(one_gate())
    line.deliver_all()
    headers, body = parsed(line.receiver.requests[-1])
    assert verified(headers, body, second)
    assert headers["webhook-id"] == headers["Wopsite-Delivery-Id"] == Delivery.objects.get().pk
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = [
        "v1," + base64.b64encode(hmac.new(base64.b64decode(s[6:]), signed, hashlib.sha256).digest()).decode()
        for s in (second, first)
    ]
    assert headers["webhook-signature"].split(" ") == expected
    line.now = after(days=1)
    start_flow(one_gate("later"), now=line.now)
    line.deliver_all()
    headers, _ = parsed(line.receiver.requests[-1])
    assert len(headers["webhook-signature"].split(" ")) == 1
