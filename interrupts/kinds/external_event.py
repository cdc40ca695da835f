"""External events: another system tells what happened, about what we wait for (interrupt.md §Payload)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, cast

from interrupts.contracts.checking import assemble, run
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.kinds.base import OpenInterrupt, SingleAnswer
from interrupts.problems import validation_failed
from interrupts.vocabulary import InterruptKind


class ExternalEvent(SingleAnswer):
    """Takes any value; a member that has the name of a correlation key must equal it (wire contract §25 row 36)."""

    kind: ClassVar[InterruptKind] = InterruptKind.EXTERNAL_EVENT

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        correlation = cast("JsonObject", interrupt.data["correlation"])
        # JSON's own equality, within the budget of any validation: 1 equals 1.0, and true equals neither.
        schema: JsonObject = {"properties": {name: {"const": expected} for name, expected in correlation.items()}}
        problems = run(assemble(schema), value)
        if problems:
            raise validation_failed(problems, base="/resumeValue")
        return value
