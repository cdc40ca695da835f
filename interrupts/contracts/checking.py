"""One bounded run of a validator over a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY, SchemaRegistry

from interrupts.contracts.budget import MAX_SECONDS, MAX_STEPS, Meter, NotChecked, metering
from interrupts.contracts.dialects import dialect_of
from interrupts.contracts.problems import Problem, flatten
from interrupts.contracts.types import JsonSchema, JsonValue

_MAX_ERRORS: Final = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class CompiledSchema:
    """A schema ready to validate values: its digest (SHA-256), the schema itself, and what was worked out from it."""

    digest: str
    schema: JsonSchema
    validator: Any = field(repr=False)
    cache: dict[int, frozenset[str]] = field(default_factory=dict, repr=False)


def assemble(schema: JsonSchema, *, digest: str = "", registry: SchemaRegistry = EMPTY_REGISTRY) -> CompiledSchema:
    """Return the compiled form of a schema that is known to be sound. References resolve in it and the registry only.

    Nothing is ever fetched: an empty registry has no way to.
    """
    dialect = dialect_of(schema)
    resource = dialect.specification.create_resource(schema)
    uri = resource.id() or ""
    resolver = _crawled(registry.with_resource(uri, resource)).resolver(uri)
    return CompiledSchema(digest, schema, dialect.validator(schema, _resolver=resolver))


def _crawled(registry: SchemaRegistry) -> SchemaRegistry:
    """Find the anchors and identifiers now and not at every reference.

    The library stumbles over some sound schemas here (draft-07 ``dependencies`` with both forms); pointers still work.
    """
    try:
        return registry.crawl()
    except (AttributeError, TypeError, ValueError):
        return registry


def run(
    compiled: CompiledSchema, value: JsonValue, *, steps: int = MAX_STEPS, seconds: float = MAX_SECONDS
) -> list[Problem]:
    """Return what is wrong with a value. What cannot be checked within the budget is a problem, never valid."""
    with metering(Meter(steps, seconds, compiled.cache)):
        try:
            return flatten(islice(compiled.validator.iter_errors(value), _MAX_ERRORS))
        except Unresolvable as error:
            return [Problem("", "unresolvable", f"This could not be checked: the schema refers to {error.ref}.")]
        except NotChecked as error:
            return [Problem("", "budget", f"This could not be checked. {error}")]
        except RecursionError:
            return [Problem("", "budget", "This could not be checked: schema and value nest too deeply together.")]
