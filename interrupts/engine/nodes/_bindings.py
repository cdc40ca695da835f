"""Bindings of an interrupt that describes itself: run state into what is asked, and the answer into variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from interrupts.contracts.pointers import MAX_POINTER, Tokens, find, put, read_pointer, schema_at
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.shipped import port_value
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.contracts.validation import validate
from interrupts.engine.nodes._variables import changed
from interrupts.engine.nodes.base import Bound, NodeContext, NodeEvent, Written

_MOST: Final = 100
_POINTER: Final[JsonObject] = {"type": "string", "maxLength": MAX_POINTER}
REQUEST: Final[JsonObject] = {
    "type": "array",
    "maxItems": _MOST,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["target"],
        "properties": {"target": _POINTER, "from": {"type": "object"}, "value": True},
    },
}
RESUME: Final[JsonObject] = {
    "type": "array",
    "maxItems": _MOST,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["source", "target"],
        "properties": {"source": _POINTER, "target": {"type": "string", "minLength": 1, "maxLength": 256}},
    },
}
_MALFORMED: Final = "This is no JSON Pointer: write “” for the whole, or each name after a “/”, as in /order/number."


class BindingError(Exception):
    """A binding cannot put its value where it says; ``pointer`` is where in what is asked."""

    def __init__(self, pointer: str) -> None:
        self.pointer = pointer
        super().__init__(pointer)


def bound(request: list[JsonObject]) -> list[Bound]:
    """Return the values that request bindings take from the run, each under the name of where it goes."""
    return [
        Bound(_name(binding), ("request", index, "from"), cast("JsonObject", binding["from"]))
        for index, binding in enumerate(request)
        if "from" in binding
    ]


def build(request: list[JsonObject], given: JsonObject) -> JsonValue:
    """Return what is asked, put together in the order of the bindings. An optional value that is not there is left out.

    Raises BindingError where a binding would have to go through something else than an object.
    """
    payload: JsonValue = {}
    for binding in request:
        if "from" in binding and _name(binding) not in given:
            continue
        value = given[_name(binding)] if "from" in binding else binding["value"]
        target = cast("str", binding["target"])
        try:
            payload = put(payload, read_pointer(target), value)
        except LookupError as error:
            raise BindingError(target) from error
    return payload


def assigned(resume: list[JsonObject], payload: JsonValue, ctx: NodeContext) -> tuple[NodeEvent, ...]:
    """Return the changes of variables that an answer's payload makes. What it does not have changes nothing."""
    events = []
    for binding in resume:
        try:
            value = find(payload, read_pointer(cast("str", binding["source"])))
        except LookupError:
            continue
        events.append(changed(ctx, cast("str", binding["target"]), value))
    return tuple(events)


def written(resume: list[JsonObject], schema: JsonSchema) -> list[Written]:
    """Return the variables that resume bindings write, with what the schema says of their sources."""
    found = []
    for index, binding in enumerate(resume):
        tokens = _tokens(binding["source"])
        at = True if tokens is None else schema_at(schema, tokens)
        found.append(Written(cast("str", binding["target"]), ("resume", index, "target"), at))
    return found


def binding_problems(
    request: list[JsonObject], resume: list[JsonObject], request_schema: JsonSchema, resume_schema: JsonSchema
) -> Iterator[Problem]:
    """Yield what is wrong with bindings of the right shape; pointers start at the configuration."""
    targets: list[Tokens] = []
    for index, binding in enumerate(request):
        yield from _source_problems(("request", index), binding)
        path = ("request", index, "target")
        tokens = _tokens(binding["target"])
        yield from _place_problems(path, tokens, request_schema)
        if tokens is None:
            continue
        if any(other[: len(tokens)] == tokens for other in targets):
            yield Problem(to_pointer(path), "binding_way", "This would replace what a binding before it has put there.")
        targets.append(tokens)
    seen: set[str] = set()
    for index, binding in enumerate(resume):
        yield from _place_problems(("resume", index, "source"), _tokens(binding["source"]), resume_schema)
        target = cast("str", binding["target"])
        if target in seen:
            message = f"Another binding writes the variable “{target}” already."
            yield Problem(to_pointer(("resume", index, "target")), "unique", message)
        seen.add(target)


def _source_problems(path: tuple[str | int, ...], binding: JsonObject) -> Iterator[Problem]:
    if ("from" in binding) == ("value" in binding):
        message = "A binding takes its value from the run (“from”), or has it written out (“value”): one of the two."
        yield Problem(to_pointer(path), "oneOf", message)
    elif "from" in binding:
        for problem in validate(port_value(), binding["from"]):
            yield Problem(to_pointer((*path, "from")) + problem.pointer, problem.keyword, problem.message)


def _place_problems(path: tuple[str | int, ...], tokens: Tokens | None, schema: JsonSchema) -> Iterator[Problem]:
    if tokens is None:
        yield Problem(to_pointer(path), "pointer", _MALFORMED)
    elif schema_at(schema, tokens) is False:
        yield Problem(to_pointer(path), "unknown_path", "The schema admits nothing at this place.")


def _tokens(pointer: JsonValue) -> Tokens | None:
    try:
        return read_pointer(cast("str", pointer))
    except ValueError:
        return None


def _name(binding: JsonObject) -> str:
    return f"request{binding['target']}"
