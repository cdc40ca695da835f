"""The keywords that look at one value and at nothing inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from jsonschema.exceptions import ValidationError

from interrupts.contracts.budget import meter
from interrupts.contracts.fingerprints import is_one_of, repeated
from interrupts.contracts.leaves import compile_pattern, has_format

# validator, the keyword's value, the instance, the schema around the keyword
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]


def fail(message: str = "", *path: str | int, **details: Any) -> ValidationError:
    """Return an error at a path below the instance; an empty message leaves the words to the wording of the keyword."""
    meter().step()
    return ValidationError(message, path=path, **details)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of(kind: type | None, holds: Callable[[Any, Any], bool]) -> Keyword:
    """Make a keyword that binds values of one type (None: numbers) and holds or not."""

    def keyword(_validator: Any, expected: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
        bound = is_number(instance) if kind is None else isinstance(instance, kind)
        if bound and not holds(expected, instance):
            yield fail()

    return keyword


def _multiple(step: float, value: float) -> bool:
    """Tell whether the written decimals divide exactly: 0.3 is a multiple of 0.1, which their binary forms deny."""
    return (_exact(value) / _exact(step)).denominator == 1


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _type(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(validator.is_type(instance, name) for name in names):
        yield fail()


def _enum(_validator: Any, options: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not is_one_of(instance, options):
        yield fail()


def _const(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if repeated([wanted, instance]) is None:
        yield fail()


def _unique_items(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list) and (pair := repeated(instance)):
        yield fail(f"Items {pair[0] + 1} and {pair[1] + 1} of this list are the same.")


def _required(_validator: Any, names: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield fail("", name)


def _dependent_required(_validator: Any, rules: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    for trigger, names in rules.items() if isinstance(instance, dict) else ():
        if trigger in instance:
            yield from missing(names, instance, trigger)


def missing(names: list[str], instance: Mapping[str, Any], trigger: str) -> Iterator[ValidationError]:
    """Yield an error at each name that the presence of another one asks for."""
    for name in names:
        if name not in instance:
            yield fail(f"This is required when {trigger[:80]} is given.", name)


def _legacy_bound(exclusive: str, compare: Callable[[float, float], bool]) -> Keyword:
    """Make draft-04's ``minimum`` or ``maximum``, which a boolean beside it makes exclusive."""

    def keyword(_validator: Any, limit: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if not is_number(instance):
            return
        strict = bool(schema.get(exclusive))
        if compare(instance, limit) or (strict and instance == limit):
            yield fail(validator=exclusive, validator_value=limit) if strict else fail()

    return keyword


def format_of(draft: str) -> Keyword:
    """Make the ``format`` keyword of a draft."""
    return _of(str, lambda name, text: has_format(text, name, draft))


LEGACY_MINIMUM: Final = _legacy_bound("exclusiveMinimum", lambda value, limit: value < limit)
LEGACY_MAXIMUM: Final = _legacy_bound("exclusiveMaximum", lambda value, limit: value > limit)

ASSERTIONS: Final[dict[str, Keyword]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _of(str, lambda pattern, text: compile_pattern(pattern).found_in(text)),
    "minLength": _of(str, lambda limit, text: len(text) >= limit),
    "maxLength": _of(str, lambda limit, text: len(text) <= limit),
    "minimum": _of(None, lambda limit, value: value >= limit),
    "maximum": _of(None, lambda limit, value: value <= limit),
    "exclusiveMinimum": _of(None, lambda limit, value: value > limit),
    "exclusiveMaximum": _of(None, lambda limit, value: value < limit),
    "multipleOf": _of(None, _multiple),
    "minItems": _of(list, lambda limit, items: len(items) >= limit),
    "maxItems": _of(list, lambda limit, items: len(items) <= limit),
    "uniqueItems": _unique_items,
    "minProperties": _of(dict, lambda limit, members: len(members) >= limit),
    "maxProperties": _of(dict, lambda limit, members: len(members) <= limit),
    "required": _required,
    "dependentRequired": _dependent_required,
}
