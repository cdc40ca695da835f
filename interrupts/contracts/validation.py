"""Compiling schemas that people wrote, and validating values against them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, cast

from interrupts.contracts.admission import MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, check_schema
from interrupts.contracts.checking import CompiledSchema, assemble, run
from interrupts.contracts.json_text import MalformedJson, digest, dump_json, parse_json
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonSchema, JsonValue

__all__ = ["CompiledSchema", "Problem", "SchemaRefused", "compile_schema", "part_of", "validate"]

_COMPILED: Final = 256


class SchemaRefused(ValueError):
    """A schema did not pass the admission gate; ``problems`` say why, by pointers into the schema."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{problem.pointer or '(root)'}: {problem.message}" for problem in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class _Source:
    """A schema's text under its digest, which alone makes it the same schema."""

    digest: str
    text: str = field(compare=False)


def compile_schema(schema: JsonSchema) -> CompiledSchema:
    """Return the compiled form of a schema, from a cache by digest. Later changes to ``schema`` make no difference.

    Raises :class:`SchemaRefused` when the admission gate (:func:`~.admission.check_schema`) finds problems.
    """
    try:
        return _compile(_Source(digest(schema), dump_json(schema)))
    except MalformedJson as error:
        raise SchemaRefused([Problem("", "json", error.message)]) from error


def validate(compiled: CompiledSchema, value: JsonValue) -> list[Problem]:
    """Return what is wrong with a value, sorted by pointer, at most 100 problems; an empty list means it is valid.

    The value must have passed :func:`~.json_text.parse_json` or :func:`~.json_text.check_value`. One problem with a
    keyword of :data:`~.problems.UNCHECKED` means that the value could not be checked: refuse it, and change nothing.
    """
    return run(compiled, value)


def part_of(compiled: CompiledSchema, schema: JsonSchema) -> CompiledSchema:
    """Return the compiled form of a schema made of parts of another: its references start from that one's root."""
    return CompiledSchema("", schema, compiled.validator.within(schema))


@lru_cache(maxsize=_COMPILED)
def _compile(source: _Source) -> CompiledSchema:
    schema = cast("JsonSchema", parse_json(source.text, max_bytes=MAX_SCHEMA_BYTES, max_depth=MAX_SCHEMA_DEPTH))
    problems = check_schema(schema)
    if problems:
        raise SchemaRefused(problems)
    return assemble(schema, digest=source.digest)
