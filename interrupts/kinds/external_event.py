"""External events: another system tells what happened, about what we wait for (interrupt.md §Payload)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, cast

from interrupts.contracts.checking import assemble, run
from interrupts.contracts.composition import embedded
from interrupts.contracts.dialects import dialect_of
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.kinds.base import Contract, OpenInterrupt, SingleAnswer, submission
from interrupts.problems import validation_failed
from interrupts.vocabulary import InterruptKind


class ExternalEvent(SingleAnswer):
    """Takes any value; a member that has the name of a correlation key must equal it (wire contract §25 row 36)."""

    kind: ClassVar[InterruptKind] = InterruptKind.EXTERNAL_EVENT

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """The correlation, and the schema for answers where there is one."""
        schema: JsonObject = {"type": "object", **_correlated(interrupt)}
        if interrupt.resume_schema is not None:
            schema = _both(schema, interrupt.resume_schema)
        return submission(self, schema, typed=True)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        # JSON's own equality, within the budget of any validation: 1 equals 1.0, and true equals neither.
        problems = run(assemble(_correlated(interrupt)), value)
        if problems:
            raise validation_failed(problems, base="/resumeValue")
        return value


def _correlated(interrupt: OpenInterrupt) -> JsonObject:
    correlation = cast("JsonObject", interrupt.data["correlation"])
    return {"properties": {name: {"const": expected} for name, expected in correlation.items()}}


def _both(schema: JsonObject, given: JsonObject) -> JsonObject:
    dialect = dialect_of(given)
    return {"$schema": dialect.uri, **schema, "allOf": [embedded(given, into=dialect)]}
