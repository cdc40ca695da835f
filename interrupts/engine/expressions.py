"""Expressions of ports and edge conditions, in CEL (the Common Expression Language)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cel

from interrupts.contracts.types import JsonObject, JsonValue

MAX_TEXT: Final = 1_000


class ExpressionError(Exception):
    """The expression cannot be compiled, or has no value here."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    text: str
    program: cel.Program


@lru_cache(maxsize=512)
def compile_expression(text: str) -> CompiledExpression:
    """Compile once. Raises ExpressionError."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"An expression may have at most {MAX_TEXT} characters; this one has {len(text)}.")
    try:
        return CompiledExpression(text, cel.compile(text))
    except ValueError as error:
        raise ExpressionError(f"The expression does not parse: {error}") from error


def evaluate(compiled: CompiledExpression, scope: JsonObject) -> JsonValue:
    """The value of the expression in this scope. Raises ExpressionError."""
    try:
        value = compiled.program.execute(scope)
    except Exception as error:
        raise ExpressionError(f"The expression “{compiled.text}” has no value: {error}") from error
    return _as_json(value)


def _as_json(value: object) -> JsonValue:
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list():
            return [_as_json(item) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _as_json(item) for key, item in value.items()}
    raise ExpressionError("The value of the expression is not JSON.")
