"""The keywords that apply schemas to a value or to what is inside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from interrupts.contracts.assertions import Keyword, fail, missing
from interrupts.contracts.budget import meter
from interrupts.contracts.leaves import compile_pattern
from interrupts.contracts.wording import describe


def descend(
    validator: Any, instance: Any, schema: Any, path: str | int | None = None, branch: str | int | None = None
) -> Iterator[ValidationError]:
    """Apply a schema to an instance at a path below; a ``false`` schema reports the place it forbids."""
    meter().pace()
    if schema is True:
        return iter(())
    if schema is False:
        where = () if path is None else (path,)
        return iter((fail("", *where, validator="false", schema_path=() if branch is None else (branch,)),))
    errors: Iterator[ValidationError] = validator.descend(instance, schema, path=path, schema_path=branch)
    return errors


def holds(validator: Any, instance: Any, schema: Any) -> bool:
    return next(descend(validator, instance, schema), None) is None


def extras(instance: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Return the names that neither ``properties`` nor ``patternProperties`` of the schema speak of."""
    known = schema.get("properties", {})
    patterns = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    return [name for name in instance if name not in known and not any(p.found_in(name) for p in patterns)]


def _properties(validator: Any, members: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, schema in members.items():
            if name in instance:
                yield from descend(validator, instance[name], schema, name, name)


def _pattern_properties(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for pattern, schema in rules.items() if isinstance(instance, dict) else ():
        compiled = compile_pattern(pattern)
        for name, value in instance.items():
            if compiled.found_in(name):
                yield from descend(validator, value, schema, name, pattern)


def _additional_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if rule is True or not isinstance(instance, dict):
        return
    for name in extras(instance, schema):
        yield from (fail("", name),) if rule is False else descend(validator, instance[name], rule, name)


def _property_names(validator: Any, rule: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for name in instance if isinstance(instance, dict) else ():
        error = next(descend(validator, name, rule), None)
        if error is not None:
            yield fail(f"This name is not allowed here. {describe(error)}", name)


def _items(validator: Any, rule: Any, instance: Any, start: int) -> Iterator[ValidationError]:
    if rule is True or not isinstance(instance, list):
        return
    for index in range(start, len(instance)):
        yield from descend(validator, instance[index], rule, index)


def _items_2020(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    return _items(validator, rule, instance, len(schema.get("prefixItems", ())))


def _prefix_items(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        for index, (item, rule) in enumerate(zip(instance, rules, strict=False)):
            yield from descend(validator, item, rule, index, index)


def _items_legacy(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(rule, list):
        return _prefix_items(validator, rule, instance, schema)
    return _items(validator, rule, instance, 0)


def _additional_items(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    prefix = schema.get("items")
    if not isinstance(prefix, list) or not isinstance(instance, list):
        return
    if rule is not False:
        yield from _items(validator, rule, instance, len(prefix))
        return
    for index in range(len(prefix), len(instance)):
        yield fail("", index)


def _contains(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, list):
        return
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    found = sum(holds(validator, item, rule) for item in instance)
    if found < least:
        yield fail() if least == 1 else fail(validator="minContains", validator_value=least)
    if most is not None and found > most:
        yield fail(validator="maxContains", validator_value=most)


def _contains_legacy(validator: Any, rule: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    return _contains(validator, rule, instance, {})


def _all_of(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for index, rule in enumerate(rules):
        yield from descend(validator, instance, rule, None, index)


def _any_of(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    context: list[ValidationError] = []
    for index, rule in enumerate(rules):
        errors = list(descend(validator, instance, rule, None, index))
        if not errors:
            return
        context.extend(errors)
    yield fail(context=context)


def _one_of(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    context: list[ValidationError] = []
    matching = []
    for index, rule in enumerate(rules):
        errors = list(descend(validator, instance, rule, None, index))
        context.extend(errors)
        matching += [] if errors else [index]
        if len(matching) > 1:
            first, second = (number + 1 for number in matching)
            yield fail(f"This matches more than one of the forms that are allowed here: number {first} and {second}.")
            return
    if not matching:
        yield fail(context=context)


def _not(validator: Any, rule: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if holds(validator, instance, rule):
        yield fail()


def _if(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    branch = "then" if holds(validator, instance, rule) else "else"
    return descend(validator, instance, schema.get(branch, True), None, branch)


def _dependent_schemas(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for trigger, rule in rules.items() if isinstance(instance, dict) else ():
        if trigger in instance:
            yield from descend(validator, instance, rule, None, trigger)


def _dependencies(validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for trigger, rule in rules.items() if isinstance(instance, dict) else ():
        if trigger not in instance:
            continue
        if isinstance(rule, list):
            yield from missing(rule, instance, trigger)
        else:
            yield from descend(validator, instance, rule, None, trigger)


APPLICATORS: Final[dict[str, Keyword]] = {
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "prefixItems": _prefix_items,
    "items": _items_2020,
    "contains": _contains,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
    "dependencies": _dependencies,
}
LEGACY_APPLICATORS: Final[dict[str, Keyword]] = {
    "items": _items_legacy,
    "additionalItems": _additional_items,
}
LEGACY_CONTAINS: Final[Keyword] = _contains_legacy
