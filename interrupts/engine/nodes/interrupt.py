"""``core.interrupt``: raises an interrupt of any served kind, with data written out in its configuration."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.admission import check_schema
from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import interrupt_rules
from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import validate
from interrupts.engine.nodes import _approval
from interrupts.engine.nodes.base import Asked, Completed, Failed, NodeContext, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import MAX_TIMEOUT_MS, InterruptKind


class Interrupt(NodeType):
    """Suspends, then puts out the answer as ``resumeValue``; an approval puts out what an approval gate does.

    A deadline that passes fails the node with ``interrupt_expired`` (wire contract §25, note A), an approval with
    ``approval_rejected``.
    """

    type_id = "core.interrupt"
    title = "Wait for an answer"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["kind", "data"],
        "properties": {
            "kind": {"enum": [str(kind) for kind in InterruptKind]},
            "data": {"type": "object"},
            "timeoutMs": {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT_MS},
            "resumeSchema": {"type": "object"},
        },
    }
    inputs = frozenset[str]()
    outputs = _approval.OUTPUTS

    def execute(self, ctx: NodeContext) -> NodeResult:
        asked = self.asks(ctx.config)
        return Suspend(
            kind=asked.kind,
            data=_approval.emitted(asked.data),
            timeout_ms=as_integer(ctx.config.get("timeoutMs")),
            resume_schema=cast("JsonObject | None", ctx.config.get("resumeSchema")),
        )

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        if resolution.kind is InterruptKind.APPROVAL:
            return _approval.conclude(resolution, ctx.asked)
        if resolution.reason == "timeout":
            details: JsonObject = {"kind": str(resolution.kind), "timeoutMs": ctx.config.get("timeoutMs")}
            return Failed("interrupt_expired", "Nobody answered in time.", details=details)
        return Completed({"resumeValue": resolution.resume_value})

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind(cast("str", config["kind"])), cast("JsonObject", config["data"]))

    def check_config(self, config: JsonObject) -> list[Problem]:
        problems = validate(interrupt_rules(cast("str", config["kind"])), config)
        if not problems and config["kind"] == InterruptKind.APPROVAL:
            data = cast("JsonObject", config["data"])
            problems = [Problem("/data" + p.pointer, p.keyword, p.message) for p in _approval.gate_problems(data)]
        if "resumeSchema" in config:
            schema = cast("JsonObject", config["resumeSchema"])
            problems += [Problem("/resumeSchema" + p.pointer, p.keyword, p.message) for p in check_schema(schema)]
        return problems
