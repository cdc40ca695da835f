"""The key, the header of idempotency and bodies of every bad kind, over JSON-RPC."""

from __future__ import annotations

import json

import pytest

from interrupts.models import IdempotencyRecord, Run
from interrupts.services import identity
from tests import factories
from tests.surfaces.rest.api import KEY, Api
from tests.surfaces.rpc.client import PATH, Rpc

START = {"jsonrpc": "2.0", "method": "workflow.runs.start", "params": {"workflow_id": "flow"}, "id": 1}


def test_without_a_key_there_is_nothing_to_call(db: None) -> None:
    answer = Api().post(PATH, START)
    answer.refused(401, "unauthenticated")
    secret = factories.api_key("olga")
    identity.revoke_key(prefix=identity.prefix_of(secret), now=factories.NOW)
    Api(secret).post(PATH, START).refused(401, "credential_revoked")


def test_only_post_is_offered(rpc: Rpc) -> None:
    rpc.api.get(PATH).refused(404, "not_found")


def test_a_call_sent_again_with_its_key_is_answered_as_the_first_time(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    raw = json.dumps(START).encode()
    first, again = rpc.send(raw, Idempotency_Key=KEY), rpc.send(raw, Idempotency_Key=KEY)
    assert first.body == again.body
    assert Run.objects.count() == 1
    assert "OpenWOP-Idempotent-Replay" not in first.headers
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"


def test_a_refusal_worth_keeping_is_given_again(rpc: Rpc) -> None:
    raw = json.dumps(START).encode()
    first = rpc.send(raw, Idempotency_Key=KEY)
    factories.register(factories.one_gate())
    again = rpc.send(raw, Idempotency_Key=KEY)
    assert first.body == again.body
    assert again.body["error"]["data"]["code"] == "not_found"
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"


def test_a_key_with_another_call_is_refused_and_bound_to_its_method_and_person(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    run_id = rpc.call("workflow.runs.start", {"workflow_id": "flow"}, Idempotency_Key=KEY)["run_id"]
    other = {"workflow_id": "flow", "tags": ["x"]}
    rpc.refused("workflow.runs.start", other, "idempotency_key_mismatch", Idempotency_Key=KEY)
    assert rpc.call("workflow.runs.cancel", {"run_id": run_id}, Idempotency_Key=KEY)["status"] == "cancelled"
    colleague = Rpc(Api(factories.api_key("ben")))
    colleague.refused("workflow.runs.start", {"workflow_id": "flow"}, "idempotency_key_mismatch", Idempotency_Key=KEY)


def test_a_key_may_come_among_the_parameters_and_goes_before_the_header(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    keyed = {"workflow_id": "flow", "idempotency_key": KEY}
    first = rpc.call("workflow.runs.start", keyed)
    assert rpc.call("workflow.runs.start", keyed, Idempotency_Key="another-" + KEY) == first
    assert rpc.call("workflow.runs.start", {"workflow_id": "flow"}, Idempotency_Key=KEY) == first


def test_the_header_gives_each_call_of_a_batch_a_key_of_its_own(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    batch = [START, {**START, "id": 2}]
    first = rpc.message(batch, Idempotency_Key=KEY)
    assert first[0]["result"]["run_id"] != first[1]["result"]["run_id"]
    assert rpc.message(batch, Idempotency_Key=KEY) == first
    assert Run.objects.count() == 2
    # Another batch under the same key is another request.
    other = {**START, "params": {"workflow_id": "flow", "tags": ["x"]}}
    (answer,) = rpc.message([other], Idempotency_Key=KEY)
    assert answer["error"]["data"]["code"] == "idempotency_key_mismatch"


def test_reading_keeps_nothing_under_a_key(rpc: Rpc) -> None:
    assert rpc.call("workflow.runs.list", {}, Idempotency_Key=KEY) == {"runs": []}
    assert IdempotencyRecord.objects.count() == 0
    rpc.api.post(PATH, START, Idempotency_Key="short").refused(400, "idempotency_key_invalid")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"jsonrpc": "2.0", "jsonrpc": "2.0", "method": "x", "id": 1}',
        b'{"jsonrpc": "2.0", "method": "x", "params": {"a": NaN}, "id": 1}',
        b'{"jsonrpc": "2.0", "method": "x", "params": {"a": 1e400}, "id": 1}',
        b'{"jsonrpc": "2.0", "method": "x", "params": {"a": 1' + b"0" * 5000 + b'}, "id": 1}',
        b'{"jsonrpc": "2.0", "method": "\\u0000", "id": 1}',
        b'{"jsonrpc": "2.0", "method": "\\ud800", "id": 1}',
        b"[" * 10_000 + b"]" * 10_000,
        b'{"jsonrpc": "2.0", "method": "x", "params": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    ],
    ids=lambda raw: repr(raw[:70]),
)
def test_a_message_that_the_strict_reader_refuses_is_a_parse_error(rpc: Rpc, raw: bytes) -> None:
    answer = rpc.send(raw).body
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)
    assert set(answer["error"]["data"]["details"]) == {"line", "column"}


def test_a_message_that_is_too_large_is_refused_before_it_is_read(rpc: Rpc) -> None:
    rpc.api.send("POST", PATH, b" " * 1_048_577).refused(413, "payload_too_large")


def test_another_type_of_body_is_refused(rpc: Rpc) -> None:
    rpc.api.send("POST", PATH, b"{}", media="text/plain").refused(415, "unsupported_media_type")


@pytest.mark.parametrize("name", ["", "x" * 100_000, "workflow.runs.start ", "__class__", "toString"])
def test_a_hostile_name_is_just_no_method(rpc: Rpc, name: str) -> None:
    answer = rpc.message({"jsonrpc": "2.0", "method": name, "id": 1})
    assert answer["error"]["code"] == -32601
    assert len(answer["error"]["message"]) < 1000


@pytest.mark.parametrize(
    "workflow",
    [
        {},
        {"id": "x", "nodes": [{"id": "a", "config": {"schema": {"pattern": "(a+)+$"}}}]},
        {"$ref": "file:///etc/passwd"},
        {"nodes": [[]] * 1000},
    ],
)
def test_a_hostile_definition_is_told_what_is_wrong_with_it(rpc: Rpc, workflow: object) -> None:
    told = rpc.call("workflow.validate", {"workflow": workflow})
    assert told["valid"] is False
    assert 1 <= len(told["diagnostics"]) <= 100
