"""``core.clarificationGate``: asks people questions (interrupt.md §Payload, clarification)."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes._answers import expired
from interrupts.engine.nodes._schemas import answer_schema_problems, asked_problems
from interrupts.engine.nodes.base import Asked, Completed, NodeContext, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.kinds.clarification import MAX_QUESTIONS, answers_in
from interrupts.vocabulary import MAX_TIMEOUT_MS, InterruptKind


class ClarificationGate(NodeType):
    """Suspends until every question is answered; puts out ``answers`` by question id, and the answer as it was sent."""

    type_id = "core.clarificationGate"
    title = "Ask questions"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["questions"],
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_QUESTIONS,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["id", "question"],
                    "properties": {
                        "id": {"type": "string", "minLength": 1, "maxLength": 256},
                        "question": {"type": "string", "minLength": 1, "maxLength": 10_000},
                        "schema": {"type": "object"},
                    },
                },
            },
            "contextType": {"type": "string", "maxLength": 500},
            "timeoutMs": {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT_MS},
            "resumeSchema": {"type": "object"},
        },
    }
    inputs = frozenset[str]()
    outputs = frozenset({"answers", "resumeValue"})

    def execute(self, ctx: NodeContext) -> NodeResult:
        return Suspend(
            kind=InterruptKind.CLARIFICATION,
            data=self.asks(ctx.config).data,
            timeout_ms=as_integer(ctx.config.get("timeoutMs")),
            resume_schema=cast("JsonObject | None", ctx.config.get("resumeSchema")),
        )

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        answer = resolution.resume_value
        return expired(resolution, ctx.config.get("timeoutMs")) or Completed(
            {"answers": answers_in(ctx.asked, answer), "resumeValue": answer}
        )

    def asks(self, config: JsonObject) -> Asked:
        data: JsonObject = {name: config[name] for name in ("questions", "contextType") if name in config}
        return Asked(InterruptKind.CLARIFICATION, data)

    def check_config(self, config: JsonObject) -> list[Problem]:
        return asked_problems(InterruptKind.CLARIFICATION, config) + answer_schema_problems(config, "resumeSchema")
