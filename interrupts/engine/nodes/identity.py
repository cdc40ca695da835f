"""``core.identity``: puts out what it was given."""

from __future__ import annotations

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes.base import Completed, NodeContext, NodeResult, NodeType


class Identity(NodeType):
    """Puts out its ``payload``; a node without that input puts out all its inputs, each under its own name."""

    type_id = "core.identity"
    title = "Pass on"
    config_schema = {"type": "object", "additionalProperties": False}
    inputs = None
    outputs = None

    def execute(self, ctx: NodeContext) -> NodeResult:
        outputs: JsonObject = {"payload": ctx.inputs["payload"]} if "payload" in ctx.inputs else dict(ctx.inputs)
        return Completed(outputs)
