"""POST /webhooks and what follows (wire contract §18, §24.3; case 89)."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from interrupts.conf import DELIVERY_MAX_ATTEMPTS
from interrupts.models import Delivery, IdempotencyRecord, Webhook
from interrupts.services import deliver
from interrupts.services.deliver import take_due
from interrupts.services.egress import from_settings
from interrupts.vocabulary import Scope
from tests import factories
from tests.errands import make_next
from tests.receivers import Handler, Receiver, answering, authority_file, receiving
from tests.surfaces.rest.api import KEY, Api, wire

pytestmark = pytest.mark.django_db

PUBLIC = "https://93.184.216.34/hook"
WHSEC = "whsec_" + base64.b64encode(b"k" * 32).decode()
BODY: dict[str, Any] = {"url": PUBLIC, "events": ["run.completed", "interrupt.requested"]}


def registered(api: Api, **members: Any) -> dict[str, Any]:
    answer = api.post("/webhooks", BODY | members)
    assert answer.status == 201, answer.raw
    answer.fits("register-webhook-response")
    return dict(answer.body)


def path(webhook_id: str, *below: str) -> str:
    return "/".join(["/webhooks", wire(webhook_id), *below])


# --- Registering ------------------------------------------------------------------------------------------------------


def test_the_answer_serves_the_contract_and_the_published_client(api: Api) -> None:
    body = registered(api)
    hook = Webhook.objects.get()
    assert body == {
        "webhookId": hook.pk,
        "subscriptionId": hook.pk,
        "url": PUBLIC,
        "eventTypes": ["run.completed", "interrupt.requested"],
        "signatureAlgorithms": ["v1"],
        "createdAt": body["createdAt"],
        "secret": hook.secret,
    }
    assert hook.pk.startswith("acme/w-")
    assert len(base64.b64decode(hook.secret.removeprefix("whsec_"))) == 32


def test_a_secret_of_the_callers_own_is_never_echoed(api: Api) -> None:
    body = registered(api, secret="my own secret")
    assert "secret" not in body
    assert Webhook.objects.get().secret == "my own secret"


@pytest.mark.parametrize(
    "url",
    [
        "http://webhook-egress-probe.example.com/hook",
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://localhost/hook",
        "https://10.255.255.1/hook",
        "https://192.168.255.1/hook",
        "https://169.254.169.254/hook",
        "https://[fd00::1]/hook",
        "https://[::ffff:7f00:1]/hook",
        "https://[::ffff:a9fe:a9fe]/hook",
        "https://[::ffff:a00:1]/hook",
        "https://user:password@93.184.216.34/hook",
        "https://93.184.216.34:8443/hook",
        "https://2130706433/hook",
        "not a url",
    ],
)
def test_a_url_that_the_guard_refuses_is_not_registered(api: Api, url: str) -> None:
    assert api.post("/webhooks", BODY | {"url": url}).refused(400, "webhook_url_rejected") == {"field": "url"}
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"events": []}, "events"),
        ({"events": ["run.exploded"]}, "events"),
        ({"events": "run.completed"}, "events"),
        ({"signatureAlgorithms": []}, "signatureAlgorithms"),
        ({"signatureAlgorithms": ["v2"]}, "signatureAlgorithms.0"),
        ({"signatureAlgorithms": ["standard-webhooks-1"]}, "signatureAlgorithms"),
        ({"signatureAlgorithms": ["v1", "standard-webhooks-1"], "secret": "short"}, "secret"),
        ({"signatureAlgorithms": ["v1", "standard-webhooks-1"], "secret": "whsec_c2hvcnQ="}, "secret"),
        ({"secret": ""}, "secret"),
        ({"tags": [""]}, "tags.0"),
        ({"callback": "x"}, "callback"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_by_field(api: Api, members: dict[str, Any], field: str) -> None:
    assert api.post("/webhooks", BODY | members).refused(400, "validation_error")["field"] == field
    assert not Webhook.objects.exists()


def test_every_registered_event_type_may_be_asked_for_those_too_that_never_come(api: Api) -> None:
    assert registered(api, events=["run.paused", "agent.decided"])["eventTypes"] == ["run.paused", "agent.decided"]


def test_the_same_request_with_its_key_is_told_the_same_secret_which_no_record_holds(api: Api) -> None:
    first = api.post("/webhooks", BODY, Idempotency_Key=KEY)
    again = api.post("/webhooks", BODY, Idempotency_Key=KEY)
    assert first.raw == again.raw
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    assert Webhook.objects.count() == 1
    assert first.body["secret"] not in json.dumps(IdempotencyRecord.objects.get().outcome)


@pytest.mark.parametrize("method", ["POST", "DELETE", "dead-letters", "rotate-secret"])
def test_each_operation_needs_the_scope(api: Api, method: str) -> None:
    hook = path(registered(api)["webhookId"])
    others = [scope for scope in Scope if scope is not Scope.WEBHOOKS_MANAGE]
    without = Api(factories.api_key("rita", scopes=others))
    answers = {
        "POST": lambda: without.post("/webhooks", BODY),
        "DELETE": lambda: without.send("DELETE", hook),
        "dead-letters": lambda: without.get(f"{hook}/dead-letters"),
        "rotate-secret": lambda: without.post(f"{hook}/rotate-secret", {"secret": WHSEC}),
    }
    assert answers[method]().refused(403, "forbidden") == {"scopeRequired": "webhooks:manage"}


# --- The challenge of standard-webhooks-1 -----------------------------------------------------------------------------


def reachable(receiver: Receiver, settings: Any, folder: Path) -> str:
    settings.WOP_EGRESS_ALLOW = [("127.0.0.0/8", receiver.port)]
    settings.WOP_EGRESS_CA_FILE = authority_file(folder)
    return f"https://127.0.0.1:{receiver.port}/hook"


STANDARD = {"signatureAlgorithms": ["v1", "standard-webhooks-1"]}


def test_an_endpoint_of_standard_webhooks_proves_first_that_it_listens(api: Api, settings: Any, tmp_path: Path) -> None:
    with receiving(answering("204 No Content"), identity="127.0.0.1") as receiver:
        url = reachable(receiver, settings, tmp_path)
        body = registered(api, url=url, **STANDARD)
    assert body["signatureAlgorithms"] == ["v1", "standard-webhooks-1"]
    (challenge,) = receiver.requests
    head, _, raw = challenge.partition(b"\r\n\r\n")
    assert json.loads(raw)["type"] == "webhook.challenge"
    for header in (b"webhook-id: ", b"webhook-timestamp: ", b"webhook-signature: v1,", b"OpenWOP-Signature: sha256="):
        assert header in head
    assert f"OpenWOP-Webhook-Id: {body['webhookId']}".encode() in head


@pytest.mark.parametrize(
    "handler", [answering("404 Not Found"), answering("302 Found", "Location: /"), lambda *_: None]
)
def test_an_endpoint_that_does_not_answer_the_challenge_is_not_registered(
    api: Api, settings: Any, tmp_path: Path, handler: Handler
) -> None:
    with receiving(handler, identity="127.0.0.1") as receiver:
        url = reachable(receiver, settings, tmp_path)
        api.post("/webhooks", BODY | {"url": url} | STANDARD).refused(400, "webhook_endpoint_unverified")
    assert len(receiver.requests) == 1
    assert not Webhook.objects.exists()


def test_an_endpoint_that_the_guard_refuses_is_never_challenged(api: Api, settings: Any, tmp_path: Path) -> None:
    with receiving(answering(), identity="127.0.0.1") as receiver:
        url = reachable(receiver, settings, tmp_path)
        settings.WOP_EGRESS_ALLOW = []
        api.post("/webhooks", BODY | {"url": url} | STANDARD).refused(400, "webhook_url_rejected")
    assert receiver.connections == 0


def test_a_replayed_registration_is_not_challenged_again(api: Api, settings: Any, tmp_path: Path) -> None:
    with receiving(answering(), identity="127.0.0.1") as receiver:
        body = BODY | {"url": reachable(receiver, settings, tmp_path)} | STANDARD
        first = api.post("/webhooks", body, Idempotency_Key=KEY)
        assert api.post("/webhooks", body, Idempotency_Key=KEY).raw == first.raw
    assert receiver.connections == 1


# --- Ending -----------------------------------------------------------------------------------------------------------


def test_a_subscription_ends_once(api: Api) -> None:
    hook = path(registered(api)["webhookId"])
    ended = api.send("DELETE", hook)
    assert (ended.status, ended.raw) == (204, b"")
    api.send("DELETE", hook).refused(404, "not_found")
    api.get(f"{hook}/dead-letters").refused(404, "not_found")
    api.post(f"{hook}/rotate-secret", {"secret": WHSEC}).refused(404, "not_found")


def test_ending_is_replayed_under_its_key(api: Api) -> None:
    hook = path(registered(api)["webhookId"])
    assert api.send("DELETE", hook, Idempotency_Key=KEY).status == 204
    again = api.send("DELETE", hook, Idempotency_Key=KEY)
    assert (again.status, again.headers["OpenWOP-Idempotent-Replay"]) == (204, "true")


def test_anothers_subscription_is_out_of_reach(api: Api, stranger: Api) -> None:
    hook = path(registered(api)["webhookId"])
    for answer in (
        stranger.send("DELETE", hook),
        stranger.get(f"{hook}/dead-letters"),
        stranger.post(f"{hook}/rotate-secret", {"secret": WHSEC}),
    ):
        answer.refused(403, "id_tenant_mismatch")
    assert Webhook.objects.get().ended_at is None


def test_an_unknown_or_malformed_id_is_told(api: Api) -> None:
    api.send("DELETE", path("acme/w-0123456789abcdef")).refused(404, "not_found")
    assert api.send("DELETE", "/webhooks/nope").refused(400, "validation_error") == {"field": "webhookId"}


# --- Rotating ---------------------------------------------------------------------------------------------------------


def test_a_secret_is_rotated_and_never_told(api: Api) -> None:
    hook = factories.webhook()
    Webhook.objects.filter(pk=hook.pk).update(is_standard=True)
    answer = api.post(path(hook.pk, "rotate-secret"), {"secret": WHSEC}, Idempotency_Key=KEY)
    assert answer.status == 200
    answer.fits("rotate-webhook-secret-response")
    again = api.post(path(hook.pk, "rotate-secret"), {"secret": WHSEC}, Idempotency_Key=KEY)
    assert (again.raw, again.headers["OpenWOP-Idempotent-Replay"]) == (answer.raw, "true")
    held = Webhook.objects.get()
    assert (held.secret, held.previous_secret) == (WHSEC, hook.secret)


@pytest.mark.parametrize("secret", ["plain", "whsec_", "whsec_!!!!", "whsec_" + base64.b64encode(b"x" * 65).decode()])
def test_a_secret_that_standard_webhooks_does_not_know_is_refused(api: Api, secret: str) -> None:
    hook = factories.webhook()
    Webhook.objects.filter(pk=hook.pk).update(is_standard=True)
    details = api.post(path(hook.pk, "rotate-secret"), {"secret": secret}).refused(400, "validation_error")
    assert details == {"field": "secret"}


def test_a_plain_subscription_has_no_secret_to_rotate(api: Api) -> None:
    hook = path(registered(api)["webhookId"])
    api.post(f"{hook}/rotate-secret", {"secret": WHSEC}).refused(400, "validation_error")


# --- Dead letters -----------------------------------------------------------------------------------------------------


@pytest.fixture
def dead(api: Api, settings: Any) -> str:
    """A subscription whose receiver is gone for good, with three deliveries given up on it."""
    hook = registered(api, events=["run.started"])["webhookId"]
    Webhook.objects.update(url="https://127.0.0.1/gone")
    factories.register(factories.one_gate())
    for hour in range(3):
        now = factories.after(days=hour)
        factories.start(factories.actor("owner"), now=now)
        for attempt in range(DELIVERY_MAX_ATTEMPTS):
            at = now + timedelta(hours=attempt)
            assert make_next(partial(take_due, door=from_settings(), clock=lambda at=at: at))  # type: ignore[misc]
    return str(hook)


def test_dead_letters_come_newest_first_in_pages(api: Api, dead: str) -> None:
    whole = api.get(path(dead, "dead-letters"))
    whole.fits("webhook-dead-letter-page")
    ids = [delivery["deliveryId"] for delivery in whole.body["deliveries"]]
    assert ids == list(Delivery.objects.order_by("-ended_at").values_list("pk", flat=True))
    assert {delivery["attempts"] for delivery in whole.body["deliveries"]} == {DELIVERY_MAX_ATTEMPTS}
    first = api.get(path(dead, "dead-letters") + "?limit=2").body
    assert [delivery["deliveryId"] for delivery in first["deliveries"]] == ids[:2]
    second = api.get(path(dead, "dead-letters") + f"?limit=2&cursor={first['nextCursor']}").body
    assert [delivery["deliveryId"] for delivery in second["deliveries"]] == ids[2:]
    assert "nextCursor" not in second


def test_dead_letters_tell_nothing_of_what_they_carried(api: Api, dead: str) -> None:
    text = api.get(path(dead, "dead-letters")).raw.decode()
    for word in ("payload", "secret", "signature", "owner", "127.0.0.1"):
        assert word not in text


def test_a_delivery_that_was_sent_again_by_hand_is_no_dead_letter(api: Api, dead: str) -> None:
    chosen = Delivery.objects.values_list("pk", flat=True)[0]
    deliver.send_again(delivery_ids=[chosen], now=timezone.now())
    assert len(api.get(path(dead, "dead-letters")).body["deliveries"]) == 2


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "cursor=x", "cursor="])
def test_a_page_that_cannot_be_is_refused(api: Api, dead: str, query: str) -> None:
    field = query.partition("=")[0]
    assert api.get(path(dead, "dead-letters") + f"?{query}").refused(400, "validation_error") == {"field": field}


# --- Callback URLs ----------------------------------------------------------------------------------------------------


@pytest.fixture
def signed(api: Api) -> None:
    factories.register(factories.one_gate())
    factories.callback_secret()


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/openwop-callback-probe",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::ffff:7f00:1]/openwop-callback-probe",
        "http://93.184.216.34/back",
        "https://localhost/back",
        "https://user@93.184.216.34/back",
        "https://0x7f.1/back",
        "https://2130706433/back",
        "https://0177.0.0.1/back",
        "https://[::ffff:127.0.0.1]/back",
        "https://[fe80::1]/back",
        "https://localhost./back",
        "https://metadata.google.internal/back",
        "https://93.184.216.34@127.0.0.1/back",
        "https://93.184.216.34:8443/back",
        "https://127.0.0.1\\@93.184.216.34/back",
        "file:///etc/passwd",
    ],
)
def test_a_callback_url_that_the_guard_refuses_starts_no_run(api: Api, url: str) -> None:
    refused = api.post("/runs", {"workflowId": "flow", "callbackUrl": url})
    assert refused.refused(400, "validation_error")["field"] == "callbackUrl"
    assert api.get("/runs").body == {"runs": []}


@pytest.mark.usefixtures("signed")
def test_a_run_with_a_callback_url_is_created_and_its_notice_waits_to_be_sent(api: Api) -> None:
    created = api.post("/runs", {"workflowId": "flow", "callbackUrl": PUBLIC})
    assert created.status == 201
    assert Delivery.objects.get().run_id == created.body["runId"]
    assert factories.run_of(created.body["runId"]).callback_url == PUBLIC


def test_a_tenant_without_a_secret_has_no_callbacks(api: Api, stranger: Api) -> None:
    factories.register(factories.one_gate())
    factories.callback_secret(of="globex")
    refused = api.post("/runs", {"workflowId": "flow", "callbackUrl": PUBLIC})
    assert refused.refused(400, "validation_error") == {"field": "callbackUrl"}


def test_callbacks_are_advertised_once_something_can_sign_them(api: Api, anonymous: Api) -> None:
    assert "callbackDelivery" not in anonymous.get("/.well-known/openwop").body["interrupt"]
    factories.callback_secret()
    answer = anonymous.get("/.well-known/openwop")
    assert answer.body["interrupt"]["callbackDelivery"] is True
    assert answer.fits("capabilities")
    assert answer.body["webhooks"] == {
        "status": "experimental",
        "since": "2.0",
        "until": "2.1",
        "witness": "witnessable-gated",
        "signatureAlgorithms": ["v1", "standard-webhooks-1"],
        "retryPolicy": {"maxAttempts": 12, "backoff": "exponential"},
        "deadLetter": {"retentionDays": 30, "maxPageSize": 100},
        "secretRotation": {"overlapSeconds": 86400},
    }
