"""A workflow definition, parsed once into the shape the engine walks (wire contract §6.1).

``parse_plan`` trusts its document: ``engine.definition.check_definition`` is what refuses a bad one.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

from interrupts.contracts.json_text import parse_json
from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.vocabulary import TriggerRule


@dataclass(frozen=True, slots=True)
class StaticPort:
    value: JsonValue


@dataclass(frozen=True, slots=True)
class VariablePort:
    name: str
    optional: bool


@dataclass(frozen=True, slots=True)
class ConnectionPort:
    node_id: str
    output: str
    optional: bool


@dataclass(frozen=True, slots=True)
class ExpressionPort:
    text: str


VARIABLE_TYPES: Final = frozenset({"string", "number", "boolean", "object", "array"})

PortValue = StaticPort | VariablePort | ConnectionPort | ExpressionPort


@dataclass(frozen=True, slots=True)
class Condition:
    """An edge's condition; ``kind`` is the document's ``type`` and ``left`` a dotted path."""

    kind: str
    left: str
    right: JsonValue
    expression: str


@dataclass(frozen=True, slots=True)
class PlanNode:
    """``agent_id`` is empty for a node that is no agent's."""

    id: str
    type_id: str
    name: str
    config: JsonObject
    inputs: Mapping[str, PortValue]
    disabled: bool
    agent_id: str


@dataclass(frozen=True, slots=True)
class PlanEdge:
    id: str
    source: str
    target: str
    source_output: str | None
    target_input: str | None
    condition: Condition | None
    trigger_rule: TriggerRule


@dataclass(frozen=True, slots=True)
class PlanVariable:
    """A declared run input; ``default`` means something only when ``has_default`` (a default may be null)."""

    name: str
    type: str
    required: bool
    has_default: bool
    default: JsonValue
    sensitive: bool


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """``timeout_ms`` is the run's own limit in milliseconds, or None; a ``timeout`` of 0 means none."""

    timeout_ms: int | None
    max_loopback_iterations: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One version of a workflow. Shared between runs and never changed.

    ``incoming``/``outgoing`` hold each node's edges in definition order; ``rule`` the one trigger rule of the edges
    into a node; ``order`` a topological order over the forward edges, ties by definition order; ``forward_sources``
    the distinct sources of a node's forward edges, in definition order.
    """

    workflow_id: str
    name: str
    version: str
    nodes: Mapping[str, PlanNode]
    edges: Mapping[str, PlanEdge]
    incoming: Mapping[str, tuple[PlanEdge, ...]]
    outgoing: Mapping[str, tuple[PlanEdge, ...]]
    rule: Mapping[str, TriggerRule]
    order: tuple[str, ...]
    back_edges: frozenset[str]
    forward_sources: Mapping[str, tuple[str, ...]]
    variables: tuple[PlanVariable, ...]
    settings: PlanSettings
    configurable_schema: JsonObject | None

    def initial_variables(self, inputs: JsonObject) -> JsonObject:
        """The declared variables a run starts with: defaults, overlaid by the inputs of the same name."""
        variables: JsonObject = {v.name: v.default for v in self.variables if v.has_default}
        variables.update((v.name, inputs[v.name]) for v in self.variables if v.name in inputs)
        return variables

    def input_problems(self, inputs: JsonObject) -> list[Problem]:
        """What is wrong with the inputs of a new run. Undeclared inputs are allowed: the run only records them."""
        return [problem for v in self.variables if (problem := _input_problem(v, inputs)) is not None]


@lru_cache(maxsize=64)
def load_plan(text: str) -> Plan:
    """The plan of a registered definition, given as its stored text.

    Cached by the text itself: Python keeps a string's hash, so a hit costs one comparison.
    """
    return parse_plan(cast("JsonObject", parse_json(text)))


def parse_plan(document: JsonObject) -> Plan:
    """The plan of a valid definition. What an invalid one raises is not defined."""
    nodes = {node.id: node for node in map(_parse_node, _objects(document, "nodes"))}
    edges = [_parse_edge(item) for item in _objects(document, "edges")]
    incoming = {node_id: tuple(e for e in edges if e.target == node_id) for node_id in nodes}
    outgoing = {node_id: tuple(e for e in edges if e.source == node_id) for node_id in nodes}
    back_edges = find_back_edges(incoming, outgoing)
    forward_sources = {
        node_id: tuple(dict.fromkeys(e.source for e in into if e.id not in back_edges))
        for node_id, into in incoming.items()
    }
    return Plan(
        workflow_id=cast("str", document["id"]),
        name=cast("str", document["name"]),
        version=cast("str", document["version"]),
        nodes=nodes,
        edges={edge.id: edge for edge in edges},
        incoming=incoming,
        outgoing=outgoing,
        rule={n: into[0].trigger_rule if into else TriggerRule.ALL_SUCCESS for n, into in incoming.items()},
        order=_topological_order(forward_sources),
        back_edges=back_edges,
        forward_sources=forward_sources,
        variables=tuple(_parse_variable(item) for item in _objects(document, "variables")),
        settings=_parse_settings(cast("JsonObject", document["settings"])),
        configurable_schema=cast("JsonObject | None", document.get("configurableSchema")),
    )


def find_back_edges(
    incoming: Mapping[str, Sequence[PlanEdge]], outgoing: Mapping[str, Sequence[PlanEdge]]
) -> frozenset[str]:
    """The ids of the edges that close a loop: those into a node which the search is still inside of.

    The search is depth first, from the nodes without incoming edges in definition order, over edges in definition
    order: an edge is then called "back" by what its author wrote first, and the same document always gives the same
    answer. It starts where runs start, because from elsewhere the entry of a loop could be taken for its end.
    """
    starts = [node_id for node_id, into in incoming.items() if not into]
    seen: set[str] = set()
    back: set[str] = set()
    for root in [*starts, *incoming]:
        if root not in seen:
            back |= _search_from(root, outgoing, seen)
    return frozenset(back)


def _search_from(root: str, outgoing: Mapping[str, Sequence[PlanEdge]], seen: set[str]) -> set[str]:
    """Depth-first search with a stack of its own: a chain of 500 nodes must not meet the recursion limit."""
    back: set[str] = set()
    inside = {root}
    stack = [(root, iter(outgoing[root]))]
    seen.add(root)
    while stack:
        node_id, edges = stack[-1]
        edge = next(edges, None)
        if edge is None:
            stack.pop()
            inside.discard(node_id)
        elif edge.target in inside:
            back.add(edge.id)
        elif edge.target not in seen:
            seen.add(edge.target)
            inside.add(edge.target)
            stack.append((edge.target, iter(outgoing[edge.target])))
    return back


def _topological_order(forward_sources: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    names = list(forward_sources)
    rank = {node_id: index for index, node_id in enumerate(names)}
    missing = {node_id: len(sources) for node_id, sources in forward_sources.items()}
    targets: dict[str, list[str]] = {node_id: [] for node_id in names}
    for node_id, sources in forward_sources.items():
        for source in sources:
            targets[source].append(node_id)
    ready = [rank[node_id] for node_id, count in missing.items() if count == 0]
    order: list[str] = []
    while ready:
        node_id = names[heapq.heappop(ready)]
        order.append(node_id)
        for target in targets[node_id]:
            missing[target] -= 1
            if missing[target] == 0:
                heapq.heappush(ready, rank[target])
    return tuple(order)


def _objects(document: JsonObject, name: str) -> list[JsonObject]:
    return cast("list[JsonObject]", document[name])


def _parse_node(item: JsonObject) -> PlanNode:
    inputs = cast("dict[str, JsonObject]", item["inputs"])
    agent = cast("JsonObject", item.get("agent", {}))
    return PlanNode(
        id=cast("str", item["id"]),
        type_id=cast("str", item["typeId"]),
        name=cast("str", item["name"]),
        config=cast("JsonObject", item["config"]),
        inputs={port: parse_port(value) for port, value in inputs.items()},
        disabled=bool(item.get("disabled", False)),
        agent_id=cast("str", agent.get("agentId", "")),
    )


def parse_port(value: JsonObject) -> PortValue:
    """One valid ``PortValue`` of a node's ``inputs``."""
    optional = bool(value.get("optional", False))
    match value["type"]:
        case "static":
            return StaticPort(value["value"])
        case "variable":
            return VariablePort(cast("str", value["variableName"]), optional)
        case "connection":
            return ConnectionPort(cast("str", value["nodeId"]), cast("str", value["outputKey"]), optional)
        case _:
            return ExpressionPort(cast("str", value["expression"]))


