"""Where the schemas inside a schema are, dialect by dialect: exactly the places a dialect's meta-schema looks at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_DRAFT_04: Final = frozenset({
    "properties", "patternProperties", "definitions", "dependencies", "allOf", "anyOf", "oneOf", "not", "items",
    "additionalItems", "additionalProperties",
})  # fmt: skip
_DRAFT_06: Final = _DRAFT_04 | {"contains", "propertyNames"}
_DRAFT_07: Final = _DRAFT_06 | {"if", "then", "else"}
_DRAFT_2019_09: Final = _DRAFT_07 | {
    "$defs", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
}  # fmt: skip

# By the name of a dialect: the keywords that hold schemas.
KEYWORDS: Final = {
    "draft-04": _DRAFT_04,
    "draft-06": _DRAFT_06,
    "draft-07": _DRAFT_07,
    "2019-09": _DRAFT_2019_09,
    "2020-12": (_DRAFT_2019_09 - {"additionalItems"}) | {"prefixItems"},
}

_MAPS: Final = frozenset({
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
})  # fmt: skip

# These apply to the very value their schema applies to: going round them makes no progress.
_IN_PLACE: Final = frozenset({
    "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies",
})  # fmt: skip


def children(schema: dict[str, Any], dialect: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the object schemas directly inside a schema, each with its path. Malformed keywords are passed over."""
    for keyword, value in schema.items():
        for path, child in _held(keyword, value) if keyword in KEYWORDS[dialect] else ():
            if isinstance(child, dict):
                yield path, child


def in_place(path: Path) -> bool:
    """Tell whether the child at a path from :func:`children` applies to the same value as its parent."""
    return path[0] in _IN_PLACE


def _held(keyword: str, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, list):
        yield from (((keyword, index), child) for index, child in enumerate(value))
    elif isinstance(value, dict) and keyword in _MAPS:
        yield from (((keyword, name), child) for name, child in value.items())
    else:
        yield (keyword,), value
