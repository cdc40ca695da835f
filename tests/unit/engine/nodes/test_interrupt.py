from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes.base import Asked, Completed, Failed, Suspend
from interrupts.engine.nodes.interrupt import Interrupt
from interrupts.vocabulary import InterruptKind
from tests.unit.engine.nodes.contexts import context, granted, resolution, resumed

NODE = Interrupt()
APPROVAL: JsonObject = {"artifactId": "a", "artifactType": "t", "title": "T", "actions": ["accept"]}
UNREACHABLE: JsonObject = {**APPROVAL, "approversList": ["a"], "requiredApprovals": 2}
CREDENTIAL: JsonObject = {"provider": "p", "scopes": [], "reason": "missing", "connectUrl": "https://p.example/"}
EVENT: JsonObject = {
    "kind": "external-event",
    "data": {"eventType": "paid", "correlation": {"order": "7"}},
    "timeoutMs": 60000,
}


def pointers(config: JsonObject) -> list[str]:
    shape = validate(compile_schema(NODE.config_schema), config)
    return [problem.pointer for problem in shape or NODE.check_config(config)]


def test_it_raises_the_interrupt_that_its_configuration_writes_out() -> None:
    config: JsonObject = {**EVENT, "resumeSchema": {"type": "object"}}
    assert NODE.execute(context(config)) == Suspend(
        kind=InterruptKind.EXTERNAL_EVENT,
        data={"eventType": "paid", "correlation": {"order": "7"}},
        timeout_ms=60000,
        resume_schema={"type": "object"},
    )
    assert NODE.asks(config) == Asked(
        InterruptKind.EXTERNAL_EVENT, {"eventType": "paid", "correlation": {"order": "7"}}, ("data",)
    )


def test_on_timeout_approve_is_never_emitted() -> None:
    result = NODE.execute(context({"kind": "approval", "data": {**APPROVAL, "onTimeout": "approve"}}))
    assert isinstance(result, Suspend)
    assert result.data["onTimeout"] == "reject"


def test_an_answer_is_put_out_as_it_was_given() -> None:
    answered = resolution(InterruptKind.EXTERNAL_EVENT, resume_value=None)
    assert NODE.resume(context(EVENT), answered) == Completed({"resumeValue": None})


def test_a_deadline_that_passes_fails_the_node_naming_the_cause() -> None:
    assert NODE.resume(context(EVENT), resolution(InterruptKind.EXTERNAL_EVENT, reason="timeout")) == Failed(
        code="interrupt_expired",
        message="Nobody answered in time.",
        retryable=False,
        details={"kind": "external-event", "timeoutMs": 60000},
    )


def test_an_approval_is_concluded_as_at_an_approval_gate() -> None:
    ctx = resumed(**APPROVAL, artifactData={"v": 1})
    accepted = NODE.resume(ctx, granted())
    assert isinstance(accepted, Completed)
    assert (accepted.outputs["action"], accepted.outputs["artifactData"]) == ("accept", {"v": 1})
    rejected = NODE.resume(ctx, resolution(action="reject", decision="rejected"))
    assert rejected == Failed("approval_rejected", "The gate was rejected.", retryable=False)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (EVENT, []),
        ({"kind": "approval", "data": APPROVAL}, []),
        ({"kind": "custom", "data": {"customKind": "sms", "payload": [1]}}, []),
        ({}, ["/data", "/kind"]),
        ({"kind": "unheard-of", "data": {}}, ["/kind"]),
        ({"kind": "custom", "data": {}}, ["/data/customKind"]),
        ({"kind": "external-event", "data": {"eventType": "paid"}}, ["/data/correlation"]),
        ({"kind": "approval", "data": {**APPROVAL, "actions": []}}, ["/data/actions"]),
        ({"kind": "approval", "data": {**APPROVAL, "approversList": [""]}}, ["/data/approversList/0"]),
        ({"kind": "approval", "data": UNREACHABLE}, ["/data/requiredApprovals"]),
        ({"kind": "custom", "data": EVENT["data"]}, ["/data/correlation", "/data/customKind", "/data/eventType"]),
        ({"kind": "credential", "data": CREDENTIAL}, ["/resumeSchema"]),
        ({"kind": "custom", "data": {"customKind": "sms"}, "resumeSchema": {"type": 7}}, ["/resumeSchema/type"]),
        ({"kind": "custom", "data": {"customKind": "sms"}, "timeoutMs": -1}, ["/timeoutMs"]),
    ],
)  # fmt: skip
def test_data_that_its_kind_cannot_hold_is_refused_at_registration(config: JsonObject, expected: list[str]) -> None:
    assert pointers(config) == expected
