"""What a node is given: its input ports, resolved against the run (wire contract §6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.expressions import ExpressionError, compile_expression, evaluate
from interrupts.engine.plan import (
    ConnectionPort,
    ExpressionPort,
    PlanEdge,
    PlanNode,
    PortValue,
    StaticPort,
    VariablePort,
)
from interrupts.engine.work import TooMuchWork, counted


class PortError(Exception):
    """A port has no value; its node fails with ``code``."""

    code: ClassVar[str] = "node_config_invalid"

    def __init__(self, port: str, message: str) -> None:
        self.port = port
        self.message = message
        super().__init__(message)


class _Absent(Exception):
    """The value a port points at is not there."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def resolve_inputs(
    node: PlanNode,
    scope: JsonObject,
    delivered: Iterable[PlanEdge] = (),
    *,
    bound: Mapping[str, PortValue] | None = None,
) -> JsonObject:
    """The node's inputs by port, and what its configuration asks for besides (``bound``) under names of its own.

    ``scope`` holds ``inputs``, ``variables`` and ``nodes``. ``delivered`` are the edges over which this execution was
    reached, oldest first: one with a ``targetInput`` fills that port, unless the node gives the port a value itself;
    of several into one port, the latest that brought something counts. Raises PortError.
    """
    inputs = _edge_values(delivered, scope)
    for port, value in {**node.inputs, **(bound or {})}.items():
        try:
            inputs[port] = _resolve(value, scope)
        except _Absent as absent:
            if not _is_optional(value):
                raise PortError(port, f"The input “{port}” has no value: {absent.message}") from absent
        except (ExpressionError, TooMuchWork) as error:
            raise PortError(port, f"The input “{port}” has no value: {error}") from error
    return inputs


def node_outputs(node_id: str, scope: JsonObject) -> JsonObject:
    """What a node has put out so far in this run; nothing when it has not completed."""
    nodes = cast("dict[str, JsonObject]", scope["nodes"])
    return cast("JsonObject", nodes.get(node_id, {}).get("outputs") or {})


def _edge_values(delivered: Iterable[PlanEdge], scope: JsonObject) -> JsonObject:
    values: JsonObject = {}
    for edge in delivered:
        outputs = node_outputs(edge.source, scope)
        if edge.target_input is None:
            continue
        if edge.source_output is None:
            values[edge.target_input] = outputs
        elif edge.source_output in outputs:
            values[edge.target_input] = outputs[edge.source_output]
    return values


def _resolve(value: PortValue, scope: JsonObject) -> JsonValue:
    match value:
        case StaticPort():
            return value.value
        case VariablePort():
            variables = cast("JsonObject", scope["variables"])
            if value.name not in variables:
                raise _Absent(f"the variable “{value.name}” is not set.")
            return variables[value.name]
        case ConnectionPort():
            outputs = node_outputs(value.node_id, scope)
            if value.output not in outputs:
                raise _Absent(f"the node “{value.node_id}” has no output “{value.output}”.")
            return outputs[value.output]
        case ExpressionPort():
            with counted():
                return evaluate(compile_expression(value.text), scope)


def _is_optional(value: PortValue) -> bool:
    return isinstance(value, VariablePort | ConnectionPort) and value.optional
