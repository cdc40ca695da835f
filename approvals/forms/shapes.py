"""What one value looks like in a form, from its schema: which input, and what is inside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from approvals.forms.merging import Condition, Document, Merged, Unmergeable, merge, same, types_of
from interrupts.contracts.dialects import DRAFT_2020_12
from interrupts.contracts.types import JsonSchema, JsonValue

# A longer list of choices is quicker typed than scrolled through.
MAX_OPTIONS: Final = 500
_LONG_TEXT: Final = 200


class Kind(StrEnum):
    """The inputs there are, one template each."""

    TEXT = "text"
    TEXTAREA = "textarea"
    NUMBER = "number"
    CHOICE = "choice"
    YES_NO = "yesno"
    CONSENT = "consent"
    CONST = "const"
    DATE = "date"
    TIME = "time"
    DATE_TIME = "datetime"
    FILE = "file"
    MULTICHOICE = "multichoice"
    OBJECT = "object"
    ARRAY = "array"
    MAP = "map"
    BRANCH = "branch"
    RAW = "raw"
    # Made by the planner alone: what is drawn once it is asked for, and what applies under a condition.
    LATER = "later"
    GROUP = "group"


_TIMELY: Final = {"date": Kind.DATE, "time": Kind.TIME, "date-time": Kind.DATE_TIME}


@dataclass(frozen=True, slots=True)
class Option:
    """A value to choose, and the author's words for it, if there are any."""

    value: JsonValue
    title: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The properties that an object has besides, under a condition."""

    condition: Condition
    properties: tuple[tuple[str, JsonSchema], ...]
    required: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """One value.

    References start from ``root``. ``schema`` has the annotations and limits; the other members are those that the kind
    needs. ``extra`` is the schema of values under any other name (a map), ``items`` that of any further row of a list,
    after the fixed positions of ``prefix``.
    """

    kind: Kind
    root: Document
    schema: dict[str, Any]
    nullable: bool = False
    references: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()
    properties: tuple[tuple[str, JsonSchema], ...] = ()
    required: frozenset[str] = frozenset()
    groups: tuple[Group, ...] = ()
    extra: JsonSchema = False
    items: JsonSchema = False
    prefix: tuple[JsonSchema, ...] = ()
    branches: tuple[JsonSchema, ...] = ()


def shape_of(root: Document, schema: JsonSchema) -> Shape:
    """Return the shape of a value; ``Kind.RAW`` when no input suits it. ``root`` is what references start from."""
    root = root.inside(schema)
    try:
        merged = merge(root, schema)
        return _shape(root, merged)
    except Unmergeable:
        notes = schema if isinstance(schema, dict) else {}
        return Shape(Kind.RAW, root, {name: notes[name] for name in ("title", "description") if name in notes})


def _shape(root: Document, merged: Merged) -> Shape:
    base = Shape(Kind.RAW, root, merged.schema, references=frozenset(merged.references))
    schema = merged.schema
    if "const" in schema:
        return replace(base, kind=Kind.CONSENT if schema["const"] is True else Kind.CONST)
    if "enum" in schema:
        return _choice(base, tuple(Option(value, title) for value, title in _titled(schema)))
    for name in ("oneOf", "anyOf"):
        if name in schema and not _only_requires(schema[name]):
            return _alternatives(root, base, merged, name)
    return _typed(root, base, merged)


def _titled(schema: dict[str, Any]) -> list[tuple[JsonValue, str]]:
    names = schema.get("enumNames", [])
    titles = names if isinstance(names, list) and len(names) == len(schema["enum"]) else [""] * len(schema["enum"])
    return [(value, str(title)) for value, title in zip(schema["enum"], titles, strict=True)]


def _choice(base: Shape, options: tuple[Option, ...]) -> Shape:
    if len(options) <= MAX_OPTIONS:
        return replace(base, kind=Kind.CHOICE, options=options)
    are_texts = all(isinstance(option.value, str) for option in options)
    return replace(base, kind=Kind.TEXT if are_texts else Kind.RAW)


def _only_requires(branches: list[Any]) -> bool:
    """Whether the branches only say which names must be there: the validator decides, and nothing is drawn."""
    return all(isinstance(branch, dict) and set(branch) <= {"required", "not"} for branch in branches)


def _alternatives(root: Document, base: Shape, merged: Merged, name: str) -> Shape:
    """Constants with titles are a choice, something or null is that something, all else is a choice of branches."""
    found = merged.schema[name]
    options = [branch for branch in found if isinstance(branch, dict) and "const" in branch]
    if len(options) == len(found):
        return _choice(base, tuple(Option(option["const"], str(option.get("title", ""))) for option in options))
    rest = {key: value for key, value in merged.schema.items() if key != name}
    if merged.conditions or ("oneOf" in rest or "anyOf" in rest):
        return base
    around = {key: value for key, value in rest.items() if key not in {"title", "description", "default", "examples"}}
    others = [branch for branch in found if branch is not False and not _is_null(branch)]
    if len(others) == 1:
        inner = shape_of(root, _with(rest, others[0]))
        is_nullable = inner.nullable or any(map(_is_null, found))
        return replace(inner, nullable=is_nullable, references=inner.references | base.references)
    branches = tuple(_with(around, branch) for branch in found if branch is not False)
    if not branches:
        return base
    return replace(base, kind=Kind.BRANCH, branches=branches)


def _is_null(branch: JsonSchema) -> bool:
    return isinstance(branch, dict) and branch.get("type") == "null"


def _with(around: dict[str, Any], branch: JsonSchema) -> JsonSchema:
    """Return a branch together with what stands beside all of them; its own words stand nearer."""
    around = {key: value for key, value in around.items() if not key.startswith("$")}
    return {"allOf": [around, branch]} if around else branch


def _typed(root: Document, base: Shape, merged: Merged) -> Shape:
    schema = merged.schema
    types = types_of(schema) or _implied(schema)
    named = [name for name in types if name != "null" and not (name == "integer" and "number" in types)]
    base = replace(base, nullable="null" in types and bool(named))
    if len(named) > 1:
        kinds = [*named, "null"] if base.nullable else named
        branches = tuple({**schema, "type": name} for name in kinds)
        return replace(base, kind=Kind.BRANCH, branches=branches, nullable=False)
    match named:
        case ["string"]:
            return replace(base, kind=_text_kind(schema))
        case ["number"] | ["integer"]:
            return replace(base, kind=Kind.NUMBER)
        case ["boolean"]:
            return replace(base, kind=Kind.YES_NO)
        case ["object"]:
            return _object(root, base, merged)
        case ["array"]:
            return _array(root, base)
        case [] if types == ["null"]:
            return replace(base, kind=Kind.CONST, schema={**schema, "const": None})
        case _:
            return base


def _implied(schema: dict[str, Any]) -> list[str]:
    """What a schema without a type can only be meant for."""
    if schema.get("properties"):
        return ["object"]
    return ["array"] if "items" in schema or "prefixItems" in schema else []


def _text_kind(schema: dict[str, Any]) -> Kind:
    timely = _TIMELY.get(str(schema.get("format")))
    if timely is not None:
        return timely
    if schema.get("contentEncoding") == "base64" or schema.get("format") == "data-url":
        return Kind.FILE
    limit = schema.get("maxLength", 0)
    is_long = limit > _LONG_TEXT or "\n" in str(schema.get("default", ""))
    return Kind.TEXTAREA if is_long else Kind.TEXT


def _object(root: Document, base: Shape, merged: Merged) -> Shape:
    schema = merged.schema
    groups = _groups(root, merged.conditions)
    properties = _common(schema.get("properties", {}), groups)
    extra = schema.get("additionalProperties", True)
    patterns = schema.get("patternProperties", {})
    if len(patterns) == 1 and not isinstance(extra, dict):
        extra = next(iter(patterns.values()))
    is_map = isinstance(extra, dict) and (extra != {} or not properties)
    if not properties and not groups and not is_map:
        return base
    return replace(
        base,
        kind=Kind.OBJECT if properties or groups else Kind.MAP,
        properties=tuple((name, inner) for name, inner in properties.items() if inner is not False),
        required=frozenset(schema.get("required", [])),
        groups=tuple(kept for group in groups if (kept := _without(group, properties)).properties),
        extra=extra if is_map else False,
    )


def _groups(root: Document, conditions: list[Condition]) -> list[Group]:
    shapes = [(condition, shape_of(root, condition.schema)) for condition in conditions]
    return [Group(condition, shape.properties, shape.required) for condition, shape in shapes]


def _common(properties: dict[str, JsonSchema], groups: list[Group]) -> dict[str, JsonSchema]:
    """Return what is drawn whatever the conditions say: an input of several groups cannot stand in each of them."""
    found = dict(properties)
    seen: set[str] = set()
    for name, inner in (member for group in groups for member in group.properties):
        if name in seen:
            found.setdefault(name, inner)
        seen.add(name)
    return found


def _without(group: Group, properties: dict[str, JsonSchema]) -> Group:
    return replace(group, properties=tuple(member for member in group.properties if member[0] not in properties))


def _array(root: Document, base: Shape) -> Shape:
    prefix, items = _rows(root, base.schema)
    if not prefix and _says_nothing(items):
        return base
    inner = shape_of(root, items) if base.schema.get("uniqueItems") is True and not prefix else None
    if inner is not None and inner.kind is Kind.CHOICE and not inner.nullable:
        return replace(base, kind=Kind.MULTICHOICE, options=inner.options)
    return replace(base, kind=Kind.ARRAY, prefix=prefix, items=items)


def _rows(root: Document, schema: dict[str, Any]) -> tuple[tuple[JsonSchema, ...], JsonSchema]:
    """Return the schemas of the fixed positions, and of all further rows (False: there are none)."""
    items = schema.get("items", True)
    if root.dialect is DRAFT_2020_12:
        prefix, rest = schema.get("prefixItems", []), items
    elif isinstance(items, list):
        prefix, rest = items, schema.get("additionalItems", True)
    else:
        prefix, rest = [], items
    # Further rows of any kind are rarely meant by who fixed the first ones.
    return tuple(prefix), False if prefix and _says_nothing(rest) else rest


def _says_nothing(schema: JsonSchema) -> bool:
    return isinstance(schema, bool) or not schema


def option_index(options: tuple[Option, ...], value: JsonValue) -> int | None:
    """Return the position of the option that is written as the value is."""
    return next((index for index, option in enumerate(options) if same(option.value, value)), None)
