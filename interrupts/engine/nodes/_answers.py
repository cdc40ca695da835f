"""What the node types share that raise interrupts of other kinds than an approval."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.shipped import event_payload
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import validate
from interrupts.engine.nodes.base import Failed, NodeEvent
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import EventType

EXPIRED = "interrupt_expired"


def expired(resolution: Resolution, timeout_ms: JsonValue, *, events: tuple[NodeEvent, ...] = ()) -> Failed | None:
    """Return the failure of a node whose interrupt nobody answered in time, or None (wire contract §25, note A)."""
    if resolution.reason != "timeout":
        return None
    details: JsonObject = {"kind": str(resolution.kind), "timeoutMs": timeout_ms}
    return Failed(EXPIRED, "Nobody answered in time.", details=details, events=events)


def opened(conversation_id: str, **members: JsonValue) -> NodeEvent:
    return NodeEvent(EventType.CONVERSATION_OPENED, {"conversationId": conversation_id, **members})


def exchanged(conversation_id: str, turn_index: int, answer: JsonValue) -> NodeEvent:
    """Record one turn: as ``turn`` when the answer is one of the protocol's form, else as the turn's ``outcome``."""
    payload: JsonObject = {"conversationId": conversation_id, "turnIndex": turn_index, "turn": answer}
    if validate(event_payload(EventType.CONVERSATION_EXCHANGED), payload):
        payload["outcome"] = payload.pop("turn")
    return NodeEvent(EventType.CONVERSATION_EXCHANGED, payload)


def closed(conversation_id: str, *, turn_count: int, reason: JsonValue = None) -> NodeEvent:
    payload: JsonObject = {"conversationId": conversation_id, "turnCount": turn_count}
    if reason is not None:
        payload["reason"] = cast("str", reason)
    return NodeEvent(EventType.CONVERSATION_CLOSED, payload)
