"""``core.conformance.mock-agent``: decides what its configuration says. Only in conformance runs."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes._answers import expired
from interrupts.engine.nodes.base import Asked, Completed, NodeContext, NodeEvent, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import EventType, InterruptKind


class MockAgent(NodeType):
    """Records ``agent.decided``; below the run's threshold the decision waits for a person (wire contract §23).

    A confidence that equals the threshold, or none at all, does not escalate.
    """

    type_id = "core.conformance.mock-agent"
    title = "Decide as told"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["mockDecision"],
        "properties": {
            "mockDecision": {
                "type": "object",
                "additionalProperties": False,
                "required": ["decision"],
                "properties": {"decision": True, "confidence": {"type": "number", "minimum": 0, "maximum": 1}},
            }
        },
    }
    inputs = frozenset[str]()
    outputs = frozenset({"decision", "confidence", "resumeValue"})

    def execute(self, ctx: NodeContext) -> NodeResult:
        decided = cast("JsonObject", ctx.config["mockDecision"])
        agent_id = ctx.agent_id or ctx.node_id
        event = NodeEvent(EventType.AGENT_DECIDED, {"agentId": agent_id, **decided})
        confidence = cast("float | None", decided.get("confidence"))
        if confidence is None or confidence >= ctx.escalation_threshold:
            return Completed(dict(decided), events=(event,))
        data: JsonObject = {
            "agentId": agent_id,
            "threshold": ctx.escalation_threshold,
            "observed": confidence,
            "decision": decided["decision"],
        }
        kind = InterruptKind.LOW_CONFIDENCE
        return Suspend(kind, data, reason=str(kind), events=(event,))

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        outputs: JsonObject = {
            "decision": ctx.asked["decision"],
            "confidence": ctx.asked["observed"],
            "resumeValue": resolution.resume_value,
        }
        return expired(resolution, None) or Completed(outputs)

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind.LOW_CONFIDENCE, config)
