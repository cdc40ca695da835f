"""Where the schemas inside a schema are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

# All dialects together: looking at a keyword that a dialect does not know costs nothing and hides nothing.
_MAPS: Final = (
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SINGLES: Final = (
    "items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip

# These apply to the very value their schema applies to: going round them makes no progress.
_IN_PLACE: Final = frozenset({
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies",
})  # fmt: skip


def children(schema: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the object schemas directly inside a schema, each with its path. Malformed keywords are passed over."""
    for path, child in _candidates(schema):
        if isinstance(child, dict):
            yield path, child


def in_place(path: Path) -> bool:
    """Tell whether the child at a path from :func:`children` applies to the same value as its parent."""
    return path[0] in _IN_PLACE


def _candidates(schema: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    for keyword in _MAPS:
        members = schema.get(keyword)
        if isinstance(members, dict):
            yield from (((keyword, name), child) for name, child in members.items())
    for keyword in _LISTS:
        members = schema.get(keyword)
        if isinstance(members, list):
            yield from (((keyword, index), child) for index, child in enumerate(members))
    for keyword in _SINGLES:
        yield (keyword,), schema.get(keyword)
