"""One schema out of several that apply to the same value: references followed, ``allOf`` merged.

Only what a form draws has to be right here. A keyword that is only judged may be dropped; two that draw the same thing
in different ways cannot be merged, and the value is written as JSON instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from interrupts.contracts.dialects import DRAFT_04, Dialect, dialect_of
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.types import JsonSchema

_MAX_PARTS: Final = 64
_UNREADABLE: Final = ("$dynamicRef", "$recursiveRef")
_LARGEST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_SMALLEST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
# What draws a form in one way only.
_DRAWING: Final = frozenset({"const", "oneOf", "anyOf", "prefixItems", "patternProperties"})
_CONDITIONS: Final = ("if", "then", "else", "dependentSchemas")


class Unmergeable(ValueError):
    """The schema cannot be drawn as a form."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """What references start from: a whole schema, or one inside another that has an identifier of its own."""

    schema: JsonSchema
    dialect: Dialect

    def inside(self, schema: JsonSchema) -> Document:
        """Return what the references in a schema of this document start from."""
        identifier = "id" if self.dialect is DRAFT_04 else "$id"
        is_own = isinstance(schema, dict) and schema is not self.schema and isinstance(schema.get(identifier), str)
        return Document(schema, self.dialect) if is_own else self


def document(schema: JsonSchema) -> Document:
    return Document(schema, dialect_of(schema))


@dataclass(frozen=True, slots=True)
class Condition:
    """``schema`` applies to an object that ``test`` holds for, or that it does not hold for (``negated``)."""

    test: JsonSchema
    schema: JsonSchema
    negated: bool = False


@dataclass(slots=True)
class Merged:
    """The merged keywords, the conditions of all parts, and the references that were followed on the way."""

    schema: dict[str, Any] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    references: set[str] = field(default_factory=set)


def merge(root: Document, schema: JsonSchema) -> Merged:
    """Return a schema as one. What stands nearer to the value wins over what it refers to.

    Raises :class:`Unmergeable` for references that are not plain pointers, and parts that contradict each other.
    """
    merged = Merged()
    waiting, parts = [schema], 0
    while waiting:
        part = waiting.pop(0)
        parts += 1
        if part is True:
            continue
        if part is False or parts > _MAX_PARTS:
            raise Unmergeable
        waiting = [*_add(merged, root, part), *waiting]
    return merged


def _add(merged: Merged, root: Document, part: dict[str, Any]) -> list[JsonSchema]:
    """Merge the part's own keywords, and return the parts it is made of."""
    if any(name in part for name in _UNREADABLE) or root.inside(part) is not root:
        raise Unmergeable
    more: list[JsonSchema] = []
    for name, value in part.items():
        if name == "$ref":
            more.append(look_up(root, value))
            merged.references.add(value)
        elif name == "allOf":
            more += value
        elif name not in _CONDITIONS:
            merged.schema[name] = _joined(name, merged.schema[name], value) if name in merged.schema else value
    merged.conditions += _conditions(part)
    return more


def look_up(root: Document, reference: str) -> JsonSchema:
    """Return what a local reference leads to. Raises :class:`Unmergeable` for any other."""
    if reference != "#" and not reference.startswith("#/"):
        raise Unmergeable
    found: Any = root.schema
    for token in unquote(reference).split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(name)] if isinstance(found, list) else found[name]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise Unmergeable from error
    if not isinstance(found, dict | bool):
        raise Unmergeable
    return found


def types_of(schema: dict[str, Any]) -> list[str]:
    """Return the types that a schema names."""
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def _conditions(part: dict[str, Any]) -> list[Condition]:
    found = []
    if "if" in part:
        found += [
            Condition(part["if"], part[name], negated=name == "else") for name in ("then", "else") if name in part
        ]
    later = part.get("dependentSchemas", part.get("dependencies", {}))
    found += [Condition({"required": [name]}, schema) for name, schema in later.items() if isinstance(schema, dict)]
    return [condition for condition in found if isinstance(condition.schema, dict)]


def _joined(name: str, nearer: Any, further: Any) -> Any:
    if name in _LARGEST:
        return max(nearer, further)
    if name in _SMALLEST:
        return min(nearer, further)
    if name in _JOINING:
        return _JOINING[name](nearer, further)
    if name in _DRAWING and not same(nearer, further):
        raise Unmergeable
    return nearer


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are written alike, whatever the order of their members."""
    return one is other or _sorted_text(one) == _sorted_text(other)


def _sorted_text(value: Any) -> str:
    return dump_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _properties(nearer: dict[str, JsonSchema], further: dict[str, JsonSchema]) -> dict[str, JsonSchema]:
    names = dict.fromkeys([*further, *nearer])
    return {name: _both(nearer.get(name, True), further.get(name, True)) for name in names}


def _both(nearer: JsonSchema, further: JsonSchema) -> JsonSchema:
    if nearer is False or further is False:
        return False
    if isinstance(nearer, bool) or isinstance(further, bool):
        return further if isinstance(nearer, bool) else nearer
    return {"allOf": [nearer, further]}


def _types(nearer: Any, further: Any) -> list[str]:
    ours, theirs = types_of({"type": nearer}), types_of({"type": further})
    shared = [name for name in ours if name in theirs or (name == "integer" and "number" in theirs)]
    shared += [name for name in theirs if name == "integer" and "number" in ours and name not in shared]
    if not shared:
        raise Unmergeable
    return shared


def _enum(nearer: list[Any], further: list[Any]) -> list[Any]:
    known = {_sorted_text(value) for value in further}
    shared = [value for value in nearer if _sorted_text(value) in known]
    if not shared:
        raise Unmergeable
    return shared


def _items(nearer: Any, further: Any) -> Any:
    if isinstance(nearer, list) or isinstance(further, list):
        if not same(nearer, further):
            raise Unmergeable
        return nearer
    return _both(nearer, further)


_JOINING: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "properties": _properties,
    "required": lambda nearer, further: list(dict.fromkeys([*further, *nearer])),
    "type": _types,
    "enum": _enum,
    "items": _items,
    "additionalProperties": _both,
}
