"""What a schema says about one place of a value: enough to read words as values and to name fields in words.

Nothing is judged here. Whether a value is valid is said by ``contracts.validation`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.surfaces.cli.words import on_one_line

_TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "nothing",
}
_CHOICES: Final = ("allOf", "anyOf", "oneOf", "then", "else")
_MOST: Final = 200
_SHOWN_OPTIONS: Final = 8
_MOST_LISTS: Final = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """The schemas that apply to one place, choices among them included; ``root`` is what their references point into.

    ``certain`` are those that apply whatever the value is.
    """

    root: JsonValue
    schemas: tuple[JsonObject, ...]
    certain: tuple[JsonObject, ...]

    @property
    def types(self) -> set[str]:
        """The JSON types that are allowed here, as far as it is said; empty when it is not."""
        return {name for schema in self.schemas for name in _types(schema)}

    def member(self, name: str) -> Shape:
        """Return the shape of an object's member."""
        return self._inner([_dig(schema, "properties", name) for schema in self.schemas])

    def item(self, index: int = 0) -> Shape:
        """Return the shape of a list's item."""
        return self._inner([_item(schema, index) for schema in self.schemas])

    def members(self) -> dict[str, bool]:
        """Return the names of an object's members as they are declared, and whether each is required."""
        named = {name: False for schema in self.schemas for name in _names(schema.get("properties"))}
        for schema in self.certain:
            required = schema.get("required")
            if isinstance(required, list):
                named |= {name: True for name in required if isinstance(name, str)}
        return named

    @property
    def may_be_empty(self) -> bool:
        """Whether this is a list that may have no items, as far as keywords say it."""
        says_otherwise = ("contains", "enum", "const")
        return self.types == {"array"} and not any(
            schema.get("minItems") or any(keyword in schema for keyword in says_otherwise) for schema in self.schemas
        )

    def said(self, keyword: str) -> str:
        """Return the text of a keyword such as ``description``, where there is one."""
        texts = [schema[keyword] for schema in self.schemas if isinstance(schema.get(keyword), str)]
        return cast("str", texts[0]) if texts else ""

    def in_words(self, *, depth: int = 0) -> str:
        """Return what belongs here, in words: “list of text”, “one of "a", "b"”."""
        options = next((schema["enum"] for schema in self.schemas if isinstance(schema.get("enum"), list)), None)
        if isinstance(options, list):
            return _options(options)
        types = self.types
        if not types:
            return "anything"
        if types == {"array"}:
            items = self.item()
            if not items.types or depth == _MOST_LISTS:
                return "list"
            return f"list of {items.in_words(depth=depth + 1)}"
        words = " or ".join(word for name, word in _TYPES.items() if name in types)
        form = on_one_line(self.said("format"))
        return f"{words} ({form})" if form and types == {"string"} else words

    def _inner(self, found: Sequence[JsonValue]) -> Shape:
        return _shape(self.root, found)


def shape_of(schema: JsonValue) -> Shape:
    """Return the shape of the whole value that a schema describes."""
    return _shape(schema, [schema])


def _shape(root: JsonValue, found: Sequence[JsonValue]) -> Shape:
    return Shape(root, tuple(_spread(root, found, _CHOICES)), tuple(_spread(root, found, ("allOf",))))


def _spread(root: JsonValue, found: Sequence[JsonValue], choices: Sequence[str]) -> Iterator[JsonObject]:
    """Yield each schema, then those it refers to and those it applies in place; a bounded number of them."""
    queue, seen = list(found), set[int]()
    while queue and len(seen) < _MOST:
        schema = queue.pop(0)
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            queue.append(_referred(root, reference))
        for keyword in choices:
            choice = schema.get(keyword)
            queue += choice if isinstance(choice, list) else [choice]


def _referred(root: JsonValue, reference: str) -> JsonValue:
    """Return what a reference within the document points at; None for any other."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    here = root
    for token in reference.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        here = here.get(name) if isinstance(here, dict) else None
    return here


def _item(schema: JsonObject, index: int) -> JsonValue:
    for keyword in ("prefixItems", "items"):
        items = schema.get(keyword)
        if isinstance(items, list) and index < len(items):
            return items[index]
        if isinstance(items, dict):
            return items
    return None


def _types(schema: JsonObject) -> Iterator[str]:
    stated = schema.get("type")
    if stated is not None:
        yield from (name for name in (stated if isinstance(stated, list) else [stated]) if isinstance(name, str))
        return
    options = schema.get("enum", [schema["const"]] if "const" in schema else [])
    yield from (_type_of(option) for option in (options if isinstance(options, list) else []))


def _type_of(value: JsonValue) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "null"


def _options(options: list[JsonValue]) -> str:
    shown = ", ".join(map(on_one_line, options[:_SHOWN_OPTIONS]))
    return f"one of {shown}{', …' if len(options) > _SHOWN_OPTIONS else ''}"


def _dig(schema: JsonObject, keyword: str, name: str) -> JsonValue:
    members = schema.get(keyword)
    return members.get(name) if isinstance(members, dict) else None


def _names(members: JsonValue) -> list[str]:
    return list(members) if isinstance(members, dict) else []
