"""``core.fail``: fails, on purpose."""

from __future__ import annotations

from interrupts.engine.nodes.base import Failed, NodeContext, NodeResult, NodeType


class Fail(NodeType):
    """Fails with the message of its input or configuration.

    The code is ``validation_error``: a workflow ends here because its author found the run's data unacceptable, and
    of the registered codes that one says so and is not retriable. ``internal_error`` would blame the host.
    """

    type_id = "core.fail"
    title = "Fail"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"message": {"type": "string", "minLength": 1, "maxLength": 1000}},
    }
    inputs = frozenset({"message"})
    outputs = frozenset[str]()

    def execute(self, ctx: NodeContext) -> NodeResult:
        message = ctx.inputs.get("message", ctx.config.get("message"))
        if isinstance(message, str) and message:
            return Failed("validation_error", message)
        return Failed("validation_error", f"The workflow fails at “{ctx.node_name}”, as its author meant it to.")
