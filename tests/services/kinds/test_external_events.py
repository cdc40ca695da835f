"""External events: correlation, inputs, deadlines (interrupt.md §Payload; wire contract §14, §25 row 36; case 95)."""

from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import AlreadyResolved, ValidationFailed
from tests.factories import actor, after, last, one_interrupt, reply, run_of, start_flow, status, sweep, trail

CORRELATION: JsonObject = {"orderId": "7", "amount": 12, "paid": True, "lines": [{"sku": "a", "n": 1}], "note": None}
PAID: JsonObject = {"eventType": "order.paid", "correlation": CORRELATION}


def test_a_run_waits_for_the_outside() -> None:
    run_id = start_flow(one_interrupt("external-event", PAID))
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-external", "ask")
    assert last(run_id, "interrupt.requested")["data"] == PAID


@pytest.mark.parametrize(
    "value",
    [
        {"orderId": "7", "amount": 12.0, "paid": True, "lines": [{"n": 1, "sku": "a"}], "note": None},
        {"orderId": "7", "status": "completed"},
        {"eventPayload": {"orderId": "8"}},
        {},
        None,
        "7",
        [7],
    ],
)
def test_an_event_that_agrees_or_says_nothing_of_it_is_kept_verbatim(value: JsonValue) -> None:
    run_id = start_flow(one_interrupt("external-event", PAID))
    assert reply(actor("ann"), run_id, value).result["status"] == "completed"
    assert last(run_id, "interrupt.resolved")["resumeValue"] == value
    assert last(run_id, "node.completed")["outputs"] == {"resumeValue": value}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("orderId", 7), ("orderId", "8"), ("amount", True), ("amount", "12"), ("paid", 1), ("paid", "true"),
        ("lines", []), ("lines", [{"sku": "a", "n": 2}]), ("note", False), ("note", ""),
    ],
)  # fmt: skip
def test_an_event_about_something_else_is_400_and_the_run_goes_on_waiting(member: str, value: JsonValue) -> None:
    run_id = start_flow(one_interrupt("external-event", PAID))
    with pytest.raises(ValidationFailed) as caught:
        reply(actor("ann"), run_id, {member: value})
    assert str(caught.value.details["field"]).startswith(f"resumeValue.{member}")
    assert status(run_id) == "waiting-external"


def test_a_correlation_may_hold_any_name_and_is_never_read_as_a_schema() -> None:
    data: JsonObject = {"eventType": "x", "correlation": {"$ref": "https://evil.example/", "a/b": 1, "__proto__": {}}}
    run_id = start_flow(one_interrupt("external-event", data))
    with pytest.raises(ValidationFailed):
        reply(actor("ann"), run_id, {"a/b": 2})
    sent: JsonObject = {"$ref": "https://evil.example/", "a/b": 1, "__proto__": {}}
    assert reply(actor("ann"), run_id, sent).result["status"] == "completed"


def test_what_to_wait_for_can_come_from_the_run() -> None:
    variables: list[JsonObject] = [{"name": "order", "type": "object", "required": True}]
    inputs: JsonObject = {"data": {"type": "variable", "variableName": "order"}}
    document = one_interrupt("external-event", {**PAID, "correlation": {}}, inputs=inputs)
    run_id = start_flow({**document, "variables": variables}, inputs={"order": {"correlation": {"orderId": "9"}}})
    assert last(run_id, "interrupt.requested")["data"] == {"eventType": "order.paid", "correlation": {"orderId": "9"}}
    with pytest.raises(ValidationFailed):
        reply(actor("ann"), run_id, {"orderId": "7"})
    assert reply(actor("ann"), run_id, {"orderId": "9"}).result["status"] == "completed"


@pytest.mark.parametrize("order", [{"correlation": 7}, {"eventType": None}, {"unknown": 1}])
def test_data_from_the_run_that_the_kind_cannot_hold_fails_the_node(order: JsonObject) -> None:
    variables: list[JsonObject] = [{"name": "order", "type": "object"}]
    inputs: JsonObject = {"data": {"type": "variable", "variableName": "order"}}
    document: JsonObject = {**one_interrupt("external-event", PAID, inputs=inputs), "variables": list(variables)}
    run_id = start_flow(document, inputs={"order": order})
    assert status(run_id) == "failed"
    assert last(run_id, "node.failed")["error"]["code"] == "node_config_invalid"
    assert "interrupt.requested ask" not in trail(run_id)


def test_a_late_event_is_told_so_and_the_node_has_expired() -> None:
    run_id = start_flow(one_interrupt("external-event", PAID, timeoutMs=1000))
    with pytest.raises(AlreadyResolved):
        reply(actor("ann"), run_id, {"orderId": "7"}, now=after(seconds=1))
    assert last(run_id, "run.failed")["error"]["code"] == "interrupt_expired"
    assert sweep(now=after(seconds=2)) == 0
