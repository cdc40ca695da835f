"""Nodes: a known type, and a configuration and ports that suit it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.definition.draft import Draft, DraftNode, Path, text_of
from interrupts.engine.expressions import ExpressionError, compile_expression
from interrupts.engine.nodes import NODE_TYPES, RESERVED
from interrupts.engine.nodes.base import NodeType, Written


def node_problems(draft: Draft) -> Iterator[Problem]:
    """Yield what is wrong with the nodes. What the protocol knows and this host lacks, ``engine.offers`` refuses."""
    for node in draft.nodes:
        if node.type is not None and node.config is not None:
            yield from _config_problems(draft, node, node.type, node.config)
        elif (type_id := text_of(node.item, "typeId")) is not None and type_id not in RESERVED:
            message = f"There is no node type “{type_id}” here. There are: {', '.join(sorted(NODE_TYPES))}."
            yield Problem(to_pointer(["nodes", node.index, "typeId"]), "unknown_type", message)
        for port, value in node.inputs.items():
            yield from _port_problems(draft, node, port, value)


def _config_problems(draft: Draft, node: DraftNode, kind: NodeType, config: JsonObject) -> Iterator[Problem]:
    path: Path = ("nodes", node.index, "config")
    # What a schema cannot say is only asked of a configuration that has the right shape.
    for problem in node.misshapen or kind.check_config(config):
        yield Problem(to_pointer(path) + problem.pointer, problem.keyword, problem.message)
    if not node.misshapen:
        for bound in kind.bound(config):
            yield from _source_problems(draft, (*path, *bound.path), bound.source)
        for written in kind.writes(config):
            yield from _written_problems(draft, (*path, *written.path), written)


def _written_problems(draft: Draft, path: Path, written: Written) -> Iterator[Problem]:
    variable = draft.variables.get(written.name)
    if variable is None:
        yield Problem(to_pointer(path), "unknown_variable", f"The variable “{written.name}” is not declared.")
        return
    if variable.get("sensitive") is True:
        message = f"“{written.name}” is sensitive, and an answer stands in the log for all to read."
        yield Problem(to_pointer(path), "sensitive", message)
    given = written.schema.get("type") if isinstance(written.schema, dict) else None
    if isinstance(given, str) and {"integer": "number"}.get(given, given) != variable.get("type"):
        message = f"The variable “{written.name}” is of type {variable.get('type')}, and the answer gives {given}."
        yield Problem(to_pointer(path), "variable_type", message)


def _port_problems(draft: Draft, node: DraftNode, port: str, value: JsonValue) -> Iterator[Problem]:
    path: Path = ("nodes", node.index, "inputs", port)
    taken = None if node.type is None else node.type.inputs
    if taken is not None and port not in taken:
        there = f"It takes: {', '.join(sorted(taken))}." if taken else "It takes none."
        yield Problem(to_pointer(path), "unknown_port", f"This node type does not take the input “{port}”. {there}")
    if isinstance(value, dict):
        yield from _source_problems(draft, path, value)


def _source_problems(draft: Draft, path: Path, value: JsonObject) -> Iterator[Problem]:
    match value.get("type"):
        case "variable":
            yield from _variable_problems(draft, path, value)
        case "connection":
            yield from _connection_problems(draft, path, value)
        case "expression":
            yield from expression_problems((*path, "expression"), value.get("expression"), has_output=False)


def _variable_problems(draft: Draft, path: Path, value: JsonObject) -> Iterator[Problem]:
    name = text_of(value, "variableName")
    if name is not None and name not in draft.variables:
        yield Problem(
            to_pointer((*path, "variableName")), "unknown_variable", f"The variable “{name}” is not declared."
        )


def _connection_problems(draft: Draft, path: Path, value: JsonObject) -> Iterator[Problem]:
    node_id, output = text_of(value, "nodeId"), text_of(value, "outputKey")
    if node_id is None:
        return
    if node_id not in draft.by_id:
        message = f"There is no node “{node_id}” in this workflow."
        yield Problem(to_pointer((*path, "nodeId")), "unknown_node", message)
    elif output is not None:
        yield from output_problems(draft, (*path, "outputKey"), node_id, output)


def output_problems(draft: Draft, path: Path, node_id: str, output: str) -> Iterator[Problem]:
    """Report an output that the type of a known node never puts out."""
    outputs = outputs_of(draft.by_id[node_id])
    if outputs is not None and output not in outputs:
        there = f"It has: {', '.join(sorted(outputs))}." if outputs else "It has none."
        keyword = "unknown_outcome" if has_ways(draft.by_id[node_id]) else "unknown_output"
        yield Problem(to_pointer(path), keyword, f"The node “{node_id}” has no output “{output}”. {there}")


def outputs_of(node: DraftNode) -> frozenset[str] | None:
    """Return what a node puts out; None for anything, or where its type or configuration does not tell."""
    if node.type is None:
        return None
    is_known = node.config is not None and not node.misshapen
    return node.type.puts_out(cast("JsonObject", node.config)) if is_known else node.type.outputs


def has_ways(node: DraftNode) -> bool:
    """Return whether edges leave a node by its outcome."""
    if node.type is None or node.config is None or node.misshapen:
        return False
    return bool(node.type.ways(node.config))


def expression_problems(path: Path, text: JsonValue, *, has_output: bool) -> Iterator[Problem]:
    """Report an expression that does not compile, or looks at ``output`` where there is none."""
    if not isinstance(text, str) or not text:
        return
    try:
        compiled = compile_expression(text)
    except ExpressionError as error:
        yield Problem(to_pointer(path), "expression", error.message)
        return
    if not has_output and "output" in compiled.program.variables():
        message = "Only the condition of an edge can look at “output”; name the node, as in nodes.review.outputs."
        yield Problem(to_pointer(path), "expression", message)
