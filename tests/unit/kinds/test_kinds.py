"""What holds for every kind that is served. A new kind is covered here without a line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from interrupts.actor import Actor
from interrupts.contracts.shipped import event_payload, interrupt_rules
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import validate
from interrupts.errors import Forbidden
from interrupts.kinds import registry
from interrupts.kinds.base import Decided, Kind, OpenInterrupt, SingleAnswer
from interrupts.kinds.credential import RESUME_SCHEMA, Credential
from interrupts.vocabulary import CAPABILITY, WAITING_STATUS, InterruptKind, Lane, RunStatus, Scope
from tests.offers import Accounts

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANN = Actor("acme", "u-ann", Lane.API_KEY, frozenset({Scope.APPROVALS_RESPOND}))
# The least data of each kind, and an answer that it takes.
LEAST: dict[InterruptKind, tuple[JsonObject, JsonValue]] = {
    InterruptKind.CLARIFICATION: ({"questions": [{"id": "q1", "question": "?"}]}, {"q1": 1}),
    InterruptKind.EXTERNAL_EVENT: ({"eventType": "paid", "correlation": {}}, None),
    InterruptKind.CUSTOM: ({"customKind": "sms"}, [None]),
    InterruptKind.CONVERSATION_START: ({"conversationId": "c"}, None),
    InterruptKind.CONVERSATION_EXCHANGE: ({"conversationId": "c", "prompt": "?"}, "Hello."),
    InterruptKind.CONVERSATION_CLOSE: ({"conversationId": "c"}, {}),
    InterruptKind.LOW_CONFIDENCE: ({"agentId": "a", "threshold": 0.7, "observed": 0.5}, {"go": True}),
    InterruptKind.CREDENTIAL: (
        {"provider": "p", "scopes": [], "reason": "missing", "connectUrl": "https://wop.example/"},
        {"outcome": "declined"},
    ),
}
SINGLE: list[Kind] = [registry.get(kind) for kind in sorted(registry.served() - {InterruptKind.APPROVAL})]
SINGLE.append(Credential(Accounts()))

each = pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: str(kind.kind))


def opened(kind: Kind) -> OpenInterrupt:
    data = LEAST[kind.kind][0]
    owner: JsonObject = {"tenant": "acme", "subject": ANN.subject}
    return OpenInterrupt("acme/i-0123456789abcdef", "acme", "acme/r", "flow", "ask", kind.kind, data, NOW, None, owner)


def test_all_kinds_of_the_protocol_are_served_but_the_one_that_needs_an_authority() -> None:
    assert registry.served() == frozenset(InterruptKind) - {InterruptKind.CREDENTIAL}


def test_every_kind_has_a_waiting_status_and_a_capability() -> None:
    assert set(WAITING_STATUS) == set(CAPABILITY) == set(InterruptKind)
    fixed = {
        InterruptKind.APPROVAL: RunStatus.WAITING_APPROVAL,
        InterruptKind.CLARIFICATION: RunStatus.WAITING_INPUT,
        InterruptKind.EXTERNAL_EVENT: RunStatus.WAITING_EXTERNAL,
        InterruptKind.CREDENTIAL: RunStatus.WAITING_INPUT,
    }
    assert {kind: WAITING_STATUS[kind] for kind in fixed} == fixed


@each
def test_the_least_data_is_what_the_payload_schema_asks_for(kind: Kind) -> None:
    data = LEAST[kind.kind][0]
    payload: JsonObject = {"data": data}
    if kind.kind is InterruptKind.CREDENTIAL:
        payload["resumeSchema"] = RESUME_SCHEMA
    assert validate(interrupt_rules(kind.kind), payload) == []
    for name in data:
        rest = {"data": {other: value for other, value in data.items() if other != name}}
        assert validate(interrupt_rules(kind.kind), {**payload, **rest}) != []
    assert validate(interrupt_rules(kind.kind), {**payload, "data": {**data, "more": 1}}) != []


@each
def test_the_scope_is_the_whole_right_to_answer(kind: Kind) -> None:
    assert isinstance(kind, SingleAnswer)
    kind.authorize(opened(kind), ANN)
    with pytest.raises(Forbidden) as caught:
        kind.authorize(opened(kind), replace(ANN, scopes=frozenset(Scope) - {Scope.APPROVALS_RESPOND}))
    assert caught.value.details == {"scopeRequired": "approvals:respond"}


@each
def test_the_first_valid_answer_ends_it_and_is_kept_as_it_was_sent(kind: Kind) -> None:
    interrupt, answer = opened(kind), LEAST[kind.kind][1]
    right = kind.authorize(interrupt, ANN)
    assert kind.parse(interrupt, answer, now=NOW) == answer
    considered = kind.consider(interrupt, ANN, right, answer, now=NOW)
    assert isinstance(considered, Decided)
    resolution = considered.resolution
    assert (resolution.kind, resolution.interrupt_id) == (kind.kind, interrupt.id)
    assert (resolution.resume_value, resolution.resolved_by) == (answer, ANN.subject)
    assert (resolution.action, resolution.decision, resolution.reason) == (None, None, None)


@each
def test_a_passed_deadline_ends_it_without_an_answer_or_a_resolver(kind: Kind) -> None:
    resolution = kind.on_deadline(opened(kind))
    assert (resolution.kind, resolution.reason) == (kind.kind, "timeout")
    assert (resolution.resume_value, resolution.resolved_by, resolution.decision) == (None, None, None)
    payload: JsonObject = {
        "nodeId": "ask", "interruptId": resolution.interrupt_id, "kind": str(kind.kind), "reason": resolution.reason
    }  # fmt: skip
    assert validate(event_payload("interrupt.resolved"), payload) == []
