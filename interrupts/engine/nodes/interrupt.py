"""``core.interrupt``: raises an interrupt of any served kind, with data written out in its configuration."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import interrupt_rules
from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import validate
from interrupts.engine.nodes import _approval
from interrupts.engine.nodes._answers import closed, exchanged, expired, opened
from interrupts.engine.nodes._schemas import answer_schema_problems, asked_problems
from interrupts.engine.nodes.base import (
    Asked,
    Completed,
    Failed,
    NodeContext,
    NodeEvent,
    NodeResult,
    NodeType,
    Suspend,
)
from interrupts.kinds.base import Resolution
from interrupts.kinds.clarification import answers_in
from interrupts.vocabulary import MAX_TIMEOUT_MS, InterruptKind

_REASONS: Final = {InterruptKind.LOW_CONFIDENCE: str(InterruptKind.LOW_CONFIDENCE)}


class Interrupt(NodeType):
    """Suspends, then puts out the answer as ``resumeValue``; a clarification also ``answers``, by question id.

    An approval puts out what an approval gate does. For every other kind the input ``data`` is laid over the data of
    the configuration, member by member: an order number to wait for, a conversation's id. Whom an approval asks, and
    by which rules, no run can change.

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
    inputs = frozenset({"data"})
    outputs = _approval.OUTPUTS | {"answers"}

    def execute(self, ctx: NodeContext) -> NodeResult:
        asked = self.asks(ctx.config)
        data = _approval.emitted(asked.data)
        if "data" in ctx.inputs:
            laid = ctx.inputs["data"]
            if not isinstance(laid, dict) or asked.kind is InterruptKind.APPROVAL:
                return _refused("The input “data” must be an object, and an approval takes none.", "")
            data = {**data, **laid}
            problems = _data_problems(asked.kind, {**ctx.config, "data": data})
            if problems:
                return _refused(problems[0].message, problems[0].pointer)
        return Suspend(
            kind=asked.kind,
            data=data,
            timeout_ms=as_integer(ctx.config.get("timeoutMs")),
            resume_schema=cast("JsonObject | None", ctx.config.get("resumeSchema")),
            reason=_REASONS.get(asked.kind),
            then=_raised(asked.kind, data),
        )

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        if resolution.kind is InterruptKind.APPROVAL:
            return _approval.conclude(resolution, ctx.asked)
        failure = expired(resolution, ctx.config.get("timeoutMs"))
        if failure is not None:
            return failure
        if resolution.kind is InterruptKind.CREDENTIAL and resolution.resume_value == {"outcome": "declined"}:
            return Failed("connector_auth_declined", "Somebody declined to connect the account that this needs.")
        outputs: JsonObject = {"resumeValue": resolution.resume_value}
        if resolution.kind is InterruptKind.CLARIFICATION:
            outputs["answers"] = answers_in(ctx.asked, resolution.resume_value)
        return Completed(outputs, events=_answered(ctx, resolution))

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind(cast("str", config["kind"])), cast("JsonObject", config["data"]), ("data",))

    def check_config(self, config: JsonObject) -> list[Problem]:
        return _data_problems(self.asks(config).kind, config) + answer_schema_problems(config, "resumeSchema")


def _data_problems(kind: InterruptKind, config: JsonObject) -> list[Problem]:
    problems = validate(interrupt_rules(kind), config)
    if problems:
        return problems
    data = cast("JsonObject", config["data"])
    found = _approval.gate_problems(data) if kind is InterruptKind.APPROVAL else asked_problems(kind, data)
    return [Problem("/data" + p.pointer, p.keyword, p.message) for p in found]


def _refused(message: str, pointer: str) -> Failed:
    return Failed("node_config_invalid", message, details={"input": "data", "pointer": pointer.removeprefix("/data")})


def _raised(kind: InterruptKind, data: JsonObject) -> tuple[NodeEvent, ...]:
    return (opened(cast("str", data["conversationId"])),) if kind is InterruptKind.CONVERSATION_START else ()


def _answered(ctx: NodeContext, resolution: Resolution) -> tuple[NodeEvent, ...]:
    """What an answer means beyond itself: a turn, or the end of a conversation."""
    if resolution.kind not in (InterruptKind.CONVERSATION_EXCHANGE, InterruptKind.CONVERSATION_CLOSE):
        return ()
    conversation_id = cast("str", ctx.asked["conversationId"])
    turns = ctx.turns.get(conversation_id, 0)
    if resolution.kind is InterruptKind.CONVERSATION_CLOSE:
        return (closed(conversation_id, turn_count=turns, reason=ctx.asked.get("reason")),)
    asked_index = as_integer(ctx.asked.get("turnIndex"))
    turn_index = turns if asked_index is None else asked_index
    return (exchanged(conversation_id, turn_index, resolution.resume_value),)
