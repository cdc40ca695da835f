"""A definition that may be wrong anywhere, read as far as it can be, so that one fault does not hide the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes import NODE_TYPES
from interrupts.engine.nodes.base import NodeType
from interrupts.vocabulary import TriggerRule

# Where in the document: the tokens of a JSON Pointer.
Path = tuple[str | int, ...]

_RULES: Final = frozenset(map(str, TriggerRule))


@dataclass(frozen=True, slots=True)
class DraftNode:
    """``index`` is the place in ``nodes``; the types of ``config`` and ``inputs`` hold, what is in them need not.

    ``misshapen`` is what the schema of its type says against the configuration.
    """

    index: int
    id: str | None
    type: NodeType | None
    config: JsonObject | None
    inputs: JsonObject
    item: JsonObject
    misshapen: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class DraftEdge:
    index: int
    id: str | None
    source: str | None
    target: str | None
    rule: TriggerRule | None
    item: JsonObject


@dataclass(frozen=True, slots=True)
class Draft:
    """``by_id`` holds the first node of each id, ``variables`` the first declaration of each name."""

    document: JsonObject
    nodes: tuple[DraftNode, ...]
    edges: tuple[DraftEdge, ...]
    by_id: Mapping[str, DraftNode]
    variables: Mapping[str, JsonObject]


def read_draft(document: JsonObject) -> Draft:
    nodes = tuple(_read_node(index, item) for index, item in items_of(document, "nodes"))
    return Draft(
        document=document,
        nodes=nodes,
        edges=tuple(_read_edge(index, item) for index, item in items_of(document, "edges")),
        by_id={node.id: node for node in reversed(nodes) if node.id is not None},
        variables={
            name: item for _, item in reversed(items_of(document, "variables")) if (name := text_of(item, "name"))
        },
    )


def items_of(document: JsonObject, name: str) -> list[tuple[int, JsonObject]]:
    """Return the objects in a list member, each with its place."""
    items = document.get(name)
    if not isinstance(items, list):
        return []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]


def text_of(item: JsonObject, name: str) -> str | None:
    value = item.get(name)
    return value if isinstance(value, str) else None


def _read_node(index: int, item: JsonObject) -> DraftNode:
    config, inputs = item.get("config"), item.get("inputs")
    kind = NODE_TYPES.get(text_of(item, "typeId") or "")
    return DraftNode(
        index=index,
        id=text_of(item, "id"),
        type=kind,
        config=config if isinstance(config, dict) else None,
        inputs=inputs if isinstance(inputs, dict) else {},
        item=item,
        misshapen=_shape(kind, config),
    )


def _read_edge(index: int, item: JsonObject) -> DraftEdge:
    rule = item.get("triggerRule", str(TriggerRule.ALL_SUCCESS))
    return DraftEdge(
        index=index,
        id=text_of(item, "id"),
        source=text_of(item, "sourceNodeId"),
        target=text_of(item, "targetNodeId"),
        rule=TriggerRule(rule) if isinstance(rule, str) and rule in _RULES else None,
        item=item,
    )


def _shape(kind: NodeType | None, config: JsonValue) -> tuple[Problem, ...]:
    if kind is None or not isinstance(config, dict):
        return ()
    return tuple(validate(compile_schema(kind.config_schema), config))