def _parse_edge(item: JsonObject) -> PlanEdge:
    condition = cast("JsonObject | None", item.get("condition"))
    return PlanEdge(
        id=cast("str", item["id"]),
        source=cast("str", item["sourceNodeId"]),
        target=cast("str", item["targetNodeId"]),
        source_output=cast("str | None", item.get("sourceOutput")),
        target_input=cast("str | None", item.get("targetInput")),
        condition=None if condition is None else parse_condition(condition),
        trigger_rule=TriggerRule(cast("str", item.get("triggerRule", TriggerRule.ALL_SUCCESS))),
    )


def parse_condition(item: JsonObject) -> Condition:
    """One valid edge condition. Only one that is an expression may leave out its ``type``."""
    return Condition(
        kind=cast("str", item.get("type", "expression")),
        left=cast("str", item.get("left", "")),
        right=item.get("right"),
        expression=cast("str", item.get("expression", "")),
    )


def _parse_variable(item: JsonObject) -> PlanVariable:
    return PlanVariable(
        name=cast("str", item["name"]),
        type=cast("str", item["type"]),
        required=bool(item.get("required", False)),
        has_default="defaultValue" in item,
        default=item.get("defaultValue"),
        sensitive=bool(item.get("sensitive", False)),
    )


def _parse_settings(item: JsonObject) -> PlanSettings:
    return PlanSettings(
        timeout_ms=as_integer(item.get("timeout")) or None,
        max_loopback_iterations=as_integer(item.get("maxLoopbackIterations")),
    )


def has_json_type(value: JsonValue, name: str) -> bool:
    """Whether a value is of a variable's declared type. A boolean is not a number."""
    match name:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, dict)


def _input_problem(variable: PlanVariable, inputs: JsonObject) -> Problem | None:
    pointer = to_pointer([variable.name])
    if variable.name in inputs:
        if has_json_type(inputs[variable.name], variable.type):
            return None
        return Problem(pointer, "type", f"The input “{variable.name}” must be of type {variable.type}.")
    if variable.required and not variable.has_default:
        return Problem(pointer, "required", f"The input “{variable.name}” is required.")
    return None
