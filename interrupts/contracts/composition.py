"""Building a schema around schemas that people wrote, each of which must mean inside what it means alone.

A reference such as ``#/$defs/name`` starts at the root of the resource it stands in. A schema that refers to anything
therefore becomes a resource of its own where it is put: it gets an ``$id``, unless its author gave it one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from interrupts.contracts.dialects import DRAFT_04, DRAFT_2020_12, Dialect, dialect_of
from interrupts.contracts.json_text import digest
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue

ANY_OBJECT: Final[JsonObject] = {"type": "object", "additionalProperties": True}

_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
# Here a ``$ref`` makes its neighbours meaningless, an ``$id`` among them.
_LONELY_REF: Final = frozenset({"draft-04", "draft-06", "draft-07"})


def closed_object(members: Mapping[str, JsonSchema], *, dialect: Dialect, required: bool = True) -> JsonObject:
    """Return the schema of an object with exactly these members. What people wrote has passed :func:`embedded`."""
    schema: JsonObject = {} if dialect is DRAFT_2020_12 else {"$schema": dialect.uri}
    schema |= {"type": "object", "properties": dict(members), "additionalProperties": False}
    if required and members:
        schema["required"] = list(members)
    return schema


def embedded(schema: JsonObject, *, into: Dialect) -> JsonSchema:
    """Return a sound schema as it may stand inside another of the dialect ``into``; of another dialect, no rule at all.

    Raises nothing; :func:`embedding_problems` tells which schemas cannot be moved.
    """
    if dialect_of(schema) is not into:
        return {}
    inner: JsonObject = {name: value for name, value in schema.items() if name != "$schema"}
    if not _refers(inner):
        return inner
    identifier = _identifier(into)
    if into.name in _LONELY_REF and "$ref" in inner:
        reference: JsonObject = {"$ref": inner.pop("$ref")}
        return {**inner, identifier: _name_of(schema), "allOf": [reference]}
    return inner if identifier in inner else {identifier: _name_of(schema), **inner}


def embedding_problems(schema: JsonObject) -> list[Problem]:
    """Return why a sound schema would not mean the same inside another."""
    identifier = _identifier(dialect_of(schema))
    named = schema.get(identifier)
    if isinstance(named, str) and named.startswith("#"):
        return [Problem(f"/{identifier}", identifier, "The root of this schema needs a whole URI as its identifier.")]
    return []


def _identifier(dialect: Dialect) -> str:
    return "id" if dialect is DRAFT_04 else "$id"


def _name_of(schema: JsonObject) -> str:
    return f"urn:wopsite:schema:{digest(schema)[:32]}"


def _refers(value: JsonValue) -> bool:
    match value:
        case dict():
            return not _REFERENCES.isdisjoint(value) or any(map(_refers, value.values()))
        case list():
            return any(map(_refers, value))
        case _:
            return False
