"""Custom interrupts: accepted and kept verbatim (interrupt.md §Payload; G9)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonValue
from interrupts.errors import ValidationFailed
from tests.factories import actor, after, last, one_interrupt, reply, start_flow, status, suspension, sweep

VALUES: list[Any] = [
    None, False, 0, "", [], {}, 1.50, "\u202eesrever", {"__proto__": {"x": 1}}, {"action": "accept", "voter": "x"},
    {"resumeValue": {"resumeValue": 1}}, [[[[[{"deep": None}]]]]], {"zebra": 1, "apple": {"b": 2, "a": 1}},
    "x" * 10_000,
    {"<script>alert(1)</script>": "'; DROP TABLE interrupts_run; --"}, 12345678901234567890,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_any_answer_is_kept_as_it_was_sent(value: JsonValue) -> None:
    run_id = start_flow(one_interrupt("custom", {"customKind": "sms"}))
    assert status(run_id) == "waiting-approval"
    assert reply(actor("ann"), run_id, value).result["status"] == "completed"
    kept = last(run_id, "interrupt.resolved")["resumeValue"]
    assert (kept, type(kept)) == (value, type(value))
    assert last(run_id, "node.completed")["outputs"] == {"resumeValue": value}
    if isinstance(value, dict) and isinstance(kept, dict):
        assert list(kept) == list(value)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_any_payload_is_raised_as_it_was_written(value: JsonValue) -> None:
    data = {"customKind": "vendor/any thing", "payload": value}
    run_id = start_flow(one_interrupt("custom", data))
    assert last(run_id, "interrupt.requested")["data"] == data
    assert suspension(run_id, "ask").payload["data"] == data


def test_a_resume_schema_is_all_that_an_answer_must_satisfy() -> None:
    run_id = start_flow(one_interrupt("custom", {"customKind": "sms"}, resumeSchema={"type": "integer"}))
    wrong: list[JsonValue] = ["1", None, True, [1]]
    for value in wrong:
        with pytest.raises(ValidationFailed) as caught:
            reply(actor("ann"), run_id, value)
        assert caught.value.details["field"] == "resumeValue"
    assert status(run_id) == "waiting-approval"
    assert reply(actor("ann"), run_id, 1.0).result["status"] == "completed"


def test_a_passed_deadline_is_an_expired_interrupt() -> None:
    run_id = start_flow(one_interrupt("custom", {"customKind": "sms"}, timeoutMs=5))
    assert sweep(now=after(milliseconds=5)) == 1
    error = last(run_id, "run.failed")["error"]
    assert (error["code"], error["details"]) == ("interrupt_expired", {"kind": "custom", "timeoutMs": 5})
