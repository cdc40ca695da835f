"""Sections O and P: refusals in the closed envelope, and the grammar of Idempotency-Key (wire contract §3, §10)."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, payloads


def test_case_70_an_unparsable_body_is_refused_in_the_envelope(suite: Peer) -> None:
    """The peer checks envelope and version header of every answer."""
    assert_refused(suite.send("POST", "/runs", b"{"), 400, "validation_error")
    assert_refused(suite.send("POST", "/webhooks", b"{"), 400, "validation_error")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"x"', b'{"workflowId":"a","workflowId":"b"}', b'{"a":NaN}', b"\xff"]
)
def test_case_70_so_is_a_body_that_is_no_proper_object(suite: Peer, body: bytes) -> None:
    assert_refused(suite.send("POST", "/runs", body), 400, "validation_error")


def test_case_71_refusals_have_registered_codes_at_their_registered_statuses(
    suite: Peer, anonymous: Peer, reader: Peer
) -> None:
    assert_refused(suite.get("/runs/does-not-exist"), 400, "validation_error")
    assert_refused(suite.get("/runs/acme~2Fr-00000000000000000000"), 404, "not_found")
    assert_refused(suite.get("/workflows/conformance-unknown"), 404, "not_found")
    assert_refused(suite.post("/runs", {"workflowId": "conformance-unknown"}), 404, "not_found")
    assert_refused(anonymous.get("/runs"), 401, "unauthenticated")
    assert_refused(reader.post("/runs", {"workflowId": "conformance-noop"}), 403, "forbidden")
    assert_refused(suite.send("DELETE", "/runs"), 404, "not_found")


def test_case_72_the_codes_of_a_failed_run_are_registered_and_agree(suite: Peer) -> None:
    run_id = suite.start("conformance-failure")
    snapshot = suite.until(run_id, *TERMINAL)
    assert snapshot["status"] == "failed"
    log = suite.log(run_id)
    (node,), (run,) = payloads(log, "node.failed"), payloads(log, "run.failed")
    assert node["error"]["code"] == run["error"]["code"] == snapshot["error"]["code"] == "validation_error"
    assert run["failedNodeId"] == "fail"


def test_case_73_a_key_of_22_to_128_characters_is_accepted(suite: Peer) -> None:
    for key in (f"k{uuid.uuid4().hex[:21]}", str(uuid.uuid4()), f"{uuid.uuid4().hex}".ljust(128, "~")):
        created = suite.post("/runs", {"workflowId": "conformance-noop"}, Idempotency_Key=key)
        assert created.status_code == 201
        assert "OpenWOP-Idempotent-Replay" not in created.headers


@pytest.mark.parametrize("key", ["short", "x" * 21, "x" * 129, "with space in the key 1", "key/with/slashes/in/it/1"])
def test_case_73_any_other_key_is_400(suite: Peer, key: str) -> None:
    answer = suite.post("/runs", {"workflowId": "conformance-noop"}, Idempotency_Key=key)
    assert_refused(answer, 400, "idempotency_key_invalid")


def test_a_keyed_start_is_given_again_and_not_done_again(suite: Peer) -> None:
    """conformance-idempotent: the nonce only makes bodies differ."""
    key = str(uuid.uuid4())
    body = {"workflowId": "conformance-idempotent", "inputs": {"nonce": "a"}}
    first = suite.post("/runs", body, Idempotency_Key=key)
    again = suite.post("/runs", body, Idempotency_Key=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    other = suite.post("/runs", {**body, "inputs": {"nonce": "b"}}, Idempotency_Key=key)
    assert_refused(other, 409, "idempotency_key_mismatch")


def test_a_keyed_answer_is_given_again_after_the_run_ended(suite: Peer) -> None:
    run_id, key = suite.suspended("conformance-approval"), str(uuid.uuid4())
    first = suite.resolve(run_id, {"action": "accept"}, Idempotency_Key=key)
    again = suite.resolve(run_id, {"action": "accept"}, Idempotency_Key=key)
    assert first.status_code == again.status_code == 200
    assert again.content == first.content
    late = str(uuid.uuid4())
    for replay in (None, "true"):
        refused = suite.resolve(run_id, {"action": "accept"}, Idempotency_Key=late)
        assert_refused(refused, 409, "interrupt_already_resolved")
        assert refused.headers.get("OpenWOP-Idempotent-Replay") == replay


def test_a_refused_shape_does_not_use_up_the_key(suite: Peer) -> None:
    run_id, key = suite.suspended("conformance-approval"), str(uuid.uuid4())
    assert_refused(suite.resolve(run_id, {"action": "maybe"}, Idempotency_Key=key), 400, "validation_error")
    assert suite.resolve(run_id, {"action": "accept"}, Idempotency_Key=key).status_code == 200


def test_a_body_over_the_advertised_limit_is_413(suite: Peer, anonymous: Peer) -> None:
    limit = anonymous.get("/.well-known/openwop").json()["limits"]["maxRequestBodyBytes"]
    body = {"workflowId": "conformance-noop", "metadata": {"x": "y" * limit}}
    assert_refused(suite.send("POST", "/runs", json.dumps(body).encode()), 413, "payload_too_large")
