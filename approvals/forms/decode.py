"""The value that a filled-in form means. What is blank is absent, everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias, cast

from approvals.forms.merging import Document
from approvals.forms.moments import NotAMoment, joined
from approvals.forms.names import pointer
from approvals.forms.nodes import Node, Presence
from approvals.forms.scalars import NotANumber, read_number
from approvals.forms.shapes import Kind
from interrupts.contracts.json_limits import MalformedJson
from interrupts.contracts.json_text import check_value, parse_json
from interrupts.contracts.pointers import position
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue

# Tells whether a value satisfies a schema of the form's document.
Judge: TypeAlias = Callable[[Document, JsonSchema, JsonValue], bool]
Path: TypeAlias = tuple[str | int, ...]


class Absent(Enum):
    """There is no value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Found: TypeAlias = "JsonValue | Absent"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an input cannot be read, as a code with what belongs to it; the words are the page's."""

    node: Node
    pointer: str
    code: str
    details: JsonObject = field(default_factory=dict)


@dataclass(slots=True)
class Decoded:
    """A form's value, what could not be read, and which input, and which choice of branches, stands for which place."""

    value: Found = ABSENT
    faults: list[Fault] = field(default_factory=list)
    places: dict[str, Node] = field(default_factory=dict)
    choices: dict[str, Node] = field(default_factory=dict)


def decode(node: Node, judge: Judge) -> Decoded:
    """Return what a form's tree means."""
    decoder = _Decoder(judge)
    decoder.result.value = decoder.read(node, ())
    return decoder.result


