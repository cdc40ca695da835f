"""JSON Pointers (RFC 6901) into values, and what a schema says of the place that one leads to."""

from __future__ import annotations

import re
from typing import Final, TypeAlias, cast

from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue

Tokens: TypeAlias = tuple[str, ...]

MAX_POINTER: Final = 500
MAX_DIGITS: Final = 9
_STRAY_TILDE: Final = re.compile(r"~(?![01])")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_MOST_REFERENCES: Final = 20
# With one of these, what a place may hold is told elsewhere too.
_ELSEWHERE: Final = (
    "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies",
    "patternProperties",
)  # fmt: skip


def read_pointer(text: str) -> Tokens:
    """Return the tokens of a pointer; none for "", the whole value. Raises ValueError for what is no pointer."""
    if (text and not text.startswith("/")) or len(text) > MAX_POINTER or _STRAY_TILDE.search(text):
        raise ValueError(text)
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:])


def position(text: str, length: int) -> int | None:
    """Return the position in a list of this length that plain digits name; None for what names none.

    Python refuses to read thousands of digits, and others may write them.
    """
    if not (text.isascii() and text.isdecimal()) or len(text) > MAX_DIGITS or int(text) >= length:
        return None
    return int(text)


def find(value: JsonValue, tokens: Tokens) -> JsonValue:
    """Return what is at a place, or raise LookupError."""
    for token in tokens:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token):
            value = value[int(token)]
        else:
            raise LookupError(token)
    return value


def put(value: JsonValue, tokens: Tokens, member: JsonValue) -> JsonValue:
    """Return a value with another member at a place, and objects made on the way; what was given is left as it is.

    Raises LookupError where something else than an object is in the way.
    """
    if not tokens:
        return member
    if not isinstance(value, dict):
        raise LookupError(tokens[0])
    return {**value, tokens[0]: put(value.get(tokens[0], {}), tokens[1:], member)}


def schema_at(schema: JsonSchema, tokens: Tokens) -> JsonSchema:
    """Return the schema of a place: True where it says nothing, or nothing simple; False where nothing can be."""
    current = _referred(schema, schema)
    for token in tokens:
        if not isinstance(current, dict) or any(keyword in current for keyword in _ELSEWHERE):
            return current is not False
        current = _referred(schema, _member(current, token))
    return current


def describes_objects(schema: JsonSchema) -> bool:
    """Return whether a schema says outright that only objects satisfy it: by its type, in all of it or in a part."""
    return _describes_objects(schema, schema, _MOST_REFERENCES)


def _describes_objects(root: JsonSchema, schema: JsonValue, most: int) -> bool:
    if not isinstance(schema, dict) or most == 0:
        return False
    if schema.get("type") in ("object", ["object"]):
        return True
    parts = schema.get("allOf")
    inner = [*(parts if isinstance(parts, list) else ()), *_targets(root, schema)]
    return any(_describes_objects(root, part, most - 1) for part in inner)


def _member(schema: JsonObject, token: str) -> JsonSchema:
    properties = cast("dict[str, JsonSchema]", schema.get("properties", {}))
    if token in properties:
        return properties[token]
    if schema.get("type") == "array":
        items = schema.get("items", True)
        return items if isinstance(items, dict) and _INDEX.fullmatch(token) else bool(_INDEX.fullmatch(token))
    if schema.get("type", "object") not in ("object", ["object"]) and isinstance(schema["type"], str):
        return False
    return cast("JsonSchema", schema.get("additionalProperties", True))


def _referred(root: JsonSchema, schema: JsonSchema) -> JsonSchema:
    """Follow references within the document that stand alone, as generated schemas have them."""
    for _ in range(_MOST_REFERENCES):
        targets = _targets(root, schema) if isinstance(schema, dict) else []
        if not targets or not isinstance(targets[0], dict | bool):
            return schema
        schema = targets[0]
    return True


def _targets(root: JsonSchema, schema: JsonObject) -> list[JsonValue]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return []
    try:
        return [find(cast("JsonValue", root), read_pointer(reference[1:]))]
    except (LookupError, ValueError):
        return []
