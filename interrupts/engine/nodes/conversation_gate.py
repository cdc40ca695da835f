"""``core.conversationGate``: opens a conversation, asks for its turns one after the other, closes it (§23)."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import interrupt_rules
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import validate
from interrupts.engine.keys import conversation_id
from interrupts.engine.nodes._answers import EXPIRED, closed, exchanged, expired, opened
from interrupts.engine.nodes._schemas import asked_problems
from interrupts.engine.nodes.base import Asked, Completed, Failed, NodeContext, NodeEvent, NodeResult, NodeType, Suspend
from interrupts.errors import RosterExceeded, SpeakerNotParticipant, WopError
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import MAX_PARTICIPANTS, MAX_TIMEOUT_MS, NODE_ID_PATTERN, InterruptKind

_RULES: Final = interrupt_rules(InterruptKind.CONVERSATION_EXCHANGE)
_PROMPT: Final = "What do you say?"
_MOCK_SPEAKER: Final = "host:conformance-mock"


class ConversationGate(NodeType):
    """Suspends on ``turnCount`` exchanges (1 unless configured); puts out the last turn as ``outcome``.

    With ``participants`` only they may speak as agents. The conversation's id is the execution's own, so it is never
    used twice. ``mockAutoResume`` is for conformance runs, where the gate takes all turns itself.
    """

    type_id = "core.conversationGate"
    title = "Hold a conversation"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "lifecycle": {"enum": ["open-exchange-close"]},
            "prompt": {"type": "string", "minLength": 1, "maxLength": 10_000},
            "outcomeSchema": {"type": "object"},
            "turnCount": {"type": "integer", "minimum": 1, "maximum": 100},
            "participants": {
                "type": "array",
                "minItems": 1,
                # More than may ever speak together, so that a larger roster is told so when a run is created.
                "maxItems": 1_000,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["agentId"],
                    "properties": {
                        "agentId": {"type": "string", "pattern": NODE_ID_PATTERN},
                        "name": {"type": "string", "maxLength": 256},
                    },
                },
            },
            "timeoutMs": {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT_MS},
            "mockAutoResume": {"type": "boolean"},
        },
    }
    inputs = frozenset({"prompt"})
    outputs = frozenset({"conversationId", "turnCount", "outcome"})

    def __init__(self, *, may_answer_itself: bool = False) -> None:
        self.may_answer_itself = may_answer_itself

    def execute(self, ctx: NodeContext) -> NodeResult:
        name = conversation_id(ctx.run_id, ctx.node_id, ctx.visit)
        roster = {"participants": ctx.config["participants"]} if "participants" in ctx.config else {}
        begin = opened(name, **roster)
        if self.may_answer_itself and ctx.config.get("mockAutoResume"):
            return _held_with_itself(name, begin, _turn_count(ctx))
        data: JsonObject = {"conversationId": name, **self._asked(ctx.config), **ctx.inputs, "turnIndex": 0}
        problems = validate(_RULES, {"data": data}) or asked_problems(InterruptKind.CONVERSATION_EXCHANGE, data)
        if problems:
            return Failed("node_config_invalid", problems[0].message, details={"input": "prompt"})
        return _ask(ctx, data, then=(begin,))

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        name, turn_index = cast("str", ctx.asked["conversationId"]), cast("int", ctx.asked["turnIndex"])
        end = closed(name, turn_count=turn_index, reason=EXPIRED)
        failure = expired(resolution, ctx.config.get("timeoutMs"), events=(end,))
        if failure is not None:
            return failure
        turn = exchanged(name, turn_index, resolution.resume_value)
        if turn_index + 1 < _turn_count(ctx):
            return _ask(ctx, {**ctx.asked, "turnIndex": turn_index + 1}, events=(turn,))
        return _over(name, (turn,), turn_index + 1, resolution.resume_value)

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind.CONVERSATION_EXCHANGE, self._asked(config))

    def check_config(self, config: JsonObject) -> list[Problem]:
        problems = asked_problems(InterruptKind.CONVERSATION_EXCHANGE, config)
        if config.get("mockAutoResume") and not self.may_answer_itself:
            problems.append(Problem("/mockAutoResume", "conformance", "Only a conformance run answers itself."))
        return problems

    def refuses_start(self, config: JsonObject) -> WopError | None:
        if len(_roster(config)) <= MAX_PARTICIPANTS:
            return None
        return RosterExceeded(details={"maxParticipants": MAX_PARTICIPANTS})

    def refuses_answer(self, config: JsonObject, value: JsonValue) -> WopError | None:
        """A turn that names its speaker, or that an agent took, must come from the roster, if there is one."""
        roster = _roster(config)
        if not roster or not isinstance(value, dict) or not ("speakerId" in value or value.get("role") == "agent"):
            return None
        return None if value.get("speakerId") in roster else SpeakerNotParticipant(details={"participants": roster})

    def _asked(self, config: JsonObject) -> JsonObject:
        return {"prompt": _PROMPT} | {name: config[name] for name in ("prompt", "outcomeSchema") if name in config}


def _ask(
    ctx: NodeContext, data: JsonObject, *, events: tuple[NodeEvent, ...] = (), then: tuple[NodeEvent, ...] = ()
) -> Suspend:
    timeout_ms = as_integer(ctx.config.get("timeoutMs"))
    return Suspend(InterruptKind.CONVERSATION_EXCHANGE, data, timeout_ms=timeout_ms, events=events, then=then)


def _over(name: str, events: tuple[NodeEvent, ...], turn_count: int, outcome: JsonValue) -> Completed:
    outputs: JsonObject = {"conversationId": name, "turnCount": turn_count, "outcome": outcome}
    return Completed(outputs, events=(*events, closed(name, turn_count=turn_count, reason="completed")))


def _held_with_itself(name: str, begin: NodeEvent, turn_count: int) -> Completed:
    """The conversation of a conformance run in which nobody takes part: the same turns every time."""
    turns: list[JsonObject] = [
        {
            "messageId": f"{name}-{index}",
            "from": _MOCK_SPEAKER,
            "content": f"Turn {index + 1} of {turn_count}.",
            "ts": 0,
            "role": "agent",
            "speakerId": _MOCK_SPEAKER,
            "turnIndex": index,
        }
        for index in range(turn_count)
    ]
    spoken = tuple(exchanged(name, index, turn) for index, turn in enumerate(turns))
    return _over(name, (begin, *spoken), turn_count, turns[-1])


def _turn_count(ctx: NodeContext) -> int:
    return as_integer(ctx.config.get("turnCount")) or 1


def _roster(config: JsonObject) -> list[JsonValue]:
    return [participant["agentId"] for participant in cast("list[JsonObject]", config.get("participants", []))]