class _Unreadable(ValueError):
    def __init__(self, code: str, details: JsonObject | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.details = details or {}


@dataclass(slots=True)
class _Decoder:
    judge: Judge
    result: Decoded = field(default_factory=Decoded)

    def read(self, node: Node, path: Path) -> Found:
        self.result.places[pointer(path)] = node
        if node.kind is Kind.BRANCH:
            self.result.choices.setdefault(pointer(path), node)
        if node.is_read_only:
            return ABSENT
        try:
            if node.is_too_much:
                raise _Unreadable("too-much")
            return self._explicit(node, path) if node.presence else self._read(node, path)
        except _Unreadable as error:
            self.result.faults.append(Fault(node, pointer(path), error.code, error.details))
            return ABSENT

    def _explicit(self, node: Node, path: Path) -> Found:
        """Read an input with an explicit control that was used. Both that and something typed contradict each other."""
        if node.presence == Presence.VALUE and node.kind is not Kind.CONST:
            return self._read(node, path, included=True)
        if node.kind is Kind.CONST:
            return cast("JsonValue", node.shape.schema["const"])
        if node.text.strip() or not all(map(_is_blank, node.children)):
            raise _Unreadable("both")
        if node.presence == Presence.NULL:
            return None
        return [] if node.kind in {Kind.ARRAY, Kind.MULTICHOICE} else ""

    def _read(self, node: Node, path: Path, *, included: bool = False) -> Found:
        match node.kind:
            case Kind.OBJECT | Kind.MAP:
                return self._object(node, path, included=included)
            case Kind.ARRAY:
                return self._array(node, path)
            case Kind.BRANCH:
                return self.read(node.children[0], path) if node.children else ABSENT
            case Kind.CONST:
                return cast("JsonValue", node.shape.schema["const"]) if node.required else ABSENT
            case Kind.MULTICHOICE:
                chosen = sorted({_index(node, text) for text in node.texts if text})
                return [node.shape.options[index].value for index in chosen] or ABSENT
            case _:
                return _leaf(node)

    def _object(self, node: Node, path: Path, *, included: bool) -> Found:
        value: JsonObject = {}
        faults_before = len(self.result.faults)
        is_filled = self._members(node, path, value)
        for group in node.children:
            if group.kind is Kind.GROUP and group.condition is not None:
                is_active = (
                    self.judge(node.shape.root, group.condition.test, dict(value)) is not group.condition.negated
                )
                target = value if is_active else {}
                faults = len(self.result.faults)
                is_filled = (self._members(group, path, target) and is_active) or is_filled
                if not is_active:
                    del self.result.faults[faults:]
        has_faults = len(self.result.faults) > faults_before
        return value if node.required or included or is_filled or has_faults else ABSENT

    def _members(self, node: Node, path: Path, value: JsonObject) -> bool:
        """Read the members into ``value``, and tell whether a person filled in any."""
        is_filled = False
        for child in node.children:
            if child.kind is Kind.GROUP:
                continue
            name = self._key(child, path, value) if child.is_extra else child.name
            if name is None:
                continue
            found = self.read(child, (*path, name))
            if found is not ABSENT:
                value[name] = found
                is_filled = is_filled or not (child.required and _is_fixed(child))
        return is_filled

    def _key(self, child: Node, path: Path, value: JsonObject) -> str | None:
        """Return the name of a row of a map; None for a row to pass over."""
        if child.key == "":
            if _is_blank(child):
                return None
            code = "key-missing"
        elif child.key in value:
            code = "key-twice"
        else:
            try:
                check_value(child.key)
            except MalformedJson:
                code = "character"
            else:
                return child.key
        self.result.faults.append(Fault(child, pointer(path), code))
        return None

    def _array(self, node: Node, path: Path) -> Found:
        items: list[JsonValue] = []
        gap: Node | None = None
        faults_before = len(self.result.faults)
        for child in node.children:
            found = self.read(child, (*path, len(items)))
            if found is ABSENT:
                gap = gap or (None if child.is_row else child)
                self.result.places.pop(pointer((*path, len(items))), None)
                continue
            if gap is not None:
                self.result.faults.append(Fault(gap, pointer(path), "required"))
                gap = None
            items.append(found)
        has_faults = len(self.result.faults) > faults_before
        return items if items or has_faults else ABSENT


def _is_fixed(node: Node) -> bool:
    """Whether a value is there without anybody having done anything."""
    if node.kind in {Kind.OBJECT, Kind.MAP}:
        return not node.presence and all(_is_fixed(child) or _is_blank(child) for child in node.children)
    return node.kind is Kind.CONST


def _is_blank(node: Node) -> bool:
    """Whether nobody has filled in anything."""
    return not any(text.strip() for inner in node.walk() for text in (inner.text, inner.presence, inner.key))


def _leaf(node: Node) -> Found:
    text = node.text.replace("\r\n", "\n")
    if not text.strip():
        return ABSENT
    match node.kind:
        case Kind.NUMBER:
            return _number(text)
        case Kind.CHOICE:
            return node.shape.options[_index(node, text)].value
        case Kind.YES_NO | Kind.CONSENT:
            if text not in {"true", "false"} or (node.kind is Kind.CONSENT and text == "false"):
                raise _Unreadable("option")
            return text == "true"
        case Kind.RAW:
            return _json(text)
        case Kind.DATE_TIME | Kind.TIME if node.parts:
            return _moment(node)
        case _:
            return _text(text)


def _number(text: str) -> JsonValue:
    try:
        return read_number(text)
    except NotANumber as error:
        raise _Unreadable(error.code) from error


def _moment(node: Node) -> str:
    try:
        return joined(node.kind, node.parts)
    except NotAMoment as error:
        raise _Unreadable(error.part) from error


def _index(node: Node, text: str) -> int:
    index = position(text, len(node.shape.options))
    if index is None:
        raise _Unreadable("option")
    return index


def _json(text: str) -> JsonValue:
    try:
        return parse_json(text)
    except MalformedJson as error:
        place: dict[str, Any] = {"line": error.line, "column": error.column, "problem": error.message}
        raise _Unreadable("json", place) from error


def _text(text: str) -> str:
    try:
        check_value(text)
    except MalformedJson as error:
        raise _Unreadable("character") from error
    return text
