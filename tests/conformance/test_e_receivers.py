"""Sections E and S, cases 31 and 51: URLs of receivers, and what they are sent (wire contract §17, §18, §19)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from openwop_client import verify_webhook_signature

from tests.live.installation import await_that
from tests.live.peer import Peer, assert_refused, assert_valid, percent, projected
from tests.receivers import Receiver

REFUSED = [
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
]
BOUND = re.compile(r"[A-Za-z0-9._~-]{1,128}/[A-Za-z0-9._~-]{16,128}")


def webhook(suite: Peer, url: str, *events: str, **members: Any) -> Any:
    registered = suite.post("/webhooks", {"url": url, "events": events, **members})
    assert registered.status_code == 201, registered.text
    return registered.json()


def deliveries(outside: Receiver, path: str) -> list[tuple[dict[str, str], bytes]]:
    """The headers and bodies that came to a path, in the order in which they came."""
    found = []
    for request in list(outside.requests):
        head, _, body = request.partition(b"\r\n\r\n")
        line, *rest = head.decode().split("\r\n")
        if line.split()[1] == path:
            found.append((dict(header.split(": ", 1) for header in rest), body))
    return found


def is_genuine(headers: dict[str, str], body: bytes, secret: str) -> bool:
    signature, timestamp = headers["OpenWOP-Signature"], headers["OpenWOP-Timestamp"]
    algorithm = headers["OpenWOP-Signature-Algorithm"]
    return bool(verify_webhook_signature(secret, signature, timestamp, body, algorithm_header=algorithm).valid)


@pytest.mark.parametrize("url", REFUSED)
def test_case_89_a_webhook_off_the_public_internet_is_refused(suite: Peer, url: str) -> None:
    answer = suite.post("/webhooks", {"url": url, "events": ["run.completed"]})
    assert_refused(answer, 400, "webhook_url_rejected")


@pytest.mark.parametrize("url", ["https://169.254.169.254/latest/meta-data/", *REFUSED])
def test_case_19_a_callback_url_off_the_public_internet_is_refused(suite: Peer, anonymous: Peer, url: str) -> None:
    assert anonymous.get("/.well-known/openwop").json()["interrupt"]["callbackDelivery"] is True
    answer = suite.post("/runs", {"workflowId": "conformance-approval", "callbackUrl": url})
    assert assert_refused(answer, 400, "validation_error")["details"]["field"] == "callbackUrl"


def test_case_31_ids_of_webhooks_are_bound_to_their_tenant(suite: Peer, rival: Peer) -> None:
    own = webhook(suite, "https://subscriber.invalid/hook", "run.completed")["webhookId"]
    foreign = webhook(rival, "https://subscriber.invalid/hook", "run.completed")["webhookId"]
    assert BOUND.fullmatch(own)
    assert_refused(suite.send("DELETE", f"/webhooks/{projected(foreign)}"), 403, "id_tenant_mismatch")
    assert suite.send("DELETE", f"/webhooks/{projected(own)}").status_code == 204
    assert_refused(suite.send("DELETE", f"/webhooks/{percent(own)}"), 404, "not_found")


def test_case_51_every_event_is_delivered_and_again_after_a_failure(suite: Peer, outside: Receiver) -> None:
    types = ["run.started", "node.started", "node.completed", "run.completed"]
    hook = webhook(suite, f"https://127.0.0.1:{outside.port}/flaky", *types, secret="the receiver's own")
    run_id = suite.start("conformance-noop")
    suite.until(run_id, "completed")
    wanted = {event["sequence"]: event for event in suite.log(run_id) if event["type"] in types}

    def arrived() -> list[tuple[dict[str, str], bytes]]:
        return [(h, b) for h, b in deliveries(outside, "/flaky") if json.loads(b)["runId"] == run_id]

    await_that(lambda: len(arrived()) >= 2 * len(wanted), "the deliveries did not all come twice", seconds=30)
    seen: dict[int, list[str]] = {}
    for headers, body in arrived():
        assert is_genuine(headers, body, "the receiver's own")
        assert headers["OpenWOP-Webhook-Id"] == hook["webhookId"]
        document = json.loads(body)
        assert_valid("webhook-delivery", document)
        assert document["event"] == wanted[document["event"]["sequence"]]
        assert BOUND.fullmatch(headers["Wopsite-Delivery-Id"])
        seen.setdefault(document["event"]["sequence"], []).append(headers["Wopsite-Delivery-Id"])
    assert {sequence: len(set(ids)) for sequence, ids in seen.items()} == dict.fromkeys(wanted, 1)
    dead = suite.get(f"/webhooks/{projected(hook['webhookId'])}/dead-letters")
    assert dead.json() == {"deliveries": []}
    assert suite.send("DELETE", f"/webhooks/{projected(hook['webhookId'])}").status_code == 204


def test_g30_notice_of_an_interrupt_comes_within_seconds(suite: Peer, outside: Receiver) -> None:
    url = f"https://127.0.0.1:{outside.port}/back"
    run_id = suite.suspended("conformance-approval", callbackUrl=url)

    def arrived() -> list[Any]:
        return [json.loads(body) for _, body in deliveries(outside, "/back") if json.loads(body)["runId"] == run_id]

    await_that(lambda: arrived() != [], "no notice came", seconds=10)
    (notice,) = arrived()
    assert_valid("suspend-request", notice["interrupt"])
    assert suite.answer(run_id, "accept").status_code == 200
    resolved = next(event for event in suite.log(run_id) if event["type"] == "interrupt.resolved")
    assert resolved["payload"]["interruptId"] == notice["interruptId"]
