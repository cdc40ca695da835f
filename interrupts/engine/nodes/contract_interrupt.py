"""``vendor.wopsite.interrupt``: asks for anything at all, and says by itself how it is answered."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.admission import check_schema
from interrupts.contracts.composition import ANY_OBJECT, closed_object, embedded, embedding_problems
from interrupts.contracts.dialects import dialect_of
from interrupts.contracts.json_values import as_integer
from interrupts.contracts.pointers import describes_objects
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.solicitation import question_solicits
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes import _bindings
from interrupts.engine.nodes._answers import expired
from interrupts.engine.nodes._bindings import BindingError
from interrupts.engine.nodes._schemas import answer_schema_problems, asks_for_credential
from interrupts.engine.nodes.base import (
    Asked,
    Bound,
    Completed,
    Failed,
    NodeContext,
    NodeResult,
    NodeType,
    Suspend,
    Written,
)
from interrupts.kinds.base import SUBMITTED, Contract, Resolution
from interrupts.vocabulary import MAX_TIMEOUT_MS, InterruptKind

# What the node puts out whatever the outcome; no outcome can have such a name.
_OWN_OUTPUTS: Final = frozenset({"outcome", "payload"})


class ContractInterrupt(NodeType):
    """Suspends on a custom interrupt with outcomes and schemas of its own, and leaves by the outcome of the answer.

    ``request`` puts the payload together, from the run's state or written out; a payload that does not satisfy
    ``request_schema`` fails the node with ``validation_error`` and is shown to nobody: the workflow breaks its own
    contract. An answer is ``{outcome, payload}``; ``resume`` writes parts of its payload into variables of the run.
    The node puts out ``outcome``, ``payload``, and the payload under the name of the outcome: edges with the outcome as
    their ``sourceOutput`` are the ways out. A deadline that passes fails the node with ``interrupt_expired``.
    """

    type_id = "vendor.wopsite.interrupt"
    title = "Ask by a contract"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["kind"],
        "properties": {
            "kind": {"type": "string", "minLength": 1, "maxLength": 256},
            "title": {"type": "string", "minLength": 1, "maxLength": 500},
            "request": _bindings.REQUEST,
            "resume": _bindings.RESUME,
            "outcomes": {
                "type": "array",
                "minItems": 1,
                "maxItems": 20,
                "uniqueItems": True,
                "items": {"type": "string", "minLength": 1, "maxLength": 128},
            },
            "request_schema": {"type": "object"},
            "resume_schema": {"type": "object"},
            "timeoutMs": {"type": "integer", "minimum": 0, "maximum": MAX_TIMEOUT_MS},
        },
    }
    inputs = frozenset[str]()
    outputs = None

    def execute(self, ctx: NodeContext) -> NodeResult:
        contract = _contract(ctx.config)
        try:
            payload = _bindings.build(_list(ctx.config, "request"), ctx.inputs)
        except BindingError as error:
            problem = Problem(error.pointer, "type", "Something else than an object is in the way of this binding.")
            return _broken(contract, [problem])
        problems = validate(compile_schema(contract.request_schema), payload)
        if problems:
            return _broken(contract, problems)
        return Suspend(
            kind=InterruptKind.CUSTOM,
            data={"customKind": contract.kind, "payload": payload},
            timeout_ms=as_integer(ctx.config.get("timeoutMs")),
            resume_schema=_enveloped(contract),
            contract=contract,
            title=cast("str", ctx.config.get("title", "")),
        )

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        failure = expired(resolution, ctx.config.get("timeoutMs"))
        if failure is not None:
            return failure
        answer = cast("JsonObject", resolution.resume_value)
        outcome, payload = cast("str", answer["outcome"]), answer["payload"]
        events = _bindings.assigned(_list(ctx.config, "resume"), payload, ctx)
        return Completed({"outcome": outcome, "payload": payload, outcome: payload}, events)

    def asks(self, config: JsonObject) -> Asked:
        return Asked(InterruptKind.CUSTOM, {"customKind": config["kind"]})

    def bound(self, config: JsonObject) -> list[Bound]:
        return _bindings.bound(_list(config, "request"))

    def writes(self, config: JsonObject) -> list[Written]:
        return _bindings.written(_list(config, "resume"), _sound_schema(config, "resume_schema"))

    def ways(self, config: JsonObject) -> frozenset[str]:
        return frozenset(_outcomes(config))

    def puts_out(self, config: JsonObject) -> frozenset[str]:
        return self.ways(config) | _OWN_OUTPUTS

    def check_config(self, config: JsonObject) -> list[Problem]:
        problems = [*_outcome_problems(config), *_schema_problems(config)]
        schemas = (_sound_schema(config, "request_schema"), _sound_schema(config, "resume_schema"))
        problems += _bindings.binding_problems(_list(config, "request"), _list(config, "resume"), *schemas)
        if question_solicits(cast("str", config.get("title", "")), schema=schemas[1]):
            problems.append(asks_for_credential("/title", "its resume_schema"))
        return problems


def _contract(config: JsonObject) -> Contract:
    return Contract(
        kind=cast("str", config["kind"]),
        outcomes=_outcomes(config),
        request_schema=_schema(config, "request_schema"),
        resume_schema=_schema(config, "resume_schema"),
        typed="resume_schema" in config,
        enveloped=True,
    )


def _enveloped(contract: Contract) -> JsonObject:
    """Return the schema of the whole answer on the wire."""
    dialect = dialect_of(contract.resume_schema)
    outcomes: list[JsonValue] = list(contract.outcomes)
    members: dict[str, JsonSchema] = {
        "outcome": {"enum": outcomes},
        "payload": embedded(contract.resume_schema, into=dialect),
    }
    return closed_object(members, dialect=dialect)


def _broken(contract: Contract, problems: list[Problem]) -> Failed:
    told: list[JsonValue] = [{"pointer": p.pointer, "keyword": p.keyword, "message": p.message} for p in problems]
    message = f"What this node would ask (“{contract.kind}”) does not satisfy its request_schema."
    return Failed("validation_error", message, details={"kind": contract.kind, "problems": told})


def _outcomes(config: JsonObject) -> tuple[str, ...]:
    return tuple(cast("list[str]", config.get("outcomes", [SUBMITTED])))


def _schema(config: JsonObject, name: str) -> JsonObject:
    return cast("JsonObject", config.get(name, ANY_OBJECT))


def _sound_schema(config: JsonObject, name: str) -> JsonObject:
    """Return a schema that places may be looked up in: where there is none of an object, that of any object."""
    schema = _schema(config, name)
    return schema if not check_schema(schema) and describes_objects(schema) else ANY_OBJECT


def _list(config: JsonObject, name: str) -> list[JsonObject]:
    return cast("list[JsonObject]", config.get(name, []))


def _outcome_problems(config: JsonObject) -> list[Problem]:
    return [
        Problem(to_pointer(["outcomes", index]), "reserved", f"The node puts out “{outcome}” whatever the outcome.")
        for index, outcome in enumerate(_outcomes(config))
        if outcome in _OWN_OUTPUTS
    ]


def _schema_problems(config: JsonObject) -> list[Problem]:
    problems = answer_schema_problems(config, "resume_schema")
    if "request_schema" in config:
        problems += [_below("request_schema", problem) for problem in check_schema(config["request_schema"])]
    if problems:
        return problems
    for name in ("request_schema", "resume_schema"):
        if not describes_objects(_schema(config, name)):
            message = 'This must be the schema of an object: say so with "type": "object" at its root.'
            problems.append(Problem(to_pointer([name, "type"]), "not_an_object", message))
    moved = _schema(config, "resume_schema")
    composed = embedding_problems(moved) or check_schema(_enveloped(_contract(config)))
    return problems + [_below("resume_schema", problem) for problem in composed]


def _below(name: str, problem: Problem) -> Problem:
    return Problem(to_pointer([name]) + problem.pointer, problem.keyword, problem.message)
