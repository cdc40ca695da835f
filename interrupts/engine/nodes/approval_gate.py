"""``core.approvalGate``: asks people for a decision (interrupt.md §Approval)."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes import _approval
from interrupts.engine.nodes._schemas import answer_schema_problems
from interrupts.engine.nodes.base import Asked, Failed, NodeContext, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import MAX_TIMEOUT_MS, Action, InterruptKind, RejectionPolicy

_TEXT: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": 500}
_REFS: Final[JsonObject] = {"type": "array", "items": {"type": "string"}, "maxItems": 200, "uniqueItems": True}
_PASSED_ON: Final = (
    "description", "artifactData", "requiredApprovals", "rejectionPolicy", "overrideBypassesQuorum", "approversList",
    "approverGroupRefs", "approverRoleRefs", "audience", "onTimeout",
)  # fmt: skip
_FROM_INPUT: Final = ("title", "description", "artifactId", "artifactType", "artifactData")


class ApprovalGate(NodeType):
    """Suspends on an approval; puts out what was decided, or fails with ``approval_rejected``.

    The inputs of the same name go before the configuration's title, description and artifact, so that a gate can show
    what its run works on; ``artifact`` is short for ``artifactData``. Whom it asks, and by which rules, only the
    configuration says: no run can talk a gate into other approvers. The member ``profile`` is tolerated and ignored.
    """

    type_id = "core.approvalGate"
    title = "Ask for approval"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["title"],
        "properties": {
            "title": _TEXT,
            "description": {"type": "string", "maxLength": 10_000},
            "actions": {
                "type": "array",
                "items": {"enum": [str(action) for action in Action]},
                "minItems": 1,
                "uniqueItems": True,
            },
            "requiredApprovals": {"type": "integer", "minimum": 1, "maximum": 100},
            "rejectionPolicy": {"enum": [str(policy) for policy in RejectionPolicy]},
            "overrideBypassesQuorum": {"type": "boolean"},
            "approversList": _REFS,
            "approverGroupRefs": _REFS,
            "approverRoleRefs": _REFS,
            "audience": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"subjects": _REFS, "groups": _REFS, "roles": _REFS},
            },
            "onTimeout": {"enum": ["reject", "approve", "escalate"]},
            "timeoutMs": {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT_MS},
            "artifactId": _TEXT,
            "artifactType": _TEXT,
            "artifactData": True,
            "resumeSchema": {"type": "object"},
            "profile": {"type": "string"},
        },
    }
    inputs = frozenset({"title", "description", "artifactId", "artifactType", "artifactData", "artifact"})
    outputs = _approval.OUTPUTS

    def execute(self, ctx: NodeContext) -> NodeResult:
        data = _payload(ctx)
        for name in ("title", "artifactId", "artifactType", "description"):
            text = data.get(name, "")
            if not isinstance(text, str) or (not text and name != "description"):
                message = f"The input “{name}” of an approval gate must be a text that is not empty."
                return Failed("node_config_invalid", message, details={"input": name})
        return Suspend(
            kind=InterruptKind.APPROVAL,
            data=data,
            timeout_ms=as_integer(ctx.config.get("timeoutMs")),
            resume_schema=cast("JsonObject | None", ctx.config.get("resumeSchema")),
        )

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        return _approval.conclude(resolution, ctx.asked)

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind.APPROVAL, config)

    def check_config(self, config: JsonObject) -> list[Problem]:
        return _approval.gate_problems(config) + answer_schema_problems(config, "resumeSchema")


def _payload(ctx: NodeContext) -> JsonObject:
    data: JsonObject = {
        "artifactId": ctx.config.get("artifactId", ctx.node_id),
        "artifactType": ctx.config.get("artifactType", "decision"),
        "title": ctx.config["title"],
        "actions": ctx.config.get("actions", [str(Action.ACCEPT), str(Action.REJECT)]),
    }
    data |= {name: ctx.config[name] for name in _PASSED_ON if name in ctx.config}
    if "artifact" in ctx.inputs:
        data["artifactData"] = ctx.inputs["artifact"]
    data |= {name: ctx.inputs[name] for name in _FROM_INPUT if name in ctx.inputs}
    return _approval.emitted(data)
