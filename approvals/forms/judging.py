"""Judging parts of a form's value while it is read, within a budget of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from approvals.forms.merging import Document
from interrupts.contracts.checking import CompiledSchema, run
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonSchema, JsonValue
from interrupts.contracts.validation import SchemaRefused, compile_schema, part_of

_STEPS: Final = 10_000
_SECONDS: Final = 0.1
_TURNS: Final = 100


@dataclass(slots=True)
class Judging:
    """Asks whether values satisfy parts of one schema. After a hundred turns, or with a refused schema, none does."""

    compiled: CompiledSchema | None
    turns: int = field(default=_TURNS)

    def __call__(self, root: Document, schema: JsonSchema, value: JsonValue) -> bool:
        problems = self.problems(root, schema, value)
        return problems is not None and not problems

    def problems(self, root: Document, schema: JsonSchema, value: JsonValue) -> list[Problem] | None:
        """Return what is wrong with a value, or None when that is not known."""
        if self.compiled is None or self.turns <= 0:
            return None
        self.turns -= 1
        return run(part_of(part_of(self.compiled, root.schema), schema), value, steps=_STEPS, seconds=_SECONDS)


def judging(root: JsonSchema) -> Judging:
    try:
        return Judging(compile_schema(root))
    except SchemaRefused:
        return Judging(None)
