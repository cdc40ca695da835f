"""The fields that mean a value: for what is filled in beforehand, and for changing between a form and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from approvals.forms import names
from approvals.forms.decode import Judge
from approvals.forms.merging import Document, document, same
from approvals.forms.moments import split
from approvals.forms.names import Field
from approvals.forms.nodes import MAX_NODES, Presence
from approvals.forms.scalars import is_date
from approvals.forms.shapes import Kind, Shape, option_index, shape_of
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue

_MAX_ROWS: Final = 200

Out: TypeAlias = dict[str, list[str]]


def encode(
    schema: JsonSchema, value: JsonValue, judge: Judge, *, root: Document | None = None, at: str = names.ROOT
) -> Out:
    """Return the fields that decode to exactly this value. What no input can say is written as JSON.

    ``root`` is what references start from, when that is not the schema itself.
    """
    encoder = _Encoder(judge)
    encoder.write(root or document(schema), schema, value, at)
    return encoder.out if len(encoder.out) < MAX_NODES else as_json(value, at)


def as_json(value: JsonValue, at: str = names.ROOT) -> Out:
    return {names.name_of(Field.JSON, at): [json.dumps(value, ensure_ascii=False, indent=2)]}


class _NoInput(ValueError):
    """The form has no input for the value."""


@dataclass(slots=True)
class _Encoder:
    judge: Judge
    out: Out = field(default_factory=dict)

    def write(self, root: Document, schema: JsonSchema, value: JsonValue, at: str) -> None:
        shape = shape_of(root, schema)
        before = dict(self.out)
        try:
            if names.is_too_long(at):
                raise _NoInput
            self._write(shape, value, at)
        except _NoInput:
            self.out.clear()
            self.out.update({**before, **as_json(value, at)})

    def _put(self, kind: Field, at: str, *texts: str) -> None:
        self.out[names.name_of(kind, at)] = [*texts]

    def _write(self, shape: Shape, value: JsonValue, at: str) -> None:
        match shape.kind, value:
            case Kind.CONST, _ if same(shape.schema["const"], value):
                self._put(Field.PRESENCE, at, Presence.VALUE)
            case _, None if shape.nullable and shape.kind is not Kind.RAW:
                self._put(Field.PRESENCE, at, Presence.NULL)
            case Kind.BRANCH, _:
                self._branch(shape, value, at)
            case Kind.MULTICHOICE, list():
                self._multichoice(shape, value, at)
            case Kind.OBJECT | Kind.MAP, dict():
                self._object(shape, value, at)
            case Kind.ARRAY, list():
                self._array(shape, value, at)
            case (Kind.TEXT | Kind.TEXTAREA, "") | (Kind.ARRAY | Kind.MULTICHOICE, []):
                self._put(Field.PRESENCE, at, Presence.EMPTY)
            case _:
                self._put(Field.TEXT, at, *_texts(shape, value))

    def _branch(self, shape: Shape, value: JsonValue, at: str) -> None:
        """Choose the first branch whose schema the value satisfies."""
        for index, branch in enumerate(shape.branches):
            if self.judge(shape.root, branch, value):
                self._put(Field.BRANCH, at, str(index))
                self.write(shape.root, branch, value, at)
                if names.name_of(Field.JSON, at) in self.out:
                    raise _NoInput
                return
        raise _NoInput

    def _multichoice(self, shape: Shape, value: list[JsonValue], at: str) -> None:
        chosen = [_index(shape, item) for item in value]
        if chosen != sorted(set(chosen)):
            raise _NoInput
        if chosen:
            self._put(Field.TEXT, at, *map(str, chosen))
        else:
            self._put(Field.PRESENCE, at, Presence.EMPTY)

    def _object(self, shape: Shape, value: JsonObject, at: str) -> None:
        self._put(Field.PRESENCE, at, Presence.VALUE)
        self._members(shape.root, shape.properties, shape.required, value, at)
        known = {name for name, _schema in shape.properties}
        base = {name: value[name] for name in value if name in known}
        for group in shape.groups:
            if self.judge(shape.root, group.condition.test, base) is not group.condition.negated:
                self._members(shape.root, group.properties, group.required, value, at)
                known |= {name for name, _schema in group.properties}
        self._extra(shape, {name: value[name] for name in value if name not in known}, at)

    def _members(
        self,
        root: Document,
        properties: tuple[tuple[str, JsonSchema], ...],
        required: frozenset[str],
        value: JsonObject,
        at: str,
    ) -> None:
        for name, schema in properties:
            if name in value:
                self.write(root, schema, value[name], names.child(at, name))
            elif name in required and shape_of(root, schema).kind in {Kind.OBJECT, Kind.MAP, Kind.CONST}:
                raise _NoInput  # What is required is there as soon as its holder is.

    def _extra(self, shape: Shape, extra: JsonObject, at: str) -> None:
        if not extra:
            return
        if shape.extra is False or len(extra) > _MAX_ROWS or "" in extra:
            raise _NoInput
        keys = [f"k{number}" for number in range(1, len(extra) + 1)]
        self._put(Field.ROWS, at, *keys)
        for key, (name, item) in zip(keys, extra.items(), strict=True):
            self._put(Field.KEY, names.row(at, key), _one_line(name))
            self.write(shape.root, shape.extra, item, names.row(at, key))

    def _array(self, shape: Shape, value: list[JsonValue], at: str) -> None:
        fixed = len(shape.prefix)
        if len(value) > _MAX_ROWS or (shape.items is False and len(value) > fixed):
            raise _NoInput
        if not value:
            self._put(Field.PRESENCE, at, Presence.EMPTY)
        for number, (schema, item) in enumerate(zip(shape.prefix, value, strict=False), start=1):
            self.write(shape.root, schema, item, names.position(at, number))
        keys = [f"k{number}" for number in range(1, len(value) - fixed + 1)]
        if keys:
            self._put(Field.ROWS, at, *keys)
        for key, item in zip(keys, value[fixed:], strict=True):
            self.write(shape.root, shape.items, item, names.row(at, key))


def _index(shape: Shape, value: JsonValue) -> int:
    index = option_index(shape.options, value)
    if index is None:
        raise _NoInput
    return index


def _texts(shape: Shape, value: JsonValue) -> tuple[str, ...]:
    match shape.kind, value:
        case Kind.CHOICE, _:
            return (str(_index(shape, value)),)
        case Kind.DATE_TIME | Kind.TIME, str():
            return split(shape.kind, value) or (_one_line(value),)
        case _:
            return (_leaf(shape, value),)


def _leaf(shape: Shape, value: JsonValue) -> str:
    match shape.kind, value:
        case (Kind.YES_NO, bool()) | (Kind.CONSENT, True):
            return json.dumps(value)
        case Kind.NUMBER, int() | float() if not isinstance(value, bool):
            return json.dumps(value)
        case Kind.DATE, str() if is_date(value):
            return value
        case Kind.TEXT | Kind.TEXTAREA | Kind.FILE, str():
            return _plain(value)
        case _:
            raise _NoInput


def _one_line(text: str) -> str:
    if "\n" in text:
        raise _NoInput
    return _plain(text)


def _plain(text: str) -> str:
    """Return a text as an input keeps it: browsers send other line ends, and blank is no text."""
    if "\r" in text or not text.strip():
        raise _NoInput
    return text
