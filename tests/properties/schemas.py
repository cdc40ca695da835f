"""Schemas nobody would write, and values for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from interrupts.contracts.json_text import MalformedJson, check_value

NAMES = st.sampled_from(["a", "b", "c", "x-1", ""])
NUMBERS = st.integers(-4, 12) | st.sampled_from([0.5, 1.0, 2.5, 0.1, 0.3, -0.0, 1e300])
SCALARS = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "ab", "xyz", "2031-05-17", "é", "1.2.3.4"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
LIMITS = st.integers(0, 4)
PATTERNS = st.sampled_from(["^a", "b$", "^x-", "^(a+)+$", "^\\p{Letter}*$", "^(?!a)", "[0-9]"])
FORMATS = st.sampled_from(["date", "ipv4", "email", "uri", "regex", "made-up"])


def keyword(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return values.map(lambda value: {name: value})


ASSERTIONS = st.one_of(
    keyword("type", TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True)),
    keyword("enum", st.lists(VALUES, min_size=1, max_size=4)),
    keyword("const", VALUES),
    *(keyword(name, LIMITS) for name in ("minLength", "maxLength", "minItems", "maxItems", "maxProperties")),
    *(keyword(name, NUMBERS) for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
    keyword("multipleOf", st.sampled_from([1, 2, 0.5, 3])),
    keyword("uniqueItems", st.booleans()),
    keyword("pattern", PATTERNS),
    keyword("format", FORMATS),
    keyword("required", st.lists(NAMES, max_size=3, unique=True)),
    keyword("dependentRequired", st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2)),
    keyword("$ref", st.sampled_from(["#/$defs/text", "#/$defs/tree"])),
)


def applicators(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    several = st.lists(inner, min_size=1, max_size=3)
    conditions = st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner})
    counts = st.fixed_dictionaries({"contains": inner}, optional={"minContains": LIMITS, "maxContains": LIMITS})
    return st.one_of(
        *(keyword(name, several) for name in ("allOf", "anyOf", "oneOf", "prefixItems")),
        *(keyword(name, inner) for name in ("not", "items", "propertyNames", "additionalProperties")),
        *(keyword(name, inner) for name in ("unevaluatedProperties", "unevaluatedItems")),
        *(keyword(name, st.dictionaries(NAMES, inner, max_size=3)) for name in ("properties", "dependentSchemas")),
        keyword("patternProperties", st.dictionaries(PATTERNS, inner, max_size=2)),
        conditions,
        counts,
    )


def merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for part in parts for name, value in part.items()}


SCHEMAS = st.recursive(
    st.booleans() | st.lists(ASSERTIONS, max_size=3).map(merged),
    lambda inner: st.lists(applicators(inner) | ASSERTIONS, min_size=1, max_size=3).map(merged),
    max_leaves=8,
)
DEFINITIONS: dict[str, Any] = {
    "text": {"type": "string", "minLength": 1},
    "tree": {"type": ["object", "string"], "additionalProperties": {"$ref": "#/$defs/tree"}},
}


def is_carried(value: Any) -> bool:
    """Tell whether a request can hold a value at all: one with U+0000 is refused before any schema is read."""
    try:
        check_value(value)
    except MalformedJson:
        return False
    return True
