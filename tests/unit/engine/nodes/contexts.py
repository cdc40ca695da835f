"""What a node is called with, for tests that call one without an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes.base import NodeContext
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import InterruptKind


def context(config: JsonObject | None = None, **inputs: Any) -> NodeContext:
    owner: JsonObject = {"tenant": "acme", "subject": {"subjectId": "u-1"}}
    return NodeContext("acme/r-1", "step", "Step", config or {}, inputs, visit=0, owner=owner, site="https://w.example")


def resumed(**asked: Any) -> NodeContext:
    """The way back from an interrupt whose data was ``asked``."""
    return replace(context({"title": "T"}), asked=asked)


def resolution(kind: InterruptKind = InterruptKind.APPROVAL, **members: Any) -> Resolution:
    return Resolution(**{"kind": kind, "interrupt_id": "acme/i-1", "resume_value": None, **members})


def granted(action: str = "accept", **members: Any) -> Resolution:
    return resolution(**{"action": action, "decision": "granted", "resume_value": {"action": action}, **members})
