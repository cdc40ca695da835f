"""``core.delay``: waits for the clock."""

from __future__ import annotations

from typing import Final

from interrupts.contracts.json_values import as_integer
from interrupts.engine.nodes.base import Completed, Failed, NodeContext, NodeResult, NodeType, Wait

MAX_DELAY_MS: Final = 2**31


class Delay(NodeType):
    """Completes after so many milliseconds: of the input ``delayMs``, else of the configuration, else none."""

    type_id = "core.delay"
    title = "Wait"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "ms": {"type": "integer", "minimum": 0, "maximum": MAX_DELAY_MS},
            "delayMs": {"type": "integer", "minimum": 0, "maximum": MAX_DELAY_MS},
        },
        "not": {"required": ["ms", "delayMs"]},
    }
    inputs = frozenset({"delayMs"})
    outputs = frozenset[str]()

    def execute(self, ctx: NodeContext) -> NodeResult:
        asked = ctx.inputs.get("delayMs", ctx.config.get("delayMs", ctx.config.get("ms", 0)))
        delay_ms = as_integer(asked)
        if delay_ms is None or not 0 <= delay_ms <= MAX_DELAY_MS:
            message = f"A delay is a whole number of milliseconds from 0 to {MAX_DELAY_MS}."
            return Failed("node_config_invalid", message, details={"input": "delayMs"})
        return Wait(delay_ms)

    def elapsed(self, ctx: NodeContext) -> NodeResult:
        return Completed({})
