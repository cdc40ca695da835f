"""What a run needs of its host (wire contract §6.3; interrupt.md §Payload)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes import NODE_TYPES, RESERVED
from interrupts.engine.offers import check_offered
from interrupts.engine.plan import parse_plan
from interrupts.errors import CapabilityRequired
from interrupts.vocabulary import CAPABILITY, InterruptKind
from tests.factories import node, one_gate, one_interrupt, workflow

ALL = frozenset(InterruptKind)
DATA: dict[InterruptKind, JsonObject] = {
    InterruptKind.CUSTOM: {"customKind": "sms"},
    InterruptKind.CONVERSATION_START: {"conversationId": "c"},
    InterruptKind.CREDENTIAL: {},
}


def lacking(document: JsonObject, kinds: frozenset[InterruptKind] = ALL) -> Any:
    with pytest.raises(CapabilityRequired) as caught:
        check_offered(parse_plan(document), kinds=kinds)
    return caught.value.details


def test_what_is_offered_passes() -> None:
    check_offered(parse_plan(one_gate()), kinds=ALL)
    for kind, data in DATA.items():
        check_offered(parse_plan(one_interrupt(kind, data)), kinds=ALL)


@pytest.mark.parametrize("kind", DATA)
def test_a_kind_that_is_not_served_is_told_by_its_capability(kind: InterruptKind) -> None:
    details = lacking(one_interrupt(kind, DATA[kind]), ALL - {kind})
    assert details == {"requiredCapability": CAPABILITY[kind], "nodeId": "ask"}


@pytest.mark.parametrize("type_id", sorted(set(RESERVED) - set(NODE_TYPES)))
def test_a_reserved_type_that_is_not_here_is_told_by_its_capability(type_id: str) -> None:
    details = lacking(workflow([node("a"), node("b", type_id)]))
    assert details == {"requiredCapability": RESERVED[type_id], "nodeId": "b"}


def test_a_conversation_gate_on_a_host_without_conversations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    document = workflow([node("talk", "core.conversationGate")])
    details = lacking(document, ALL - {InterruptKind.CONVERSATION_EXCHANGE})
    assert details == {"requiredCapability": "conversationPrimitive", "nodeId": "talk"}
    monkeypatch.delitem(NODE_TYPES, "core.conversationGate")
    assert lacking(document) == {"requiredCapability": "conversationPrimitive", "nodeId": "talk"}
