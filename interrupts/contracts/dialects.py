"""The five dialects of JSON Schema we speak, each with our own bounded keywords in the place of the library's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jsonschema
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012

from interrupts.contracts.applicators import APPLICATORS, LEGACY_APPLICATORS, LEGACY_CONTAINS
from interrupts.contracts.assertions import ASSERTIONS, LEGACY_MAXIMUM, LEGACY_MINIMUM, Keyword, format_of
from interrupts.contracts.budget import meter
from interrupts.contracts.unevaluated import UNEVALUATED


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect: its ``$schema`` URI without the empty fragment, its reading of references, its bounded validator."""

    uri: str
    name: str
    specification: Any
    validator: Any


def _metered(keyword: Keyword) -> Keyword:
    """Make a keyword spend a step each time it is applied. No generator of its own: it would double the stack."""

    def spend(validator: Any, expected: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        meter().step()
        return keyword(validator, expected, instance, schema)

    return spend


def _evolve(self: Any, **changes: Any) -> Any:
    """Return a validator for another schema, always one of ours.

    The library's own ``evolve`` would leave our class for its unbounded one at every schema that has a ``$schema``.
    """
    schema = changes.get("schema", self.schema)
    named = schema.get("$schema") if isinstance(schema, dict) else None
    dialect = DIALECTS.get(named.removesuffix("#")) if isinstance(named, str) else None
    kind = type(self) if dialect is None else dialect.validator
    resolver = changes.get("_resolver", self._resolver)
    return kind(schema=schema, _resolver=resolver)


def _harden(base: Any, specification: Any, name: str, replaced: Mapping[str, Keyword]) -> Any:
    ours = {**ASSERTIONS, "format": format_of(name), **APPLICATORS, **UNEVALUATED, **replaced}
    # Later drafts split "dependencies" in two; who still writes it means it.
    known = {"dependencies": ours["dependencies"], **base.VALIDATORS}
    keywords = {key: _metered(ours.get(key, theirs)) for key, theirs in known.items()}
    validator: Any = extend(base, validators=keywords)  # type: ignore[no-untyped-call]

    def within(self: Any, schema: Any) -> Any:
        resolver = self._resolver.in_subresource(specification.create_resource(schema))
        return self.evolve(schema=schema, _resolver=resolver)

    validator.evolve = _evolve
    validator.within = within
    return validator


def _dialect(base: Any, specification: Any, name: str, replaced: Mapping[str, Keyword]) -> Dialect:
    uri = str(base.ID_OF(base.META_SCHEMA)).removesuffix("#")
    return Dialect(uri, name, specification, _harden(base, specification, name, replaced))


_TO_2019: Final = LEGACY_APPLICATORS
_TO_7: Final = {**_TO_2019, "contains": LEGACY_CONTAINS}
_TO_4: Final = {**_TO_7, "minimum": LEGACY_MINIMUM, "maximum": LEGACY_MAXIMUM}

DRAFT_04: Final = _dialect(jsonschema.Draft4Validator, DRAFT4, "draft-04", _TO_4)
DRAFT_06: Final = _dialect(jsonschema.Draft6Validator, DRAFT6, "draft-06", _TO_7)
DRAFT_07: Final = _dialect(jsonschema.Draft7Validator, DRAFT7, "draft-07", _TO_7)
DRAFT_2019_09: Final = _dialect(jsonschema.Draft201909Validator, DRAFT201909, "2019-09", _TO_2019)
DRAFT_2020_12: Final = _dialect(jsonschema.Draft202012Validator, DRAFT202012, "2020-12", {})

DIALECTS: Final = {d.uri: d for d in (DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12)}


def dialect_of(schema: object) -> Dialect:
    """Return the dialect a schema names, 2020-12 when it names none that we speak."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    return DIALECTS.get(str(named).removesuffix("#"), DRAFT_2020_12)
