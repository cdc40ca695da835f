"""JSON-RPC 2.0 as its specification says: each of its own examples, and the rules between them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interrupts.models import Run
from interrupts.surfaces.rpc import answering
from interrupts.surfaces.rpc.answering import MAX_BATCH
from interrupts.surfaces.rpc.framing import error_code
from tests import factories
from tests.surfaces.rpc.client import Rpc

LIST = {"jsonrpc": "2.0", "method": "workflow.runs.list", "id": 1}


def told(answer: Any) -> tuple[int, Any]:
    """An error as its code and the id it answers."""
    assert "result" not in answer
    return answer["error"]["code"], answer["id"]


def test_a_call_is_answered_with_its_own_id(rpc: Rpc) -> None:
    for request_id in ("a", 7, 2.5, -1, "", None):
        assert rpc.message({**LIST, "id": request_id}) == {
            "jsonrpc": "2.0",
            "result": {"runs": []},
            "id": request_id,
        }


def test_a_method_that_is_not_there_is_not_found_by_the_code_for_it(rpc: Rpc) -> None:
    answer = rpc.message({"jsonrpc": "2.0", "method": "foobar", "id": "1"})
    assert told(answer) == (-32601, "1")
    assert answer["error"]["data"]["code"] == "not_found"
    assert "workflow.runs.start" in answer["error"]["message"]


def test_what_is_no_json_is_a_parse_error_without_an_id(rpc: Rpc) -> None:
    answer = rpc.send(b'{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]').body
    assert told(answer) == (-32700, None)
    assert answer["error"]["data"]["code"] == "validation_error"
    assert answer["error"]["data"]["details"] == {"line": 1, "column": 40}


@pytest.mark.parametrize(
    ("request_", "answered_id"),
    [
        ({"jsonrpc": "2.0", "method": 1, "params": "bar"}, None),
        ({"jsonrpc": "2.0", "id": 4}, 4),
        ({**LIST, "jsonrpc": "1.0"}, 1),
        ({**LIST, "jsonrpc": 2.0}, 1),
        ({"method": "workflow.runs.list", "id": 1}, 1),
        ({**LIST, "params": "bar"}, 1),
        ({**LIST, "params": None}, 1),
        ({**LIST, "id": {}}, None),
        ({**LIST, "id": [1]}, None),
        ({**LIST, "id": True}, None),
        ({**LIST, "parms": {}}, 1),
        ("text", None),
        (1, None),
        (None, None),
        ({}, None),
    ],
)
def test_what_is_no_request_is_an_invalid_one(rpc: Rpc, request_: Any, answered_id: Any) -> None:
    assert told(rpc.message(request_)) == (-32600, answered_id)


def test_parameters_go_by_name_alone(rpc: Rpc) -> None:
    answer = rpc.message({**LIST, "params": [10]})
    assert told(answer) == (-32602, 1)
    (problem,) = answer["error"]["data"]["details"]["problems"]
    assert (problem["pointer"], problem["keyword"]) == ("", "type")


def test_a_notification_is_carried_out_and_not_answered(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    start = {"jsonrpc": "2.0", "method": "workflow.runs.start", "params": {"workflow_id": "flow"}}
    assert rpc.message(start) is None
    assert Run.objects.count() == 1


def test_a_notification_that_fails_is_not_answered_either(rpc: Rpc) -> None:
    assert rpc.message({"jsonrpc": "2.0", "method": "foobar"}) is None
    assert rpc.message({"jsonrpc": "2.0", "method": "workflow.runs.get", "params": {}}) is None


def test_a_batch_is_answered_in_order_without_its_notifications(rpc: Rpc) -> None:
    answers = rpc.message(
        [
            LIST,
            {"jsonrpc": "2.0", "method": "workflow.runs.list"},
            {"foo": "boo"},
            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
            {**LIST, "id": "9"},
        ]
    )
    assert [answer["id"] for answer in answers] == [1, None, "5", "9"]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32600, -32601, None]


def test_a_batch_that_is_no_json_is_one_parse_error(rpc: Rpc) -> None:
    assert told(rpc.send(b'[{"jsonrpc": "2.0", "method": "sum", "id": "1"}, {"jsonrpc": "2.0", "method"]').body) == (
        -32700,
        None,
    )


def test_an_empty_batch_is_one_invalid_request(rpc: Rpc) -> None:
    assert told(rpc.message([])) == (-32600, None)


def test_each_thing_in_a_batch_that_is_no_request_is_an_invalid_one(rpc: Rpc) -> None:
    assert [told(answer) for answer in rpc.message([1, 2, []])] == [(-32600, None)] * 3


def test_a_batch_of_notifications_is_not_answered(rpc: Rpc) -> None:
    assert rpc.message([{"jsonrpc": "2.0", "method": "foobar"}] * 2) is None


def test_a_batch_has_a_largest_size_above_which_nothing_of_it_is_done(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    start = {"jsonrpc": "2.0", "method": "workflow.runs.start", "params": {"workflow_id": "flow"}}
    assert told(rpc.message([start] * (MAX_BATCH + 1))) == (-32600, None)
    assert Run.objects.count() == 0
    assert len(rpc.message([LIST] * MAX_BATCH)) == MAX_BATCH


def test_a_batch_whose_answers_grow_too_long_is_not_carried_on(rpc: Rpc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "MAX_BATCH_BYTES", 60)
    factories.register(factories.one_gate())
    start = {"jsonrpc": "2.0", "method": "workflow.runs.start", "params": {"workflow_id": "flow"}}
    answers = rpc.message([LIST, {**LIST, "id": 2}, {**start, "id": 3}, start])
    assert [answer.get("error", {}).get("data", {}).get("code") for answer in answers] == [None, None, "rate_limited"]
    assert Run.objects.count() == 0


def test_one_call_of_a_batch_that_fails_leaves_the_others_done(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    start = {"jsonrpc": "2.0", "method": "workflow.runs.start", "id": 1}
    names = [{"workflow_id": "flow"}, {"workflow_id": "nowhere"}, {"workflow_id": "flow"}]
    first, second, third = rpc.message([{**start, "params": params} for params in names])
    assert told(second) == (-32004, 1)
    assert Run.objects.filter(pk__in=[first["result"]["run_id"], third["result"]["run_id"]]).count() == 2


def test_a_call_in_a_batch_cannot_wait(rpc: Rpc, gate_run: str) -> None:
    params = {"run_id": gate_run, "after": 100, "timeout_seconds": 60}
    (answer,) = rpc.message([{"jsonrpc": "2.0", "method": "workflow.runs.events", "params": params, "id": 1}])
    assert told(answer) == (-32602, 1)
    assert answer["error"]["data"]["details"]["problems"][0]["pointer"] == "/timeout_seconds"
    wait = {"jsonrpc": "2.0", "method": "interrupts.wait", "params": {"run_id": gate_run}, "id": 1}
    (answer,) = rpc.message([wait])
    assert answer["result"]["ended"] is None


def test_a_fault_of_ours_takes_no_other_answer_with_it(
    rpc: Rpc, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def burst(*_args: object, **_options: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("interrupts.surfaces.methods.runs.read_run", burst)
    get = {"jsonrpc": "2.0", "method": "workflow.runs.get", "params": {"run_id": "acme/" + "r" * 20}, "id": 2}
    first, second = rpc.message([get, LIST])
    assert told(first) == (-32603, 2)
    assert "secret" not in json.dumps(first)
    assert first["error"]["data"]["details"]["correlationId"] in caplog.text
    assert "secret inside" in caplog.text
    assert second["result"] == {"runs": []}


@pytest.mark.parametrize(
    ("registered", "code"),
    [
        ("validation_error", -32602),
        ("webhook_url_rejected", -32602),
        ("internal_error", -32603),
        ("unauthenticated", -32001),
        ("forbidden", -32003),
        ("not_found", -32004),
        ("interrupt_already_resolved", -32009),
        ("interrupt_expired", -32010),
        ("capability_required", -32022),
        ("rate_limited", -32029),
        ("service_unavailable", -32053),
    ],
)
def test_each_class_of_refusals_has_a_code(registered: str, code: int) -> None:
    assert error_code(registered) == code
