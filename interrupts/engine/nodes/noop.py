"""``core.noop``: does nothing, at once."""

from __future__ import annotations

from interrupts.engine.nodes.base import Completed, NodeContext, NodeResult, NodeType


class Noop(NodeType):
    """Completes without outputs; any inputs are allowed and none is read."""

    type_id = "core.noop"
    title = "Do nothing"
    config_schema = {"type": "object", "additionalProperties": False}
    inputs = None
    outputs = frozenset[str]()

    def execute(self, ctx: NodeContext) -> NodeResult:
        return Completed({})
