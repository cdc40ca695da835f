"""What an input, an option or a branch is called: the author's words, else a word for what it is."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from approvals.forms.merging import Document, Unmergeable, merge, types_of
from approvals.forms.nodes import Node
from approvals.forms.shapes import Option
from interrupts.contracts.types import JsonSchema, JsonValue

_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Label:
    """``code`` says how to put ``text`` into words: "author" as it stands, else a name of the page's own phrases."""

    code: str
    text: str = ""


def label_of(node: Node) -> Label:
    if node.title:
        return Label("author", node.title)
    title = node.notes.get("title")
    if isinstance(title, str) and title.strip():
        return Label("author", title)
    if node.is_property:
        return Label("author", node.name if node.name.strip() else _json(node.name))
    return Label("line", node.name) if node.name else Label("answer")


def option_labels(options: tuple[Option, ...]) -> list[Label]:
    """Name the options; those that would look alike get their JSON as well."""
    labels = [_option(option) for option in options]
    seen = Counter(label.text.strip().casefold() for label in labels)
    return [
        Label(label.code, f"{label.text} ({_json(option.value)})") if seen[label.text.strip().casefold()] > 1 else label
        for label, option in zip(labels, options, strict=True)
    ]


def _option(option: Option) -> Label:
    if option.title.strip():
        return Label("author", option.title)
    match option.value:
        case bool():
            return Label("yes" if option.value else "no", "yes" if option.value else "no")
        case str() if option.value.strip():
            return Label("author", option.value)
        case None:
            return Label("null", "null")
        case _:
            return Label("author", _json(option.value))


def branch_labels(root: Document, branches: tuple[JsonSchema, ...]) -> list[Label]:
    """Name the branches by what tells them apart: a title, a constant, a type, what they need; else by their number."""
    schemas = [_merged(root, branch) for branch in branches]
    types = [_type_label(root, schema) for schema in schemas]
    differ = len(set(types)) == len(types)
    labels = [
        _title(schema) or _constant(root, schema) or (kind if differ and kind else None) or _needs(schema, schemas)
        for schema, kind in zip(schemas, types, strict=True)
    ]
    seen = Counter(labels)
    return [
        label if label is not None and seen[label] == 1 else Label("option", str(number))
        for number, label in enumerate(labels, start=1)
    ]


def _merged(root: Document, schema: JsonSchema) -> dict[str, Any]:
    try:
        return merge(root, schema).schema
    except Unmergeable:
        return {}


def _title(schema: dict[str, Any]) -> Label | None:
    title = schema.get("title", "")
    return Label("author", title) if title.strip() else None


def _constant(root: Document, schema: dict[str, Any]) -> Label | None:
    if "const" in schema:
        return _option(Option(schema["const"]))
    for inner in (_merged(root, inner) for inner in schema.get("properties", {}).values()):
        only = [inner["const"]] if "const" in inner else inner.get("enum", [])
        if len(only) == 1:
            return _option(Option(only[0]))
    return None


def _type_label(root: Document, schema: dict[str, Any]) -> Label | None:
    types = types_of(schema)
    if len(types) != 1:
        return None
    items = schema.get("items")
    if types == ["array"] and isinstance(items, dict):
        inner = types_of(_merged(root, items))
        return Label(f"list-of-{inner[0]}") if len(inner) == 1 else Label("array")
    return Label(types[0])


def _needs(schema: dict[str, Any], others: list[dict[str, Any]]) -> Label | None:
    shared = set.intersection(*(set(other.get("required", [])) for other in others))
    own = [name for name in schema.get("required", []) if name not in shared][:3]
    return Label("with", ", ".join(own)) if own else None


def _json(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
