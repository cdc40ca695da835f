"""What the buttons of a form do to what was posted, without any script in the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Final

from approvals.forms import names
from approvals.forms.decode import ABSENT, Judge, decode
from approvals.forms.encode import as_json, encode
from approvals.forms.fields import Fields
from approvals.forms.names import Field
from approvals.forms.nodes import Node, Presence
from approvals.forms.shapes import Kind, shape_of
from interrupts.contracts.json_text import MalformedJson, parse_json

OPERATIONS: Final = ("add", "del", "up", "down", "pick", "raw", "form")


@dataclass(frozen=True, slots=True)
class Applied:
    """The fields after a button, and the place of the form that the focus goes to."""

    fields: Fields
    focus: str


def operate(pressed: str, fields: Fields, tree: Node, judge: Judge) -> Applied | None:
    """Return what a button leads to; None when it is no button of this tree."""
    name, _colon, at = pressed.partition(":")
    node = next((node for node in tree.walk() if node.at == at and node.kind is not Kind.GROUP), None)
    if name not in OPERATIONS or node is None:
        return None
    match name:
        case "add":
            return _add(fields, node)
        case "del":
            return _delete(fields, at)
        case "up" | "down":
            return _move(fields, at, 1 if name == "down" else -1)
        case "raw":
            found = decode(node, judge)
            text = {} if found.value is ABSENT else as_json(found.value, at)
            empty = {names.name_of(Field.JSON, at): [""]}
            return None if found.faults else Applied(fields.prune(at).update(text or empty), at)
        case "form":
            return _to_form(fields, node, judge)
        case _:
            return Applied(fields, at)


def _add(fields: Fields, node: Node) -> Applied | None:
    if node.kind is Kind.LATER:
        return Applied(fields.put(Field.PRESENCE, node.at, [Presence.VALUE]), node.at)
    if node.is_full:
        return None
    keys = fields.texts(Field.ROWS, node.at)
    key = next(f"k{number}" for number in count(len(keys) + 1) if f"k{number}" not in keys)
    added = fields.drop(Field.PRESENCE, node.at).put(Field.ROWS, node.at, [*keys, key])
    return Applied(added, names.row(node.at, key))


def _delete(fields: Fields, at: str) -> Applied:
    """Take away a row, or what was added at a place."""
    holder, key = names.parent(at)
    pruned = fields.prune(at)
    if not key:
        return Applied(pruned, at)
    keys = fields.texts(Field.ROWS, holder)
    return Applied(_with_rows(pruned, holder, (other for other in keys if other != key)), holder)


def _move(fields: Fields, at: str, by: int) -> Applied | None:
    holder, key = names.parent(at)
    keys = fields.texts(Field.ROWS, holder)
    if key not in keys or not 0 <= keys.index(key) + by < len(keys):
        return None
    rest = [other for other in keys if other != key]
    rest.insert(keys.index(key) + by, key)
    return Applied(_with_rows(fields, holder, rest), at)


def _with_rows(fields: Fields, at: str, keys: Iterable[str]) -> Fields:
    kept = [*keys]
    return fields.put(Field.ROWS, at, kept) if kept else fields.drop(Field.ROWS, at)


def _to_form(fields: Fields, node: Node, judge: Judge) -> Applied | None:
    """Fill the form from the JSON that was written; None when the JSON cannot be read, or the form cannot say it."""
    bare = fields.prune(node.at)
    if not node.text.strip():
        return Applied(bare, node.at)
    try:
        value = parse_json(node.text)
    except MalformedJson:
        return None
    filled = encode(node.schema, value, judge, root=node.shape.root, at=node.at)
    has_form = (
        shape_of(node.shape.root, node.schema).kind is not Kind.RAW and names.name_of(Field.JSON, node.at) not in filled
    )
    return Applied(bare.update(filled), node.at) if has_form else None
