"""``unevaluatedProperties`` and ``unevaluatedItems``: what no other keyword of the schema, or of one in place, saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from referencing.jsonschema import lookup_recursive_ref

from interrupts.contracts.applicators import descend, holds
from interrupts.contracts.assertions import Keyword, fail
from interrupts.contracts.budget import meter
from interrupts.contracts.leaves import compile_pattern


def _unevaluated_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if rule is True or not isinstance(instance, dict):
        return
    own = {name: value for name, value in schema.items() if name != "unevaluatedProperties"}
    seen = _seen_names(validator, instance, own)
    for name, value in instance.items():
        if name not in seen:
            yield from (fail("", name),) if rule is False else descend(validator, value, rule, name)


def _unevaluated_items(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if rule is True or not isinstance(instance, list):
        return
    own = {name: value for name, value in schema.items() if name != "unevaluatedItems"}
    seen = _seen_positions(validator, instance, own)
    for index, value in enumerate(instance):
        if index not in seen:
            yield from (fail("", index),) if rule is False else descend(validator, value, rule, index)


def _seen_names(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    """Return the names that a schema (which holds for the instance) has spoken of."""
    if isinstance(schema, bool):
        return set()
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    patterns = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    seen = {name for name in instance if any(pattern.found_in(name) for pattern in patterns)}
    seen |= schema.get("properties", {}).keys() & instance.keys()
    for inner, subschema in _in_place(validator, instance, schema):
        seen |= _seen_names(inner, instance, subschema)
    return seen


def _seen_positions(validator: Any, instance: list[Any], schema: Any) -> set[int]:
    """Return the positions that a schema (which holds for the instance) has spoken of."""
    if isinstance(schema, bool):
        return set()
    if _speaks_of_every_item(schema):
        return set(range(len(instance)))
    modern = "prefixItems" in validator.VALIDATORS
    seen = set(range(len(schema.get("prefixItems" if modern else "items", ()))))
    if "contains" in schema and modern:  # from 2020-12 on, contains counts
        seen |= {index for index, item in enumerate(instance) if holds(validator, item, schema["contains"])}
    for inner, subschema in _in_place(validator, instance, schema):
        seen |= _seen_positions(inner, instance, subschema)
    return seen


def _speaks_of_every_item(schema: dict[str, Any]) -> bool:
    if "unevaluatedItems" in schema:
        return True
    return "items" in schema and (not isinstance(schema["items"], list) or "additionalItems" in schema)


def _in_place(validator: Any, instance: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas that apply to the same instance and hold for it, each with the validator that resolves it."""
    meter().step()
    yield from _referred(validator, schema)
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from _holding(validator, instance, schema.get(keyword, ()))
    if "if" in schema:
        met = holds(validator, instance, schema["if"])
        yield from _holding(validator, instance, [schema["if"], schema.get("then", True)] if met else [])
        yield from _holding(validator, instance, [] if met else [schema.get("else", True)])
    if isinstance(instance, dict):
        rules = schema.get("dependentSchemas", {})
        yield from _holding(validator, instance, [rule for trigger, rule in rules.items() if trigger in instance])


def _holding(validator: Any, instance: Any, schemas: Any) -> Iterator[tuple[Any, Any]]:
    for schema in schemas:
        if not isinstance(schema, bool) and holds(validator, instance, schema):
            yield validator.within(schema), schema


def _referred(validator: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    resolver = validator._resolver  # noqa: SLF001 - the library has no public way to the place a reference is read from
    known = schema.keys() & validator.VALIDATORS.keys()
    found = [resolver.lookup(schema[keyword]) for keyword in ("$ref", "$dynamicRef") if keyword in known]
    if "$recursiveRef" in known:
        found.append(lookup_recursive_ref(resolver))
    for resolved in found:
        yield validator.evolve(schema=resolved.contents, _resolver=resolved.resolver), resolved.contents


UNEVALUATED: Final[dict[str, Keyword]] = {
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
