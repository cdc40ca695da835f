"""Edges: what they carry must exist at both ends, and their conditions must be ones that can be decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from interrupts.contracts.budget import NotChecked
from interrupts.contracts.leaves import MAX_PATTERN, compile_pattern
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.definition.draft import Draft, DraftEdge, Path, text_of
from interrupts.engine.definition.nodes import expression_problems, output_problems

# What each type of condition needs beside its type.
_OPERANDS: Final = {
    "expression": ("expression",),
    "equals": ("left", "right"),
    "notEquals": ("left", "right"),
    "contains": ("left", "right"),
    "regex": ("left", "right"),
    "truthy": ("left",),
    "falsy": ("left",),
}


def edge_problems(draft: Draft) -> Iterator[Problem]:
    for edge in draft.edges:
        yield from _data_problems(draft, edge)
        condition = edge.item.get("condition")
        if isinstance(condition, dict):
            yield from _condition_problems(("edges", edge.index, "condition"), condition)


def _data_problems(draft: Draft, edge: DraftEdge) -> Iterator[Problem]:
    output, port = text_of(edge.item, "sourceOutput"), text_of(edge.item, "targetInput")
    if output is not None and edge.source is not None and edge.source in draft.by_id:
        yield from output_problems(draft, ("edges", edge.index, "sourceOutput"), edge.source, output)
    target = draft.by_id.get(edge.target or "")
    taken = None if target is None or target.type is None else target.type.inputs
    if port is not None and taken is not None and port not in taken:
        there = f"It takes: {', '.join(sorted(taken))}." if taken else "It takes none."
        message = f"The node “{edge.target}” does not take the input “{port}”. {there}"
        yield Problem(to_pointer(["edges", edge.index, "targetInput"]), "unknown_port", message)


def _condition_problems(path: Path, condition: JsonObject) -> Iterator[Problem]:
    kind = condition.get("type", "expression" if "expression" in condition else None)
    if kind is None:
        message = f"A condition needs a type: {', '.join(_OPERANDS)}."
        yield Problem(to_pointer((*path, "type")), "required", message)
    if not isinstance(kind, str) or kind not in _OPERANDS:
        return
    yield from _operand_problems(path, kind, condition)


def _operand_problems(path: Path, kind: str, condition: JsonObject) -> Iterator[Problem]:
    for name in _OPERANDS[kind]:
        if name not in condition or (name != "right" and condition[name] == ""):
            yield Problem(to_pointer((*path, name)), "required", f"A condition of type {kind} needs “{name}”.")
    if kind == "expression":
        yield from expression_problems((*path, "expression"), condition.get("expression"), has_output=True)
    if kind == "regex" and "right" in condition:
        yield from _pattern_problems((*path, "right"), condition["right"])


def _pattern_problems(path: Path, pattern: JsonValue) -> Iterator[Problem]:
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
        message = f"A regular expression is a text of at most {MAX_PATTERN} characters."
        yield Problem(to_pointer(path), "regex", message)
        return
    try:
        compile_pattern(pattern)
    except NotChecked as error:
        yield Problem(to_pointer(path), "regex", str(error))
