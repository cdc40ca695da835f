"""Writing a variable of the run: an event like any other."""

from __future__ import annotations

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.nodes.base import NodeContext, NodeEvent
from interrupts.vocabulary import EventType


def changed(ctx: NodeContext, name: str, value: JsonValue) -> NodeEvent:
    """Record what a variable is from now on, and what it was."""
    payload: JsonObject = {"name": name, "next": value, "nodeId": ctx.node_id}
    if name in ctx.variables:
        payload["previous"] = ctx.variables[name]
    return NodeEvent(EventType.VARIABLE_CHANGED, payload)
