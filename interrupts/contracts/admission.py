"""The gate a schema passes before it is registered, and again when it is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import jsonschema_rs
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # type: ignore[import-untyped]

from interrupts.contracts.budget import NotChecked
from interrupts.contracts.checking import CompiledSchema, assemble, run
from interrupts.contracts.dialects import DIALECTS, Dialect, dialect_of
from interrupts.contracts.json_text import MalformedJson, check_value, dump_json
from interrupts.contracts.leaves import MAX_PATTERN, RS_CLASSES, compile_pattern
from interrupts.contracts.locations import Path, children
from interrupts.contracts.problems import UNCHECKED, Problem, tidy, to_pointer
from interrupts.contracts.references import Graph, Place, cycles, read_graph
from interrupts.contracts.types import JsonSchema, JsonValue
from interrupts.contracts.wording import quote

MAX_SCHEMA_BYTES: Final = 262_144
MAX_SCHEMA_DEPTH: Final = 32
MAX_SUBSCHEMAS: Final = 5_000

# The meta-schemas are ours to trust; a schema of 256 KiB takes more steps against them than a value may.
_META_STEPS: Final = 2_000_000
_META_SECONDS: Final = 5.0


def check_schema(schema: JsonValue) -> list[Problem]:
    """Return why a schema cannot be registered, by pointers into the schema; an empty list means that it can.

    In this order, and the first stage with problems is the last: clean JSON within its limits; a dialect we speak; the
    dialect's meta-schema; references that stay inside the document; no circle without progress; patterns that run in
    bounded time. No second engine compiles the schema here: jsonschema-rs takes minutes over some schemas of 3 kB and
    cannot be stopped.
    """
    problems = _check_text(schema)
    if not problems and isinstance(schema, dict):
        problems = _check_dialect(schema) or _check_meta((), schema, dialect_of(schema)) or _check_graph(schema)
    return tidy(problems)


def _check_text(schema: JsonValue) -> list[Problem]:
    try:
        check_value(schema, max_bytes=MAX_SCHEMA_BYTES, max_depth=MAX_SCHEMA_DEPTH)
        if len(dump_json(schema).encode()) > MAX_SCHEMA_BYTES:
            return [Problem("", "json", f"The schema is larger than {MAX_SCHEMA_BYTES} bytes.")]
    except MalformedJson as error:
        return [Problem("", "json", error.message)]
    if not isinstance(schema, dict | bool):
        return [Problem("", "type", "A schema is an object, or true or false.")]
    return []


def _check_dialect(schema: dict[str, Any]) -> list[Problem]:
    problems: list[Problem] = []
    if "$schema" in schema and str(schema["$schema"]).removesuffix("#") not in DIALECTS:
        known = ", ".join(DIALECTS)
        problems.append(Problem("/$schema", "$schema", f"This dialect is not known here. Known are: {known}."))
    dialect = dialect_of(schema)
    for count, (path, inner) in enumerate(_walk(schema, dialect.name)):
        if count >= MAX_SUBSCHEMAS:
            return [Problem("", "json", f"The schema holds more than {MAX_SUBSCHEMAS} schemas.")]
        problems += _check_place(path, inner, dialect)
    return problems


def _check_place(path: Path, schema: dict[str, Any], dialect: Dialect) -> Iterator[Problem]:
    if "$vocabulary" in schema:
        yield Problem(to_pointer((*path, "$vocabulary")), "$vocabulary", "Own vocabularies are not known here.")
    named = schema.get("$schema")
    if path and named is not None and str(named).removesuffix("#") != dialect.uri:
        message = "A schema inside another must be of the same dialect."
        yield Problem(to_pointer((*path, "$schema")), "$schema", message)


def _check_meta(path: Path, schema: JsonSchema, dialect: Dialect) -> list[Problem]:
    """Check against the meta-schema: by jsonschema-rs, which is fast; by our own validator for the words."""
    fast, slow = _meta_schema(dialect)
    if fast.is_valid(schema):
        return []
    problems = run(slow, schema, steps=_META_STEPS, seconds=_META_SECONDS)
    if not problems or problems[0].keyword in UNCHECKED:
        return [Problem(to_pointer(path), "$schema", "This is not a sound schema of its dialect.")]
    return [Problem(to_pointer(path) + p.pointer, p.keyword, p.message) for p in problems]


@cache
def _meta_schema(dialect: Dialect) -> tuple[jsonschema_rs.Validator, CompiledSchema]:
    meta = dialect.validator.META_SCHEMA
    fast = RS_CLASSES[dialect.name](meta, validate_formats=False, offline=True)
    return fast, assemble(meta, registry=SPECIFICATIONS)


def _check_graph(schema: JsonSchema) -> list[Problem]:
    try:
        graph = read_graph(assemble(schema), most=MAX_SUBSCHEMAS)
    except ValueError:
        return [Problem("", "$id", "The identifier of this schema is no URI.")]
    if len(graph.places) > MAX_SUBSCHEMAS:
        return [Problem("", "json", f"The schema holds more than {MAX_SUBSCHEMAS} schemas.")]
    return graph.problems or _check_hidden(graph) or cycles(graph) or _check_patterns(graph)


def _check_hidden(graph: Graph) -> list[Problem]:
    """Check what only references reach: the meta-schema, read from the root, has not looked there."""
    problems: list[Problem] = []
    for place in graph.places.values():
        if place.hidden:
            problems += _check_meta(place.path, place.schema, graph.dialect)
            problems += _check_place(place.path, place.schema, graph.dialect)
    return problems


def _check_patterns(graph: Graph) -> list[Problem]:
    return [problem for place in graph.places.values() for problem in _pattern_problems(place)]


def _pattern_problems(place: Place) -> Iterator[Problem]:
    rules = place.schema.get("patternProperties", {})
    patterns: list[tuple[Path, str]] = [(("patternProperties", pattern), pattern) for pattern in rules]
    if isinstance(place.schema.get("pattern"), str):
        patterns.append((("pattern",), place.schema["pattern"]))
    for path, pattern in patterns:
        fault = _pattern_fault(pattern)
        if fault is not None:
            yield Problem(to_pointer(place.path + path), str(path[0]), fault)


def _pattern_fault(pattern: str) -> str | None:
    if len(pattern) > MAX_PATTERN:
        return f"A pattern may have at most {MAX_PATTERN} characters."
    try:
        compile_pattern(pattern)
    except NotChecked:
        return f"{quote(pattern)} is not a regular expression, or it grows too large."
    return None


def _walk(schema: dict[str, Any], dialect: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    waiting: list[tuple[Path, dict[str, Any]]] = [((), schema)]
    while waiting:
        path, current = waiting.pop()
        yield path, current
        waiting.extend((path + step, child) for step, child in children(current, dialect))
